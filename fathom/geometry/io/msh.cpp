// Reader and writer of gmsh's .msh. The reader supports versions 1, 2 (2.0 to 2.2), 4.0 and 4.1, text and binary of
// both byte orders. Format: gmsh reference manual, "MSH file format" and its legacy versions. Sections other than
// $Nodes and $Elements are skipped. Node tags may be sparse and in any order; repeated node tags are an error, repeated
// element tags are noted.
#include <fathom/base/encode/text.h>
#include <fathom/geometry/io/cell_builder.h>
#include <fathom/geometry/io/formats.h>
#include <fathom/geometry/io/msh_fields.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fathom {

// Index of tags as sorted runs of consecutive tags.

void TagRuns::add(std::int64_t tag) {
    const bool follows = !runs_.empty() && tag > runs_.back().first && runs_.back().past(tag) == runs_.back().count;
    if (follows)
        ++runs_.back().count;
    else
        runs_.push_back({tag, size_, 1});
    ++size_;
}

void TagRuns::sort() {
    std::sort(runs_.begin(), runs_.end(),
              [](const Run& a, const Run& b) { return a.first != b.first ? a.first < b.first : a.index < b.index; });
}

template <class Use>
void TagRuns::overlaps(Use&& use) const {
    if (runs_.empty()) return;
    std::int64_t reach = runs_.front().last();
    for (std::size_t k = 1; k < runs_.size(); ++k) {
        const Run& run = runs_[k];
        if (run.first <= reach) use(run.first, run.past(std::min(reach, run.last())) + 1);
        reach = std::max(reach, run.last());
    }
}

std::size_t TagRuns::repeated() const {
    std::size_t count = 0;
    overlaps([&](std::int64_t, std::uint64_t more) { count += more; });
    return count;
}

std::optional<std::int64_t> TagRuns::first_repeated() const {
    std::optional<std::int64_t> found;
    overlaps([&](std::int64_t tag, std::uint64_t) {
        if (!found) found = tag;
    });
    return found;
}

std::optional<std::size_t> TagRuns::find(std::int64_t tag) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), tag,
                                        [](std::int64_t value, const Run& run) { return value < run.first; });
    if (after == runs_.begin()) return std::nullopt;
    const Run& run = *(after - 1);
    const std::uint64_t past = run.past(tag);
    return past < run.count ? std::optional<std::size_t>(run.index + past) : std::nullopt;
}

namespace {

enum class Version { one, two, four_zero, four_one };

struct ElementType {
    CellKind kind = CellKind::other;
    std::size_t nodes = 0; // 0: unknown type
};

// Indexed by gmsh's element type. In all types the corners come first.
ElementType element_type(std::int64_t number) {
    using enum CellKind;
    static constexpr std::array<ElementType, 32> types = {{{},
                                                           {line, 2},
                                                           {triangle, 3},
                                                           {quad, 4},
                                                           {tetrahedron, 4},
                                                           {hexahedron, 8},
                                                           {prism, 6},
                                                           {pyramid, 5},
                                                           {line, 3},
                                                           {triangle, 6},
                                                           {quad, 9},
                                                           {tetrahedron, 10},
                                                           {hexahedron, 27},
                                                           {prism, 18},
                                                           {pyramid, 14},
                                                           {point, 1},
                                                           {quad, 8},
                                                           {hexahedron, 20},
                                                           {prism, 15},
                                                           {pyramid, 13},
                                                           {triangle, 9},
                                                           {triangle, 10},
                                                           {triangle, 12},
                                                           {triangle, 15},
                                                           {triangle, 15},
                                                           {triangle, 21},
                                                           {line, 4},
                                                           {line, 5},
                                                           {line, 6},
                                                           {tetrahedron, 20},
                                                           {tetrahedron, 35},
                                                           {tetrahedron, 56}}};
    if (number == 92) return {hexahedron, 64};
    if (number == 93) return {hexahedron, 125};
    return number > 0 && number < std::ssize(types) ? types[static_cast<std::size_t>(number)] : ElementType{};
}

class MshReader {
public:
    explicit MshReader(const Source& source) : source_(source), scanner_(source) {}

    MeshFile read() {
        while (!scanner_.at_end()) section(scanner_.word());
        if (!seen_nodes_) fail(Cause::truncated, "contains no section of nodes");
        if (!cells_) fail(Cause::truncated, "contains no section of elements");
        elements_.sort();
        if (const std::size_t repeated = elements_.repeated(); repeated > 0)
            cells_->note(fmt::format("{} elements repeat the tag of another", repeated));
        return std::move(*cells_).finish(fmt::format("msh {} {}", version_text_, binary_ ? "binary" : "ascii"));
    }

private:
    // Line numbers are meaningless between binary data.
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const {
        if (!binary_) scanner_.fail(cause, reason, element, index);
        ByteReader(source_, scanner_.offset()).fail(cause, reason, element, index);
    }

