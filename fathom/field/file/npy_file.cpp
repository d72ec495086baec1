// NumPy files: header, points, tables and grids.
#include <fathom/field/file/npy_file.h>

#include <fathom/base/encode/text.h>
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/field/file/sample_lattice.h>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace fathom {

// ---- Header of a NumPy file: a magic word, a version, and a Python dictionary as text.

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t max_dimensions = 8;

// Parser of the dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeadParser {
public:
    HeadParser(std::string_view text, std::size_t start, const Source& source)
        : text_(text), start_(start), source_(source) {}

    NpyHead parse() {
        expect('{');
        while (!accept('}')) {
            const std::string_view key = quoted();
            expect(':');
            if (key == "descr")
                type(quoted());
            else if (key == "fortran_order")
                head_.fortran_order = truth();
            else if (key == "shape")
                shape();
            else
                fail(Cause::malformed, fmt::format("unknown key '{}' in the header", printable(key)));
            if (!accept(',') && peek() != '}') fail(Cause::malformed, "the header is not a dictionary");
        }
        if (!typed_ || !shaped_) fail(Cause::malformed, "the header lacks the type or the shape");
        return std::move(head_);
    }

private:
    [[noreturn]] void fail(Cause cause, std::string reason) const {
        throw Error(cause, std::move(reason),
                    {.file = source_.name, .offset = static_cast<std::int64_t>(start_ + at_)});
    }
    char peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool accept(char c) {
        if (peek() != c || at_ == text_.size()) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) fail(Cause::malformed, fmt::format("the header lacks a '{}'", c));
    }

    std::string_view quoted() {
        const char quote = peek();
        if (quote == '[') fail(Cause::unsupported, "arrays of structures are not supported");
        if (quote != '\'' && quote != '"') fail(Cause::malformed, "the header lacks a quoted word");
        const std::size_t begin = ++at_;
        at_ = std::min(text_.find(quote, begin), text_.size());
        if (at_ == text_.size()) fail(Cause::malformed, "a quoted word in the header does not end");
        return text_.substr(begin, at_++ - begin);
    }

    bool truth() {
        peek();
        for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return value;
            }
        fail(Cause::malformed, "fortran_order is neither True nor False");
    }

    void type(std::string_view name) {
        struct Named {
            std::string_view name;
            Scalar type;
        };
        constexpr std::array<Named, 10> names = {{{"f4", Scalar::float32},
                                                  {"f8", Scalar::float64},
                                                  {"i1", Scalar::int8},
                                                  {"u1", Scalar::uint8},
                                                  {"i2", Scalar::int16},
                                                  {"u2", Scalar::uint16},
                                                  {"i4", Scalar::int32},
                                                  {"u4", Scalar::uint32},
                                                  {"i8", Scalar::int64},
                                                  {"u8", Scalar::uint64}}};
        for (const Named& known : names)
            if (name.size() == 3 && name.substr(1) == known.name &&
                std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
                head_.type = known.type;
                head_.order = name[0] == '>' ? std::endian::big : std::endian::little;
                typed_ = true;
                return;
            }
        fail(Cause::unsupported, fmt::format("numbers of type '{}' are not supported", printable(name)));
    }

    void shape() {
        expect('(');
        while (!accept(')')) {
            if (head_.shape.size() == max_dimensions)
                fail(Cause::unsupported, "more than 8 dimensions are not supported");
            peek();
            std::uint64_t count = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), count);
            if (error != std::errc()) fail(Cause::malformed, "the shape contains a value that is not a whole number");
            at_ = static_cast<std::size_t>(end - text_.data());
            head_.shape.push_back(count);
            if (!accept(',') && peek() != ')') fail(Cause::malformed, "the shape is not a list of numbers");
        }
        shaped_ = true;
    }

    std::string_view text_;
    std::size_t start_; // offset of the text in the file
    const Source& source_;
    std::size_t at_ = 0;
    NpyHead head_;
    bool typed_ = false, shaped_ = false;
};

// Computes the product of the shape, and accepts it only if the numbers fill the rest of the file.
void check_size(NpyHead& head, const Source& source) {
    const std::size_t available = (source.bytes.size() - head.begin) / size_of(head.type);
    const Place place{.file = source.name, .element = "shape"};
    for (const std::uint64_t n : head.shape) {
        if (n != 0 && head.count > std::numeric_limits<std::size_t>::max() / 8 / n)
            throw Error(Cause::count_mismatch, "requires more numbers than memory can hold", place);
        head.count *= static_cast<std::size_t>(n);
    }
    if (head.count > available)
        throw Error(Cause::truncated, fmt::format("requires {} numbers, but {} follow", head.count, available), place);
    if (head.begin + head.count * size_of(head.type) != source.bytes.size())
        throw Error(Cause::count_mismatch, fmt::format("requires {} numbers, but more bytes follow", head.count),
                    place);
}

} // namespace

bool is_npy(std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(npy_magic);
}

