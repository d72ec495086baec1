// Parser for the common parts of VTK's XML files.
#include <fathom/geometry/io/vtk_xml.h>

#include <fathom/base/encode/gzip.h>
#include <fathom/base/encode/text.h>
#include <fathom/base/encode/text_scanner.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace fathom {

// ---- Streams over data arrays. Format: "VTK file formats" (Kitware), XML formats, and VTK's wiki page on the layout
// of binary and compressed data: compressed arrays start with the number of blocks, the size of a block, the size of
// the last block if it is shorter (otherwise 0), and the compressed size of each block.

namespace {

class TextArray final : public VtuNumbers {
public:
    // `cut` ends at the end of the array, so that the scanner stops there, while line numbers refer to the whole file.
    TextArray(Source cut, const VtuArray& array)
        : cut_(std::move(cut)), scanner_(cut_, '\0', array.joined.empty() ? array.begin : 0), name_(array.name) {}

    double number() override { return scanner_.number(name_); }
    std::int64_t integer() override { return scanner_.integer(name_); }
    bool at_end() override { return scanner_.at_end(); }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element,
                           std::int64_t index) const override {
        scanner_.fail(cause, reason, element, index);
    }

private:
    Source cut_;
    TextScanner scanner_;
    std::string name_;
};

// Stream of the bytes after the header of a binary array.
class Payload {
public:
    Payload(ByteFeed feed, const VtuStorage& storage) : feed_(feed), order_(storage.order), header_(storage.header) {
        if (storage.compressor.empty())
            left_ = header_number();
        else
            read_block_sizes();
    }

    // Fills `out` with as many bytes as are available. Returns their number.
    std::size_t read(std::span<std::byte> out) {
        if (inflater_) return unpack(out);
        const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, out.size()));
        feed_.read(out.first(count));
        left_ -= count;
        return count;
    }

    [[nodiscard]] ByteFeed& feed() { return feed_; }
    [[nodiscard]] const ByteFeed& feed() const { return feed_; }

private:
    std::uint64_t header_number() {
        std::array<std::byte, 8> raw{};
        const std::span<std::byte> used(raw.data(), size_of(header_));
        feed_.read(used);
        const Source source{used, {}};
        ByteReader bytes(source, 0, order_);
        return static_cast<std::uint64_t>(read_integer(bytes, header_));
    }

    void read_block_sizes() {
        inflater_.emplace();
        const std::uint64_t blocks = header_number();
        block_size_ = header_number();
        last_size_ = header_number();
        if (last_size_ == 0) last_size_ = block_size_;
        if (blocks > feed_.max_left() / size_of(header_))
            feed_.fail(Cause::count_mismatch,
                       fmt::format("states {} compressed blocks, more than the data can contain", blocks));
        packed_sizes_.reserve(static_cast<std::size_t>(blocks));
        for (std::uint64_t i = 0; i < blocks; ++i) packed_sizes_.push_back(header_number());
    }

    void start_block() {
        packed_left_ = packed_sizes_[block_];
        left_ = ++block_ == packed_sizes_.size() ? last_size_ : block_size_;
        if (packed_left_ > feed_.max_left()) feed_.fail(Cause::truncated, "a compressed block is truncated");
        if (left_ / max_inflation > packed_left_)
            feed_.fail(Cause::malformed, "a compressed block states more data than zlib can compress");
        inflater_->restart();
        inside_ = true;
    }

    void fetch() {
        const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(packed_left_, buffer_.size()));
        feed_.read(std::span(buffer_).first(count));
        packed_left_ -= count;
        waiting_ = std::span<const std::byte>(buffer_).first(count);
    }

    std::size_t unpack(std::span<std::byte> out) {
        std::size_t given = 0;
        while (given < out.size()) {
            if (!inside_ && block_ == packed_sizes_.size()) break;
            if (!inside_) start_block();
            if (waiting_.empty()) fetch();
            const Inflater::Step step = inflater_->step(waiting_, out.subspan(given));
            waiting_ = waiting_.subspan(step.taken);
            given += step.given;
            if (step.damaged) feed_.fail(Cause::malformed, "the zlib data is corrupt");
            if (step.given > left_)
                feed_.fail(Cause::count_mismatch, "a compressed block contains more data than it states");
            left_ -= step.given;
            if (step.ended)
                end_block();
            else if (step.taken == 0 && step.given == 0)
                feed_.fail(Cause::truncated, "a compressed block ends too early");
        }
        return given;
    }

    void end_block() {
        if (left_ != 0) feed_.fail(Cause::count_mismatch, "a compressed block contains less data than it states");
        if (packed_left_ != 0 || !waiting_.empty())
            feed_.fail(Cause::malformed, "a compressed block has bytes after its end");
        inside_ = false;
    }

    ByteFeed feed_;
    std::endian order_;
    Scalar header_;
    std::uint64_t left_ = 0; // remaining uncompressed bytes of the array, or of its present block

    std::optional<Inflater> inflater_; // this and the members below: compressed arrays only
    std::uint64_t block_size_ = 0, last_size_ = 0;
    std::vector<std::uint64_t> packed_sizes_;
    std::size_t block_ = 0;         // index of the next block
    bool inside_ = false;           // inside a block
    std::uint64_t packed_left_ = 0; // bytes of the block that have not been fetched
    std::array<std::byte, 16384> buffer_{};
    std::span<const std::byte> waiting_; // bytes in the buffer that have not been decompressed
};

