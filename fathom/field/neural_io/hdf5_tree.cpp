// Reader of objects in HDF5 files. An object is a header of messages that describe its type and the places of its
// parts.
#include <fathom/field/neural_io/hdf5_tree.h>

#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text.h>
#include <fathom/field/neural_io/network_formats.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fathom {

namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr std::uint64_t undefined = ~std::uint64_t{0};
constexpr std::size_t max_blocks = 256;    // blocks of one object: continuations of its header, nodes of its tree
constexpr std::size_t max_links = 4096;    // members of one group
constexpr std::size_t max_text = 1u << 24; // bytes in the attributes of one object

enum Message : unsigned {
    dataspace_message = 1,
    link_info_message = 2,
    datatype_message = 3,
    external_message = 7,
    link_message = 6,
    layout_message = 8,
    filter_message = 11,
    attribute_message = 12,
    shared_table_message = 15,
    continuation_message = 16,
    symbol_table_message = 17,
    attribute_info_message = 21
};

enum class Kind { number, text, text_in_heap, other };

struct Datatype {
    Kind kind = Kind::other;
    Scalar scalar = Scalar::float32;
    std::endian order = std::endian::little;
    std::uint32_t size = 0; // bytes per element
};

struct Storage {
    bool compact = false;
    std::uint64_t address = undefined, size = 0;
};

class ObjectReader {
public:
    explicit ObjectReader(const Source& source) : source_(source) {}

    Hdf5Object read(std::uint64_t address) {
        ByteReader header = at(address);
        if (next_is(address, "OHDR"))
            read_new_header(header);
        else
            read_old_header(header);
        // Messages append blocks. NOLINTNEXTLINE(modernize-loop-convert)
        for (std::size_t k = 0; k < blocks_.size(); ++k) read_messages(blocks_[k].first, blocks_[k].second);
        if (layout_) read_array();
        return std::move(object_);
    }

private:
    [[noreturn]] void refuse(std::string_view what) const {
        throw Error(Cause::unsupported, fmt::format("HDF5: {} are not supported", what), {.file = source_.name});
    }

    [[nodiscard]] ByteReader at(std::uint64_t address) const {
        if (address > source_.bytes.size())
            throw Error(Cause::truncated, "HDF5: an address is beyond the end of the file", {.file = source_.name});
        return ByteReader(source_, static_cast<std::size_t>(address));
    }
    [[nodiscard]] bool next_is(std::uint64_t address, std::string_view mark) const {
        return source_.text().substr(static_cast<std::size_t>(address)).starts_with(mark);
    }
    ByteReader marked(std::uint64_t address, std::string_view mark) const {
        ByteReader bytes = at(address);
        if (!next_is(address, mark)) bytes.fail(Cause::malformed, fmt::format("HDF5: expected a {} block", mark));
        static_cast<void>(bytes.take(mark.size(), "a mark"));
        return bytes;
    }
    static std::uint64_t number(ByteReader& bytes, unsigned size) {
        switch (size) {
        case 1:
            return bytes.read<std::uint8_t>("a number");
        case 2:
            return bytes.read<std::uint16_t>("a number");
        case 4:
            return bytes.read<std::uint32_t>("a number");
        default:
            return bytes.read<std::uint64_t>("a number");
        }
    }
    static void skip(ByteReader& bytes, std::uint64_t count) {
        static_cast<void>(bytes.take(static_cast<std::size_t>(count), "a block"));
    }

    // Adds the block of messages that starts here, `size` bytes long.
    void add_block(const ByteReader& bytes, std::uint64_t size) {
        if (blocks_.size() == max_blocks) bytes.fail(Cause::too_large, "HDF5: a header has too many blocks");
        if (size > bytes.left()) bytes.fail(Cause::truncated, "HDF5: a header is cut off");
        blocks_.emplace_back(bytes.offset(), static_cast<std::size_t>(size));
    }

    void read_old_header(ByteReader& header) {
        if (header.read<std::uint8_t>("an object header") != 1)
            header.fail(Cause::malformed, "HDF5: expected an object header");
        skip(header, 7); // also skips the number of messages, which follows from the size of their blocks
        const auto size = header.read<std::uint32_t>("an object header");
        skip(header, 4);
        add_block(header, size);
    }