    void section(std::string_view name) {
        if (!name.starts_with('$')) fail(Cause::malformed, "expected the start of a section, '$...'");
        if (name == "$MeshFormat") return header();
        if (name == "$NOD") {
            version_text_.assign(1, '1');
            return nodes(name);
        }
        if (version_text_.empty()) fail(Cause::unknown_format, "does not start with $MeshFormat or $NOD");
        if (name == "$Nodes") return nodes(name);
        if (name == "$Elements" || name == "$ELM") return elements(name);
        if (name == "$ParametricNodes") fail(Cause::unsupported, "$ParametricNodes is not supported, only $Nodes");
        skip(name);
    }

    void header() {
        if (!version_text_.empty()) fail(Cause::malformed, "duplicate $MeshFormat");
        version_text_ = printable(scanner_.word().substr(0, 8));
        if (version_text_ == "4.1")
            version_ = Version::four_one;
        else if (version_text_ == "4" || version_text_ == "4.0")
            version_ = Version::four_zero;
        else if (version_text_ == "2" || version_text_.starts_with("2."))
            version_ = Version::two;
        else
            fail(Cause::unsupported, "unsupported version of gmsh's format; supported are 1, 2, 4.0 and 4.1");
        if (version_text_.size() == 1) version_text_.append(".0");
        binary_ = scanner_.integer("file type") == 1;
        const std::int64_t data_size = scanner_.integer("data size");
        if (binary_ && data_size != 8) fail(Cause::unsupported, "the size of binary numbers is not 8 bytes");
        if (binary_) byte_order();
        close("$MeshFormat");
    }

    void byte_order() {
        MshBinary fields = binary_fields();
        const std::int64_t one = fields.integer("byte order mark");
        if (one != 1 && one != 0x01000000) fields.fail(Cause::malformed, "the byte order mark is not 1");
        if (one != 1) order_ = std::endian::big;
        scanner_.skip_bytes(fields.offset() - scanner_.offset());
    }

    [[nodiscard]] MshBinary binary_fields() {
        scanner_.next_line();
        return {source_, scanner_.offset(), order_, version_ == Version::four_one};
    }

    // Calls parse(fields) with text or binary fields, as in the file.
    template <class Parse>
    void with_fields(Parse&& parse) {
        if (binary_) {
            MshBinary fields = binary_fields();
            parse(fields);
            scanner_.skip_bytes(fields.offset() - scanner_.offset());
        } else {
            MshText fields(scanner_);
            parse(fields);
        }
    }

    [[nodiscard]] bool is_four() const { return version_ == Version::four_zero || version_ == Version::four_one; }

    static std::string closing(std::string_view name) {
        return fmt::format("{}{}", name == "$NOD" || name == "$ELM" ? "$END" : "$End", name.substr(1));
    }

    void close(std::string_view name) {
        const std::string_view word = scanner_.word();
        if (word.empty()) fail(Cause::truncated, fmt::format("{} is truncated", name));
        if (word != closing(name))
            fail(Cause::count_mismatch, fmt::format("{} contains more data than it states, or is not closed", name));
    }

    void skip(std::string_view name) {
        const std::string end = closing(name);
        if (binary_) {
            const std::size_t found = source_.text().find(end, scanner_.offset());
            if (found == std::string_view::npos) fail(Cause::truncated, "a section is not closed");
            return scanner_.skip_bytes(found + end.size() - scanner_.offset());
        }
        for (std::string_view word = scanner_.word(); word != end; word = scanner_.word())
            if (word.empty()) fail(Cause::truncated, "a section is not closed");
    }

    void nodes(std::string_view name) {
        if (seen_nodes_) fail(Cause::malformed, "duplicate section of nodes");
        seen_nodes_ = true;
        if (is_four()) {
            with_fields([&](auto& fields) { node_blocks(fields); });
        } else {
            const std::uint64_t count = scanner_.count("number of nodes");
            with_fields([&](auto& fields) { node_rows(fields, count); });
        }
        close(name);
        tags_.sort();
        if (const auto tag = tags_.first_repeated())
            fail(Cause::malformed, fmt::format("two nodes have the tag {}", *tag), "node",
                 static_cast<std::int64_t>(*tags_.find(*tag)));
    }

    template <class Fields>
    void position(Fields& fields) {
        const double x = fields.real("x coordinate"), y = fields.real("y coordinate"), z = fields.real("z coordinate");
        const Vec3 p(x, y, z);
        if (!is_finite(p))
            fields.fail(Cause::non_finite, "position is not finite", "vertex",
                        static_cast<std::int64_t>(vertices_.size()));
        vertices_.push_back(p);
    }