class BinaryArray final : public VtuNumbers {
public:
    BinaryArray(ByteFeed feed, const VtuStorage& storage, const VtuArray& array)
        : payload_(feed, storage), order_(storage.order), type_(array.type), name_(array.name),
          alone_(array.format == VtuArray::Format::binary) {}

    double number() override { return read_number(ready(), type_); }
    std::int64_t integer() override { return read_integer(ready(), type_); }
    bool at_end() override {
        if (bytes_ && !bytes_->at_end()) return false;
        if (refill()) return false;
        if (alone_ && !payload_.feed().at_end())
            fail(Cause::count_mismatch, "more base64 data than its header states", {}, -1);
        return true;
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element,
                           std::int64_t index) const override {
        payload_.feed().fail(cause, fmt::format("{}: {}", name_, reason), element, index);
    }

private:
    [[nodiscard]] ByteReader& ready() {
        if ((!bytes_ || bytes_->at_end()) && !refill())
            fail(Cause::truncated, "contains fewer numbers than stated", {}, -1);
        return *bytes_;
    }

    bool refill() {
        chunk_.bytes = std::span<const std::byte>(buffer_).first(payload_.read(buffer_));
        if (chunk_.bytes.size() % size_of(type_) != 0) fail(Cause::malformed, "ends inside a number", {}, -1);
        bytes_.emplace(chunk_, 0, order_);
        return !chunk_.bytes.empty();
    }

    Payload payload_;
    std::endian order_;
    Scalar type_;
    std::string name_;
    bool alone_; // no other data follows in the same text
    std::array<std::byte, 16384> buffer_{};
    Source chunk_;
    std::optional<ByteReader> bytes_; // reader of the chunk
};

Source cut_source(const Source& source, const VtuArray& array) {
    if (array.joined.empty()) return {source.bytes.first(array.end), source.name};
    return {std::as_bytes(std::span(array.joined)), source.name};
}

ByteFeed feed_of(const Source& source, const VtuStorage& storage, const VtuArray& array) {
    if (!array.joined.empty()) return {array.joined, ByteFeed::Encoding::base64, source, array.begin};
    const bool appended = array.format == VtuArray::Format::appended;
    const std::size_t begin = appended ? storage.appended_begin : array.begin;
    const std::size_t size = appended ? storage.appended_end - begin : array.end - begin;
    if (array.offset > size)
        throw Error(Cause::truncated, fmt::format("starts after the end of the appended data, at {}", array.offset),
                    {.file = source.name, .element = array.name});
    const std::size_t start = begin + static_cast<std::size_t>(array.offset);
    return {source.text().substr(start, begin + size - start),
            appended ? storage.appended_encoding : ByteFeed::Encoding::base64, source, start};
}

} // namespace

std::unique_ptr<VtuNumbers> open_array(const Source& source, const VtuStorage& storage, const VtuArray& array,
                                       bool whole) {
    const Place place{.file = source.name, .element = array.name};
    if (whole && !is_whole(array.type)) throw Error(Cause::malformed, "is not of an integer type", place);
    if (array.format == VtuArray::Format::ascii) return std::make_unique<TextArray>(cut_source(source, array), array);
    if (!storage.compressor.empty() && storage.compressor != "vtkZLibDataCompressor")
        throw Error(Cause::unsupported,
                    fmt::format("compressor {} is not supported, only zlib", printable(storage.compressor)), place);
    return std::make_unique<BinaryArray>(feed_of(source, storage, array), storage, array);
}