    void read_new_header(ByteReader& header) {
        skip(header, 4);
        if (header.read<std::uint8_t>("an object header") != 2)
            header.fail(Cause::malformed, "HDF5: expected an object header");
        const unsigned flags = header.read<std::uint8_t>("an object header");
        skip(header, ((flags & 0x20) ? 16U : 0U) + ((flags & 0x10) ? 4U : 0U));
        new_header_ = true;
        numbered_ = flags & 0x04;
        const std::uint64_t size = number(header, 1U << (flags & 3));
        add_block(header, size);
    }

    void read_messages(std::size_t begin, std::size_t size) {
        ByteReader bytes = at(begin);
        const std::size_t end = begin + size, head = new_header_ ? (numbered_ ? 6 : 4) : 8;
        while (end - bytes.offset() >= head) { // a shorter rest is a gap
            const unsigned type =
                new_header_ ? bytes.read<std::uint8_t>("a message") : bytes.read<std::uint16_t>("a message");
            const std::size_t length = bytes.read<std::uint16_t>("a message");
            const unsigned flags = bytes.read<std::uint8_t>("a message");
            skip(bytes, head - (new_header_ ? 4 : 5));
            if (length > end - bytes.offset()) bytes.fail(Cause::malformed, "HDF5: a message extends past its block");
            ByteReader message = at(bytes.offset());
            skip(bytes, length);
            read_message(type, flags, message);
            if (message.offset() > bytes.offset())
                message.fail(Cause::malformed, "HDF5: a message is longer than its stated length");
        }
    }

    void read_message(unsigned type, unsigned flags, ByteReader& bytes) {
        const bool shared = flags & 2;
        if (shared && (type == dataspace_message || type == datatype_message || type == filter_message))
            refuse("shared messages");
        switch (type) {
        case dataspace_message:
            shape_ = read_dataspace(bytes);
            break;
        case datatype_message:
            type_ = read_datatype(bytes);
            break;
        case layout_message:
            read_layout(bytes);
            break;
        case link_message:
            read_link(bytes);
            break;
        case attribute_message:
            if (shared) refuse("shared messages");
            read_attribute(bytes);
            break;
        case symbol_table_message:
            read_symbol_table(bytes);
            break;
        case continuation_message:
            read_continuation(bytes);
            break;
        case link_info_message:
            read_link_info(bytes);
            break;
        case attribute_info_message:
            read_attribute_info(bytes);
            break;
        case filter_message:
            refuse("filtered (compressed) arrays");
        case external_message:
            refuse("arrays in other files");
        default:
            break; // times, fill values and similar
        }
    }

    void read_continuation(ByteReader& bytes) {
        const auto address = bytes.read<std::uint64_t>("a continuation"),
                   size = bytes.read<std::uint64_t>("a continuation");
        if (!new_header_) return add_block(at(address), size);
        const ByteReader block = marked(address, "OCHK");
        if (size < 8) block.fail(Cause::malformed, "HDF5: a continuation block is too short");
        add_block(block, size - 8); // without mark and checksum
    }

    [[nodiscard]] static std::vector<std::uint64_t> read_dataspace(ByteReader& bytes) {
        const unsigned version = bytes.read<std::uint8_t>("a dataspace"),
                       rank = bytes.read<std::uint8_t>("a dataspace");
        if (version != 1 && version != 2)
            bytes.fail(Cause::unsupported, fmt::format("HDF5: unsupported dataspace version {}", version));
        skip(bytes, version == 1 ? 6 : 2);
        if (rank > 8) bytes.fail(Cause::unsupported, fmt::format("HDF5: unsupported array of {} dimensions", rank));
        std::vector<std::uint64_t> shape;
        for (unsigned k = 0; k < rank; ++k) shape.push_back(bytes.read<std::uint64_t>("a dataspace"));
        return shape;
    }

    [[nodiscard]] static Datatype read_datatype(ByteReader& bytes) {
        const unsigned head = bytes.read<std::uint8_t>("a datatype");
        const std::array<unsigned, 3> bits = {bytes.read<std::uint8_t>("a datatype"),
                                              bytes.read<std::uint8_t>("a datatype"),
                                              bytes.read<std::uint8_t>("a datatype")};
        Datatype type;
        type.size = bytes.read<std::uint32_t>("a datatype");
        constexpr unsigned float_class = 1, text_class = 3, variable_class = 9;
        switch (head & 15) {
        case float_class:
            read_float_type(bytes, bits, type);
            break;
        case text_class:
            type.kind = Kind::text;
            break;
        case variable_class:
            if ((bits[0] & 15) == 1 && type.size == 16) type.kind = Kind::text_in_heap;
            break;
        default:
            break;
        }
        return type;
    }