    template <class Fields>
    void node_rows(Fields& fields, std::uint64_t stated) {
        const std::size_t count = fields.checked_count(stated, Fields::min_node_bytes, "nodes");
        vertices_.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            tags_.add(fields.tag("node tag"));
            position(fields);
        }
    }

    template <class Fields>
    void node_blocks(Fields& fields) {
        const std::uint64_t blocks = fields.size("number of node blocks");
        const std::size_t count = fields.checked_count(fields.size("number of nodes"), Fields::min_node_bytes, "nodes");
        if (version_ == Version::four_one) {
            (void)fields.size("smallest node tag"); // gmsh allows any bounds here, so they are ignored
            (void)fields.size("largest node tag");
        }
        vertices_.reserve(count);
        for (std::uint64_t b = 0; b < blocks; ++b) node_block(fields, count - vertices_.size());
        if (vertices_.size() != count)
            fields.fail(Cause::count_mismatch,
                        fmt::format("states {} nodes, but its blocks contain {}", count, vertices_.size()));
    }

    template <class Fields>
    void node_block(Fields& fields, std::size_t left) {
        const std::int64_t first = fields.integer("entity"), second = fields.integer("entity");
        const std::int64_t dimension = version_ == Version::four_one ? first : second;
        const bool parametric = fields.integer("parametric flag") != 0;
        const std::uint64_t count = fields.size("number of nodes of a block");
        if (count > left) fields.fail(Cause::count_mismatch, "the blocks contain more nodes than the section states");
        if (dimension < 0 || dimension > 3) fields.fail(Cause::malformed, "the dimension of an entity is not 0 to 3");
        if (version_ == Version::four_one)
            for (std::uint64_t i = 0; i < count; ++i) tags_.add(fields.tag("node tag"));
        for (std::uint64_t i = 0; i < count; ++i) {
            if (version_ == Version::four_zero) tags_.add(fields.tag("node tag"));
            position(fields);
            for (std::int64_t k = 0; parametric && k < dimension; ++k) (void)fields.real("parametric coordinate");
        }
    }

    void elements(std::string_view name) {
        if (!seen_nodes_) fail(Cause::unsupported, "the elements precede the nodes");
        if (cells_) fail(Cause::malformed, "duplicate section of elements");
        cells_.emplace(std::move(vertices_), source_);
        if (is_four()) {
            with_fields([&](auto& fields) { element_blocks(fields); });
        } else {
            stated_elements_ = scanner_.count("number of elements");
            with_fields([&](auto& fields) { element_rows(fields); });
        }
        close(name);
    }

    void element_rows(MshText& fields) {
        const std::size_t count = fields.checked_count(stated_elements_, MshText::min_element_bytes, "elements");
        for (std::size_t i = 0; i < count; ++i) {
            elements_.add(fields.tag("element tag"));
            const ElementType type = element_type(fields.integer_here("element type"));
            const bool one = version_ == Version::one;
            const std::int64_t tags = one ? 2 : fields.integer_here("number of tags");
            for (std::int64_t k = 0; k < tags; ++k) (void)fields.integer_here("tag of an element");
            if (one && fields.integer_here("number of nodes") != static_cast<std::int64_t>(type.nodes) &&
                type.nodes != 0)
                fields.fail(Cause::malformed, "the number of nodes does not match the type", "element",
                            static_cast<std::int64_t>(i));
            element(fields, type);
        }
    }

    // In binary files consecutive elements of one type share a header.
    void element_rows(MshBinary& fields) {
        std::uint64_t left = fields.checked_count(stated_elements_, MshBinary::min_element_bytes, "elements");
        while (left > 0) {
            const ElementType type = element_type(fields.integer("element type"));
            const std::int64_t count = fields.integer("number of elements of a block");
            const std::int64_t tags = fields.integer("number of tags");
            if (count <= 0 || static_cast<std::uint64_t>(count) > left)
                fields.fail(Cause::count_mismatch, "the blocks contain more elements than the section states");
            left -= static_cast<std::uint64_t>(count);
            for (std::int64_t i = 0; i < count; ++i) {
                elements_.add(fields.tag("element tag"));
                for (std::int64_t k = 0; k < tags; ++k) (void)fields.integer("tag of an element");
                element(fields, type);
            }
        }
    }

    template <class Fields>
    void element_blocks(Fields& fields) {
        const std::uint64_t blocks = fields.size("number of element blocks");
        const std::size_t count =
            fields.checked_count(fields.size("number of elements"), Fields::min_element_bytes, "elements");
        if (version_ == Version::four_one) {
            (void)fields.size("smallest element tag");
            (void)fields.size("largest element tag");
        }
        for (std::uint64_t b = 0; b < blocks; ++b) element_block(fields, count - elements_.size());
        if (elements_.size() != count)
            fields.fail(Cause::count_mismatch,
                        fmt::format("states {} elements, but its blocks contain {}", count, elements_.size()));
    }