void VtkXml::walk(CallableRef<void(Event)> element) {
    bool inside_file = false;
    for (auto event = xml_.next(); event != Event::end; event = xml_.next()) {
        if (event == Event::text) continue;
        if (event == Event::close && name() == "VTKFile") return;
        if (event != Event::close && name() == "VTKFile")
            inside_file = file_head();
        else if (!inside_file)
            xml_.fail(Cause::unknown_format, "does not start with <VTKFile>");
        else if (name() == "AppendedData")
            return appended_data();
        else
            element(event);
    }
    xml_.fail(inside_file ? Cause::truncated : Cause::unknown_format,
              inside_file ? "ends before </VTKFile>" : "contains no <VTKFile>");
}

std::string VtkXml::value(std::string_view key, std::string_view otherwise) const {
    return std::string(xml_.attribute(key).value_or(otherwise));
}

std::uint64_t VtkXml::number(std::string_view key, std::string_view otherwise) const {
    const std::string text = value(key, otherwise);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        xml_.fail(Cause::malformed, fmt::format("the attribute {} is not an integer", key));
    return number;
}

bool VtkXml::file_head() {
    const std::string type = value("type", "");
    if (type != type_)
        xml_.fail(Cause::unsupported,
                  fmt::format("unsupported VTK file type '{}'; only {} is supported", printable(type), type_));
    const std::string order = value("byte_order", "LittleEndian"), header = value("header_type", "UInt32");
    if (order != "LittleEndian" && order != "BigEndian") xml_.fail(Cause::malformed, "unknown byte_order");
    if (header != "UInt32" && header != "UInt64") xml_.fail(Cause::malformed, "unknown header_type");
    storage_.order = order == "BigEndian" ? std::endian::big : std::endian::little;
    storage_.header = header == "UInt64" ? Scalar::uint64 : Scalar::uint32;
    storage_.compressor = value("compressor", "");
    return true;
}

VtuArray VtkXml::array(Event event, std::string name) {
    VtuArray array;
    array.name = std::move(name);
    const std::optional<Scalar> type = xml_scalar(value("type", ""));
    if (!type) xml_.fail(Cause::unsupported, "unknown number type", array.name);
    array.type = *type;
    const std::string format = value("format", "ascii");
    if (format == "appended") {
        array.format = VtuArray::Format::appended;
        array.offset = number("offset", "");
    } else if (format == "binary") {
        array.format = VtuArray::Format::binary;
    } else if (format != "ascii") {
        xml_.fail(Cause::unsupported, "unknown data format", array.name);
    }
    if (event == Event::open) content(array);
    return array;
}

void VtkXml::skip(Event event) {
    VtuArray ignored;
    ignored.format = VtuArray::Format::appended;
    if (event == Event::open) content(ignored);
}

// Reads the text of the array up to its closing tag. The content of nested elements (VTK's InformationKey) is not data.
void VtkXml::content(VtuArray& array) {
    std::size_t depth = 0;
    for (auto event = xml_.next(); event != Event::end; event = xml_.next()) {
        if (event == Event::open) ++depth;
        if (event == Event::close && depth-- == 0) return;
        if (event != Event::text || depth > 0 || array.format == VtuArray::Format::appended) continue;
        add_text(array);
    }
    xml_.fail(Cause::truncated, "the file ends inside a DataArray");
}

void VtkXml::add_text(VtuArray& array) const {
    if (array.end != 0) {
        if (array.joined.empty()) array.joined = source_.text().substr(array.begin, array.end - array.begin);
        array.joined.append(" ").append(xml_.text());
        return;
    }
    array.begin = static_cast<std::size_t>(xml_.text().data() - source_.text().data());
    array.end = array.begin + xml_.text().size();
}

// The data starts after an underscore.
void VtkXml::appended_data() {
    const std::string encoding = value("encoding", "base64");
    if (encoding != "raw" && encoding != "base64")
        xml_.fail(Cause::unsupported, "unknown encoding of the appended data");
    const std::string_view all = source_.text();
    const std::size_t mark = all.find_first_not_of(" \t\r\n", xml_.offset());
    if (mark == std::string_view::npos || all[mark] != '_')
        xml_.fail(Cause::malformed, "the appended data does not start with '_'");
    const bool raw = encoding == "raw";
    storage_.appended_encoding = raw ? ByteFeed::Encoding::raw : ByteFeed::Encoding::base64;
    storage_.appended_begin = mark + 1;
    storage_.appended_end = raw ? all.size() : std::min(all.find('<', mark), all.size());
}

} // namespace fathom
