// NRRD files (Nearly Raw Raster Data, teem): lines of "field: value", a blank line, then the samples, x fastest.
// Supported: three axes in order along x, y and z; attached data; raw, gzip or text encoding. Format: teem's
// "Definition of NRRD File Format".
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/base/encode/text.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/field/file/sample_lattice.h>

#include <fmt/format.h>

#include <map>

namespace fathom {

namespace {

std::optional<Scalar> nrrd_scalar(std::string_view name) {
    struct Named {
        std::string_view names; // each name is enclosed by commas
        Scalar type;
    };
    constexpr std::array<Named, 10> table = {
        {{",signed char,int8,int8_t,", Scalar::int8},
         {",uchar,unsigned char,uint8,uint8_t,", Scalar::uint8},
         {",short,short int,signed short,signed short int,int16,int16_t,", Scalar::int16},
         {",ushort,unsigned short,unsigned short int,uint16,uint16_t,", Scalar::uint16},
         {",int,signed int,int32,int32_t,", Scalar::int32},
         {",uint,unsigned int,uint32,uint32_t,", Scalar::uint32},
         {",longlong,long long,long long int,signed long long,signed long long int,int64,int64_t,", Scalar::int64},
         {",ulonglong,unsigned long long,unsigned long long int,uint64,uint64_t,", Scalar::uint64},
         {",float,", Scalar::float32},
         {",double,", Scalar::float64}}};
    const std::string wanted = fmt::format(",{},", name);
    for (const Named& entry : table)
        if (entry.names.find(wanted) != std::string_view::npos) return entry.type;
    return std::nullopt;
}

class NrrdHead {
public:
    explicit NrrdHead(const Source& source) : source_(source) {
        std::string_view text = source.text();
        if (!text.starts_with("NRRD000"))
            throw Error(Cause::unknown_format, "is not an NRRD file", {.file = source.name});
        for (std::int64_t number = 1;; ++number) {
            const std::size_t end = text.find('\n', begin_);
            if (end == std::string_view::npos) fail(Cause::truncated, "ends inside its header");
            std::string_view line = text.substr(begin_, end - begin_);
            if (line.ends_with('\r')) line.remove_suffix(1);
            begin_ = end + 1;
            if (line.empty()) return;
            if (number > 1) take(line);
        }
    }

    [[nodiscard]] std::size_t data_begin() const { return begin_; }

    // Value of a field, or `otherwise` if the field is absent.
    [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise = {}) const {
        const auto found = fields_.find(std::string(key));
        return found == fields_.end() ? std::string(otherwise) : found->second;
    }
    [[nodiscard]] bool has(std::string_view key) const { return fields_.contains(std::string(key)); }

    // Reads `count` numbers; brackets and commas of vectors are skipped.
    [[nodiscard]] std::vector<double> numbers(std::string_view key, std::size_t count) const {
        std::string plain = text(key);
        for (char& c : plain)
            if (c == '(' || c == ')' || c == ',') c = ' ';
        const Source words{std::as_bytes(std::span(plain)), source_.name};
        TextScanner scanner(words);
        std::vector<double> values;
        try {
            for (std::size_t i = 0; i < count; ++i) values.push_back(scanner.number(key));
        } catch (const Error& error) {
            fail(error.cause() == Cause::truncated ? Cause::malformed : error.cause(), error.reason(), key);
        }
        if (!scanner.at_end()) fail(Cause::malformed, fmt::format("has more than {} numbers", count), key);
        return values;
    }

    [[noreturn]] void fail(Cause cause, std::string reason, std::string_view field = {}) const {
        throw Error(cause, std::move(reason), {.file = source_.name, .element = std::string(field)});
    }

private:
    void take(std::string_view line) {
        if (line.starts_with('#') || line.find(":=") != std::string_view::npos) return; // comment, or user-defined key
        const std::size_t colon = line.find(": ");
        if (colon == std::string_view::npos)
            fail(Cause::malformed, fmt::format("a line of the header is not a field: '{}'", printable(line)));
        std::string_view value = line.substr(colon + 2);
        while (value.starts_with(' ')) value.remove_prefix(1);
        while (value.ends_with(' ')) value.remove_suffix(1);
        if (!fields_.emplace(line.substr(0, colon), value).second)
            fail(Cause::malformed, "is given twice", printable(line.substr(0, colon)));
        if (fields_.size() > 64) fail(Cause::malformed, "the header has more fields than the format defines");
    }