NpyHead read_npy_head(const Source& source) {
    if (!is_npy(source.bytes)) throw Error(Cause::unknown_format, "is not a NumPy file", {.file = source.name});
    ByteReader bytes(source, npy_magic.size());
    const auto major = bytes.read<std::uint8_t>("the version");
    static_cast<void>(bytes.read<std::uint8_t>("the version"));
    if (major < 1 || major > 3)
        throw Error(Cause::unsupported, fmt::format("version {} of the format is not supported", major),
                    {.file = source.name});
    const std::size_t size = major == 1 ? bytes.read<std::uint16_t>("the size of the header")
                                        : bytes.read<std::uint32_t>("the size of the header");
    const std::size_t start = bytes.offset();
    const auto raw = bytes.take(size, "the header");
    NpyHead head = HeadParser({reinterpret_cast<const char*>(raw.data()), raw.size()}, start, source).parse();
    head.begin = bytes.offset();
    check_size(head, source);
    return head;
}

std::string written_npy_head(bool doubles, bool fortran_order, const std::vector<std::uint64_t>& shape) {
    std::string text =
        fmt::format("{{'descr': '<f{}', 'fortran_order': {}, 'shape': ({}{}), }}", doubles ? 8 : 4,
                    fortran_order ? "True" : "False", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    // Aligned so that the numbers can be mapped.
    const std::size_t fixed = npy_magic.size() + 4, alignment = 64;
    text.append(alignment - (fixed + text.size() + 1) % alignment, ' ').append("\n");
    return fmt::format("{}{}{}{}{}{}", npy_magic, '\1', '\0', static_cast<char>(text.size() & 255),
                       static_cast<char>(text.size() >> 8), text);
}

namespace {

std::size_t columns_of(const NpyHead& head, const Source& source) {
    if (head.shape.size() != 1 && head.shape.size() != 2)
        throw Error(Cause::unsupported, fmt::format("an array of {} dimensions is not a table", head.shape.size()),
                    {.file = source.name, .element = "shape"});
    return head.shape.size() == 1 ? 1 : static_cast<std::size_t>(head.shape[1]);
}

} // namespace

std::vector<Vec3> read_npy_points(const std::filesystem::path& path) {
    const MappedFile file(path);
    const Source source{file.bytes(), path.string()};
    const NpyHead head = read_npy_head(source);
    if (columns_of(head, source) != 3)
        throw Error(Cause::unsupported, "expected an array of points of shape (N, 3)",
                    {.file = source.name, .element = "shape"});
    std::vector<Vec3> points(head.count / 3);
    visit_npy_table(source, head, [&](std::size_t row, std::size_t column, double value) {
        points[row][static_cast<Eigen::Index>(column)] = value;
    });
    return points;
}

NpyTable read_npy_table(const std::filesystem::path& path) {
    const MappedFile file(path);
    const Source source{file.bytes(), path.string()};
    const NpyHead head = read_npy_head(source);
    NpyTable table{std::max<std::size_t>(columns_of(head, source), 1), std::vector<double>(head.count)};
    visit_npy_table(source, head, [&](std::size_t row, std::size_t column, double value) {
        table.values[row * table.columns + column] = value;
    });
    return table;
}

void write_npy_table(const std::filesystem::path& path, std::span<const double> values, std::size_t columns) {
    if (columns == 0 || values.size() % columns != 0)
        throw Error(Cause::invalid_argument,
                    fmt::format("{} numbers are not a whole number of rows of {}", values.size(), columns),
                    {.file = path.string()});
    FileWriter file(path);
    file.write(written_npy_head(true, false, {values.size() / columns, columns}));
    file.write(std::as_bytes(values));
    file.finish();
}

// ---- Grids as NumPy arrays of three dimensions, indexed [z][y][x] or, on request, [x][y][z].

GridFile read_npy_grid(const Source& source, const GridReadOptions& options) {
    const NpyHead head = read_npy_head(source);
    if (head.shape.size() != 3)
        throw Error(Cause::unsupported, fmt::format("an array of {} dimensions is not a grid", head.shape.size()),
                    {.file = source.name, .element = "shape"});
    StatedLattice lattice{{head.shape[0], head.shape[1], head.shape[2]}, options.origin, options.cell};
    if (!options.x_first) std::swap(lattice.counts[0], lattice.counts[2]);
    LatticeBuilder builder(lattice, source, options);
    ByteReader bytes(source, head.begin, head.order);
    // x runs fastest in the file.
    if (head.fortran_order == options.x_first) {
        for (std::size_t i = 0; i < builder.count(); ++i) builder.set(i, read_number(bytes, head.type));
    } else {
        const auto [nx, ny, nz] = lattice.counts;
        for (std::size_t x = 0; x < nx; ++x)
            for (std::size_t y = 0; y < ny; ++y)
                for (std::size_t z = 0; z < nz; ++z) builder.set((z * ny + y) * nx + x, read_number(bytes, head.type));
    }
    return std::move(builder).finish(
        fmt::format("npy {}", head.type == Scalar::float32   ? "float32"
                              : head.type == Scalar::float64 ? "float64"
                                                             : "whole"),
        {fmt::format(
            "a .npy file does not state a position: the first sample was placed at ({}, {}, {}), with cells of {} m",
            options.origin.x(), options.origin.y(), options.origin.z(), options.cell)});
}

// The samples are written x fastest: [z][y][x] in C order, or [x][y][z] in Fortran order.
void write_npy_grid(FileWriter& file, const GridData& data, const GridWriteOptions& options) {
    const auto n = sample_counts(data.layout);
    file.write(options.x_first ? written_npy_head(options.doubles, true, {n[0], n[1], n[2]})
                               : written_npy_head(options.doubles, false, {n[2], n[1], n[0]}));
    write_samples(file, data, options.doubles);
}

} // namespace fathom