    // Accepts IEEE 754 of 4 or 8 bytes; all other types stay Kind::other.
    static void read_float_type(ByteReader& bytes, const std::array<unsigned, 3>& bits, Datatype& type) {
        const auto offset = bytes.read<std::uint16_t>("a datatype"),
                   precision = bytes.read<std::uint16_t>("a datatype");
        std::array<unsigned, 4> fields{}; // position and size of exponent, then of mantissa
        for (unsigned& field : fields) field = bytes.read<std::uint8_t>("a datatype");
        const auto bias = bytes.read<std::uint32_t>("a datatype");
        const bool vax = bits[0] & 0x40;
        const bool single =
            type.size == 4 && precision == 32 && fields == std::array<unsigned, 4>{23, 8, 0, 23} && bias == 127;
        const bool twice =
            type.size == 8 && precision == 64 && fields == std::array<unsigned, 4>{52, 11, 0, 52} && bias == 1023;
        if (offset != 0 || vax || (!single && !twice)) return;
        type.kind = Kind::number;
        type.scalar = single ? Scalar::float32 : Scalar::float64;
        type.order = (bits[0] & 1) ? std::endian::big : std::endian::little;
    }

    void read_layout(ByteReader& bytes) {
        const unsigned version = bytes.read<std::uint8_t>("a layout"), kind = bytes.read<std::uint8_t>("a layout");
        if (version != 3 && version != 4)
            bytes.fail(Cause::unsupported, fmt::format("HDF5: unsupported layout version {}", version));
        if (kind > 1) refuse(kind == 2 ? "chunked arrays" : "virtual arrays");
        layout_.emplace();
        layout_->compact = kind == 0;
        layout_->size = layout_->compact ? bytes.read<std::uint16_t>("a layout") : 0;
        layout_->address = layout_->compact ? bytes.offset() : bytes.read<std::uint64_t>("a layout");
        if (!layout_->compact) layout_->size = bytes.read<std::uint64_t>("a layout");
    }

    void add_link(std::string name, std::uint64_t address, const ByteReader& bytes) {
        if (object_.links.size() == max_links) bytes.fail(Cause::too_large, "HDF5: a group has too many members");
        const auto [link, is_new] = object_.links.emplace(std::move(name), address);
        if (!is_new) bytes.fail(Cause::malformed, fmt::format("HDF5: '{}' occurs twice", printable(link->first)));
    }

    void read_link(ByteReader& bytes) {
        const unsigned version = bytes.read<std::uint8_t>("a link"), flags = bytes.read<std::uint8_t>("a link");
        if (version != 1) bytes.fail(Cause::unsupported, fmt::format("HDF5: unsupported link version {}", version));
        const unsigned kind = (flags & 8) ? bytes.read<std::uint8_t>("a link") : 0U;
        skip(bytes, ((flags & 4) ? 8U : 0U) + ((flags & 16) ? 1U : 0U));
        const std::uint64_t length = number(bytes, 1U << (flags & 3));
        const auto name = bytes.take(static_cast<std::size_t>(length), "a link");
        if (kind != 0) return; // soft and external links are ignored; weights are behind hard links
        const auto address = bytes.read<std::uint64_t>("a link");
        add_link(std::string(reinterpret_cast<const char*>(name.data()), name.size()), address, bytes);
    }

    void read_link_info(ByteReader& bytes) {
        const unsigned flags = read_info_flags(bytes);
        skip(bytes, (flags & 1) ? 8 : 0);
        if (bytes.read<std::uint64_t>("a link info") != undefined) refuse("groups of many members (dense links)");
    }
    void read_attribute_info(ByteReader& bytes) {
        const unsigned flags = read_info_flags(bytes);
        skip(bytes, (flags & 1) ? 2 : 0);
        if (bytes.read<std::uint64_t>("an attribute info") != undefined) refuse("dense attributes");
    }
    static unsigned read_info_flags(ByteReader& bytes) {
        skip(bytes, 1);
        return bytes.read<std::uint8_t>("an info");
    }

    void read_symbol_table(ByteReader& bytes) {
        const auto tree = bytes.read<std::uint64_t>("a symbol table"),
                   heap_at = bytes.read<std::uint64_t>("a symbol table");
        ByteReader heap = marked(heap_at, "HEAP");
        skip(heap, 4);
        const auto size = heap.read<std::uint64_t>("a heap");
        skip(heap, 8);
        const auto address = heap.read<std::uint64_t>("a heap");
        const auto raw =
            at(address).take(static_cast<std::size_t>(std::min<std::uint64_t>(size, undefined >> 1)), "a heap");
        const std::string_view names(reinterpret_cast<const char*>(raw.data()), raw.size());
        std::vector<std::uint64_t> nodes = {tree};
        while (!nodes.empty()) {
            if (++tree_nodes_ > max_blocks) bytes.fail(Cause::too_large, "HDF5: a group has too many tree nodes");
            const std::uint64_t node = nodes.back();
            nodes.pop_back();
            if (next_is(at(node).offset(), "SNOD"))
                read_symbols(node, names);
            else
                read_tree_node(node, nodes);
        }
    }