    template <class Fields>
    void element_block(Fields& fields, std::size_t left) {
        (void)fields.integer("entity");
        (void)fields.integer("entity");
        const ElementType type = element_type(fields.integer("element type"));
        const std::uint64_t count = fields.size("number of elements of a block");
        if (count > left)
            fields.fail(Cause::count_mismatch, "the blocks contain more elements than the section states");
        for (std::uint64_t i = 0; i < count; ++i) {
            elements_.add(fields.tag("element tag"));
            element(fields, type);
        }
    }

    template <class Fields>
    void element(Fields& fields, const ElementType& type) {
        if (type.nodes == 0) {
            fields.skip_record();
            return cells_->pass_over();
        }
        corners_.clear();
        for (std::size_t k = 0; k < type.nodes; ++k) {
            const std::int64_t tag = fields.tag_here("node of an element");
            const auto found = tags_.find(tag);
            if (!found)
                fields.fail(Cause::index_out_of_range, fmt::format("refers to node {}, which does not exist", tag),
                            "element", static_cast<std::int64_t>(elements_.size() - 1));
            corners_.push_back(static_cast<Index>(*found));
        }
        cells_->add(type.kind, corners_);
    }

    const Source& source_;
    TextScanner scanner_;
    Version version_ = Version::one;
    std::string version_text_;
    bool binary_ = false;
    std::endian order_ = std::endian::little;
    bool seen_nodes_ = false;
    std::vector<Vec3> vertices_; // moved to the cell builder later
    TagRuns tags_;
    TagRuns elements_;
    std::uint64_t stated_elements_ = 0;
    std::optional<CellBuilder> cells_;
    std::vector<Index> corners_;
};

} // namespace

MeshFile read_msh(const Source& source) { return MshReader(source).read(); }

// ---- Writer of gmsh 4.1 binary: one discrete volume, tags from 1.

namespace {

constexpr std::int32_t volume_dimension = 3, volume_tag = 1, not_parametric = 0, four_node_tetrahedron = 4;

// Number of blocks (one, or zero if there are no elements), number of elements, smallest and largest tag.
void counts(OutputBuffer& out, std::size_t count) {
    out.bytes<std::uint64_t>(count > 0 ? 1 : 0);
    out.bytes<std::uint64_t>(count);
    out.bytes<std::uint64_t>(count > 0 ? 1 : 0);
    out.bytes<std::uint64_t>(count);
}

void block(OutputBuffer& out, std::int32_t kind, std::size_t count) {
    out.bytes(volume_dimension);
    out.bytes(volume_tag);
    out.bytes(kind);
    out.bytes<std::uint64_t>(count);
}

void entities(OutputBuffer& out, const Box& box) {
    out.text("$Entities\n");
    for (const std::uint64_t count : {0u, 0u, 0u, 1u}) out.bytes(count); // points, curves, surfaces, volumes
    out.bytes(volume_tag);
    for (int k = 0; k < 3; ++k) out.bytes(box.lower[k]);
    for (int k = 0; k < 3; ++k) out.bytes(box.upper[k]);
    out.bytes<std::uint64_t>(0); // physical groups
    out.bytes<std::uint64_t>(0); // bounding surfaces
    out.text("\n$EndEntities\n");
}

void nodes(OutputBuffer& out, const std::vector<Vec3>& vertices) {
    out.text("$Nodes\n");
    counts(out, vertices.size());
    if (!vertices.empty()) block(out, not_parametric, vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) out.bytes<std::uint64_t>(i + 1);
    for (const Vec3& v : vertices)
        for (int k = 0; k < 3; ++k) out.bytes(v[k]);
    out.text("\n$EndNodes\n");
}

void elements(OutputBuffer& out, const std::vector<Tetrahedron>& tetrahedra) {
    out.text("$Elements\n");
    counts(out, tetrahedra.size());
    if (!tetrahedra.empty()) block(out, four_node_tetrahedron, tetrahedra.size());
    for (std::size_t i = 0; i < tetrahedra.size(); ++i) {
        out.bytes<std::uint64_t>(i + 1);
        for (const Index v : tetrahedra[i]) out.bytes<std::uint64_t>(std::uint64_t{v} + 1);
    }
    out.text("\n$EndElements\n");
}

} // namespace

std::string written_msh(const TetMesh& mesh) {
    OutputBuffer out;
    out.reserve(512 + mesh.vertices.size() * 32 + mesh.tetrahedra.size() * 40);
    out.text("$MeshFormat\n4.1 1 8\n");
    out.bytes<std::int32_t>(1); // marks the byte order
    out.text("\n$EndMeshFormat\n");
    if (!mesh.vertices.empty()) entities(out, bounds(mesh.vertices));
    nodes(out, mesh.vertices);
    elements(out, mesh.tetrahedra);
    return std::move(out).take();
}

} // namespace fathom