    const Source& source_;
    std::size_t begin_ = 0;
    std::map<std::string, std::string, std::less<>> fields_;
};

Vec3 as_vector(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

// Sets spacing and origin from the space directions or from the axes. A missing spacing is taken as 1, and a remark
// says so.
void place_lattice(const NrrdHead& head, StatedLattice& lattice, std::vector<std::string>& remarks,
                   const Place& place) {
    Vec3 spacing = Vec3::Ones();
    if (head.has("space directions")) {
        const std::vector<double> d = head.numbers("space directions", 9);
        spacing = {d[0], d[4], d[8]};
        for (const std::size_t off : {1u, 2u, 3u, 5u, 6u, 7u})
            if (!(std::abs(d[off]) <= 1e-9 * std::abs(d[0])))
                head.fail(Cause::unsupported, "the axes are not along x, y and z", "space directions");
    } else if (head.has("spacings")) {
        spacing = as_vector(head.numbers("spacings", 3));
    } else {
        remarks.emplace_back("the file does not state a cell size: 1 m was assumed");
    }
    lattice.cell = cubic_cell(spacing, place);
    if (head.has("space origin")) {
        lattice.origin = as_vector(head.numbers("space origin", 3));
    } else if (head.has("axis mins")) {
        lattice.origin = as_vector(head.numbers("axis mins", 3));
        const std::string centers = head.text("centers", head.text("centerings"));
        if (centers.starts_with("cell"))
            lattice.origin += 0.5 * spacing; // the samples are at the centres of their cells
    } else {
        remarks.emplace_back("the file does not state a position: the first sample was placed at the origin");
    }
}

StatedLattice lattice_of(const NrrdHead& head, std::vector<std::string>& remarks, const Place& place) {
    if (head.text("dimension") != "3")
        head.fail(Cause::unsupported, "only three dimensions are supported", "dimension");
    for (const std::string_view key : {"data file", "datafile"})
        if (head.has(key)) head.fail(Cause::unsupported, "samples in a separate file are not supported", key);
    for (const std::string_view key : {"line skip", "lineskip", "byte skip", "byteskip"})
        if (head.text(key, "0") != "0")
            head.fail(Cause::unsupported, "skipping of lines or bytes is not supported", key);
    StatedLattice lattice;
    const std::vector<double> sizes = head.numbers("sizes", 3);
    for (std::size_t k = 0; k < 3; ++k) {
        if (!(sizes[k] >= 0 && sizes[k] < 0x1p40) || sizes[k] != std::floor(sizes[k]))
            head.fail(Cause::malformed, "contains a value that is not a whole number", "sizes");
        lattice.counts[k] = static_cast<std::uint64_t>(sizes[k]);
    }
    place_lattice(head, lattice, remarks, place);
    return lattice;
}

void read_binary(const Source& data, Scalar type, std::endian order, LatticeBuilder& builder) {
    ByteReader bytes(data, 0, order);
    if (bytes.left() / size_of(type) < builder.count())
        bytes.fail(Cause::truncated, fmt::format("fewer than {} samples follow", builder.count()));
    for (std::size_t i = 0; i < builder.count(); ++i) builder.set(i, read_number(bytes, type));
    if (!bytes.at_end()) bytes.fail(Cause::count_mismatch, "more bytes than samples follow");
}

void read_text(const Source& data, LatticeBuilder& builder) {
    TextScanner text(data);
    static_cast<void>(text.checked_count(builder.count(), 2, "samples"));
    for (std::size_t i = 0; i < builder.count(); ++i) builder.set(i, text.number("a sample"));
    if (!text.at_end()) text.fail(Cause::count_mismatch, "more samples follow than stated");
}

} // namespace

GridFile read_nrrd(const Source& source, const GridReadOptions& options) {
    const NrrdHead head(source);
    const std::optional<Scalar> type = nrrd_scalar(head.text("type"));
    if (!type)
        head.fail(Cause::unsupported,
                  fmt::format("samples of type '{}' are not supported", printable(head.text("type"))), "type");
    std::vector<std::string> remarks;
    const StatedLattice lattice = lattice_of(head, remarks, {.file = source.name, .element = "spacing"});
    const Source data{source.bytes.subspan(head.data_begin()), source.name};
    const std::string encoding = head.text("encoding", "raw");
    const bool packed = encoding == "gzip" || encoding == "gz",
               text = encoding == "ascii" || encoding == "text" || encoding == "txt";
    if (!packed && !text && encoding != "raw")
        head.fail(Cause::unsupported, fmt::format("'{}' is not supported", printable(encoding)), "encoding");
    const std::string order = head.text("endian", size_of(*type) == 1 || text ? "little" : "");
    if (!text && order != "little" && order != "big")
        head.fail(Cause::malformed, "is neither little nor big", "endian");
    // Decompressed before the grid is allocated: a false size in the header must not add to the memory use.
    const Bytes unpacked = packed ? unpacked_gzip(data) : Bytes();
    LatticeBuilder builder(lattice, source, options, unpacked.size());
    if (text)
        read_text(data, builder);
    else
        read_binary(packed ? Source{unpacked.span(), source.name} : data, *type,
                    order == "big" ? std::endian::big : std::endian::little, builder);
    return std::move(builder).finish(fmt::format("nrrd {}", packed ? "gzip"
                                                            : text ? "text"
                                                                   : "raw"),
                                     std::move(remarks));
}

void write_nrrd(FileWriter& file, const GridData& data, const GridWriteOptions& options) {
    const auto n = sample_counts(data.layout);
    const Vec3& o = data.layout.origin;
    const double cell = data.layout.cell;
    file.write(fmt::format(
        "NRRD0004\ntype: {}\ndimension: 3\nspace dimension: 3\nsizes: {} {} {}\n"
        "space directions: ({},0,0) (0,{},0) (0,0,{})\nspace origin: ({},{},{})\nendian: little\nencoding: raw\n\n",
        options.doubles ? "double" : "float", n[0], n[1], n[2], cell, cell, cell, o.x(), o.y(), o.z()));
    write_samples(file, data, options.doubles);
}

} // namespace fathom