    // Levels in the file are not trusted: every child is inspected, and its mark determines its type.
    void read_tree_node(std::uint64_t address, std::vector<std::uint64_t>& nodes) const {
        ByteReader node = marked(address, "TREE");
        const unsigned type = node.read<std::uint8_t>("a tree");
        skip(node, 1);
        const unsigned count = node.read<std::uint16_t>("a tree");
        if (type != 0) node.fail(Cause::malformed, "HDF5: a tree is not a group tree");
        if (count + nodes.size() > max_blocks) node.fail(Cause::too_large, "HDF5: a group has too many tree nodes");
        skip(node, 16); // siblings
        for (unsigned k = 0; k < count; ++k) {
            skip(node, 8); // a key
            nodes.push_back(node.read<std::uint64_t>("a tree"));
        }
    }

    void read_symbols(std::uint64_t address, std::string_view names) {
        ByteReader node = marked(address, "SNOD");
        skip(node, 2);
        const unsigned count = node.read<std::uint16_t>("a group");
        for (unsigned k = 0; k < count; ++k) {
            const auto name_at = node.read<std::uint64_t>("a group"), header = node.read<std::uint64_t>("a group");
            const auto cache = node.read<std::uint32_t>("a group");
            skip(node, 20);
            if (name_at >= names.size()) node.fail(Cause::malformed, "HDF5: a name is outside of its heap");
            const std::string_view name = names.substr(static_cast<std::size_t>(name_at));
            constexpr std::uint32_t soft_link = 2;
            if (cache != soft_link) add_link(std::string(name.substr(0, name.find('\0'))), header, node);
        }
    }

    void read_attribute(ByteReader& bytes) {
        const unsigned version = bytes.read<std::uint8_t>("an attribute"),
                       flags = bytes.read<std::uint8_t>("an attribute");
        if (version < 1 || version > 3)
            bytes.fail(Cause::unsupported, fmt::format("HDF5: unsupported attribute version {}", version));
        std::array<std::size_t, 3> sizes{}; // of name, type, shape
        for (std::size_t& size : sizes) size = bytes.read<std::uint16_t>("an attribute");
        skip(bytes, version == 3 ? 1 : 0);
        if (version > 1 && flags != 0) refuse("shared messages");
        if (version == 1)
            for (std::size_t& size : sizes) size = (size + 7) / 8 * 8;
        const auto raw = bytes.take(sizes[0], "an attribute");
        const std::string_view padded(reinterpret_cast<const char*>(raw.data()), raw.size());
        const std::string name(padded.substr(0, padded.find('\0')));
        const std::size_t type_at = bytes.offset(), shape_at = type_at + sizes[1];
        const Datatype type = read_datatype(bytes);
        if (type.kind != Kind::text && type.kind != Kind::text_in_heap) return;
        ByteReader space = at(shape_at);
        const std::vector<std::uint64_t> shape = read_dataspace(space);
        ByteReader data = at(shape_at + sizes[2]);
        const std::size_t count = element_count(shape, type.size, data);
        std::vector<std::string>& texts = object_.texts[name];
        texts.clear();
        for (std::size_t k = 0; k < count; ++k)
            texts.push_back(type.kind == Kind::text ? fixed_text(data, type.size) : heap_text(data));
    }

    // Number of elements of the shape; accepted only if that many elements follow.
    [[nodiscard]] static std::size_t element_count(const std::vector<std::uint64_t>& shape, std::size_t size,
                                                   const ByteReader& bytes) {
        if (size == 0) bytes.fail(Cause::malformed, "HDF5: elements have size 0");
        std::size_t count = 1;
        for (const std::uint64_t n : shape) {
            if (n == 0) return 0;
            count *= bytes.checked_count(n, size, "elements");
            static_cast<void>(bytes.checked_count(count, size, "elements"));
        }
        return count;
    }

    // Many attributes may refer to the same text, so each reading counts.
    void count_text(std::size_t size, const ByteReader& bytes) {
        text_size_ += size;
        if (text_size_ > max_text) bytes.fail(Cause::too_large, "HDF5: the text of the attributes is too long");
    }
    std::string kept(std::string_view text, const ByteReader& bytes) {
        count_text(text.size() + sizeof(std::string), bytes);
        return std::string(text.substr(0, text.find('\0')));
    }
    std::string fixed_text(ByteReader& bytes, std::size_t size) {
        const auto raw = bytes.take(size, "a text");
        return kept({reinterpret_cast<const char*>(raw.data()), raw.size()}, bytes);
    }
    std::string heap_text(ByteReader& bytes) {
        const auto length = bytes.read<std::uint32_t>("a text");
        const auto address = bytes.read<std::uint64_t>("a text");
        const auto index = bytes.read<std::uint32_t>("a text");
        if (length == 0) return {};
        ByteReader heap = marked(address, "GCOL");
        skip(heap, 12); // version and size; objects end where their index is 0
        while (true) {
            count_text(16, heap);
            const auto number = heap.read<std::uint16_t>("a heap");
            skip(heap, 6);
            const auto size = heap.read<std::uint64_t>("a heap");
            if (number == 0) break;
            const auto raw = heap.take(static_cast<std::size_t>(size), "a heap");
            if (number == index)
                return kept({reinterpret_cast<const char*>(raw.data()), std::min<std::size_t>(raw.size(), length)},
                            bytes);
            skip(heap, (8 - size % 8) % 8);
        }
        bytes.fail(Cause::malformed, "HDF5: a text is missing from its heap");
    }

    void read_array() {
        if (!type_ || !shape_)
            throw Error(Cause::malformed, "HDF5: an array has no type or no shape", {.file = source_.name});
        if (type_->kind != Kind::number) refuse("arrays of other types than float and double");
        ByteReader bytes(source_, at(layout_->address == undefined ? source_.bytes.size() : layout_->address).offset(),
                         type_->order);
        const std::size_t count = element_count(*shape_, type_->size, bytes);
        if (count * type_->size > layout_->size)
            bytes.fail(Cause::count_mismatch, fmt::format("HDF5: {} numbers in {} bytes", count, layout_->size));
        FloatArray& array = object_.array.emplace();
        array.shape = *shape_;
        array.values.resize(count);
        for (float& value : array.values) value = static_cast<float>(read_number(bytes, type_->scalar));
    }

    const Source& source_;
    Hdf5Object object_;
    std::vector<std::pair<std::size_t, std::size_t>> blocks_; // of messages: begin and size
    bool new_header_ = false, numbered_ = false;
    std::size_t tree_nodes_ = 0, text_size_ = 0;
    std::optional<std::vector<std::uint64_t>> shape_;
    std::optional<Datatype> type_;
    std::optional<Storage> layout_;
};

} // namespace

bool is_hdf5(std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(signature);
}

Hdf5File::Hdf5File(const Source& source) : source_(source) {
    if (!is_hdf5(source.bytes)) throw Error(Cause::unknown_format, "not an HDF5 file", {.file = source.name});
    ByteReader bytes(source, signature.size());
    const unsigned version = bytes.read<std::uint8_t>("the superblock");
    if (version > 3) bytes.fail(Cause::unsupported, fmt::format("HDF5: unsupported superblock version {}", version));
    if (version < 2) static_cast<void>(bytes.take(4, "the superblock"));
    const unsigned address_size = bytes.read<std::uint8_t>("the superblock");
    const unsigned length_size = bytes.read<std::uint8_t>("the superblock");
    if (address_size != 8 || length_size != 8) bytes.fail(Cause::unsupported, "HDF5: addresses do not have 8 bytes");
    static_cast<void>(bytes.take(version < 2 ? (version == 0 ? 9 : 13) : 1, "the superblock"));
    if (bytes.read<std::uint64_t>("the superblock") != 0)
        bytes.fail(Cause::unsupported, "HDF5: a file embedded in another file is not supported");
    static_cast<void>(bytes.take(8, "the superblock"));
    const auto end = bytes.read<std::uint64_t>("the superblock");
    if (end > source.bytes.size()) bytes.fail(Cause::truncated, fmt::format("the superblock states {} bytes", end));
    if (version < 2) static_cast<void>(bytes.take(16, "the superblock")); // driver block, name of the root
    root_ = bytes.read<std::uint64_t>("the superblock");
}

Hdf5Object Hdf5File::object(std::uint64_t address) const { return ObjectReader(source_).read(address); }

} // namespace fathom
