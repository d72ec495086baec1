// VTK image data (.vti) in XML: one piece with point data. The samples are the array marked as scalars, otherwise the
// first array with one component. Format: "VTK file formats" (Kitware), XML formats.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/field/file/sample_lattice.h>
#include <fathom/geometry/io/vtk_xml.h>

#include <fmt/format.h>

#include <optional>

namespace fathom {

namespace {

class VtiParser {
public:
    VtiParser(const Source& source, VtuStorage& storage) : source_(source), xml_(source, "ImageData", storage) {}

    struct Result {
        StatedLattice lattice;
        VtuArray samples;
    };

    Result parse() {
        xml_.walk([this](Event event) { element(event); });
        if (pieces_ != 1) fail(Cause::unsupported, fmt::format("expected one piece, got {}", pieces_));
        if (!samples_) fail(Cause::empty, "contains no point data with one component");
        return {lattice_, std::move(*samples_)};
    }

private:
    using Event = VtkXml::Event;

    [[noreturn]] void fail(Cause cause, std::string reason, std::string_view element = {}) const {
        throw Error(cause, std::move(reason), {.file = source_.name, .element = std::string(element)});
    }

    template <std::size_t N>
    [[nodiscard]] std::array<double, N> numbers(std::string_view key, std::string_view otherwise) const {
        const std::string text = xml_.value(key, otherwise);
        const Source words{std::as_bytes(std::span(text)), source_.name};
        TextScanner scanner(words);
        std::array<double, N> values;
        for (double& v : values) v = scanner.number(key);
        if (!scanner.at_end()) fail(Cause::malformed, fmt::format("has more than {} numbers", N), key);
        return values;
    }

    void element(Event event) {
        const std::string_view name = xml_.name();
        if (event == Event::close) {
            if (name == "PointData") inside_ = false;
        } else if (name == "ImageData") {
            image();
        } else if (name == "Piece") {
            piece();
        } else if (name == "PointData") {
            inside_ = event == Event::open;
            scalars_ = xml_.value("Scalars", "");
        } else if (name == "DataArray") {
            data_array(event);
        }
    }

    void image() {
        const auto origin = numbers<3>("Origin", "0 0 0"), spacing = numbers<3>("Spacing", "1 1 1");
        const auto direction = numbers<9>("Direction", "1 0 0 0 1 0 0 0 1");
        if (direction != std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1})
            fail(Cause::unsupported, "the axes are not along x, y and z", "Direction");
        lattice_.origin = {origin[0], origin[1], origin[2]};
        lattice_.cell = cubic_cell({spacing[0], spacing[1], spacing[2]}, {.file = source_.name, .element = "Spacing"});
    }

    // The extent counts cells from the origin of the whole image; a piece may begin elsewhere.
    void piece() {
        ++pieces_;
        const auto extent = numbers<6>("Extent", "");
        for (std::size_t k = 0; k < 3; ++k) {
            const double low = extent[2 * k], high = extent[2 * k + 1];
            if (!(std::abs(low) < 0x1p31 && high >= low && high < 0x1p31) || low != std::floor(low) ||
                high != std::floor(high))
                fail(Cause::malformed, "is not a range of whole numbers", "Extent");
            lattice_.counts[k] = static_cast<std::uint64_t>(high - low) + 1;
            lattice_.origin[static_cast<Eigen::Index>(k)] += low * lattice_.cell;
        }
    }

    void data_array(Event event) {
        const std::string name = xml_.value("Name", "");
        const bool wanted = inside_ && xml_.number("NumberOfComponents", "1") == 1 &&
                            (!samples_ || (name == scalars_ && samples_name_ != scalars_));
        if (!wanted) return xml_.skip(event);
        samples_ = xml_.array(event, "samples");
        samples_name_ = name;
    }

    const Source& source_;
    VtkXml xml_;
    StatedLattice lattice_;
    std::size_t pieces_ = 0;
    bool inside_ = false; // inside <PointData>
    std::string scalars_; // name of the array to read
    std::string samples_name_;
    std::optional<VtuArray> samples_;
};

} // namespace

GridFile read_vti(const Source& source, const GridReadOptions& options) {
    VtuStorage storage;
    const VtiParser::Result file = VtiParser(source, storage).parse();
    LatticeBuilder builder(file.lattice, source, options);
    const auto numbers = open_array(source, storage, file.samples, false);
    for (std::size_t i = 0; i < builder.count(); ++i) builder.set(i, numbers->number());
    if (!numbers->at_end())
        numbers->fail(Cause::count_mismatch, fmt::format("more than {} samples follow", builder.count()));
    const bool packed = !storage.compressor.empty() && file.samples.format != VtuArray::Format::ascii;
    constexpr std::array<std::string_view, 3> names = {"ascii", "binary", "appended"};
    return std::move(builder).finish(
        fmt::format("vti {}{}", names[static_cast<std::size_t>(file.samples.format)], packed ? " zlib" : ""));
}

void write_vti(FileWriter& file, const GridData& data, const GridWriteOptions& options) {
    const GridLayout& layout = data.layout;
    const std::string extent = fmt::format("0 {} 0 {} 0 {}", layout.cells(0), layout.cells(1), layout.cells(2));
    std::string head = fmt::format(R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{0}" Origin="{1} {2} {3}" Spacing="{4} {4} {4}">
    <Piece Extent="{0}">
      <PointData Scalars="distance">
        <DataArray type="{5}" Name="distance" format="appended" offset="0"/>
      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
   _)",
                                   extent, layout.origin.x(), layout.origin.y(), layout.origin.z(), layout.cell,
                                   options.doubles ? "Float64" : "Float32");
    append_little_endian<std::uint64_t>(head, sample_count(layout) * (options.doubles ? 8 : 4));
    file.write(head);
    write_samples(file, data, options.doubles);
    file.write("\n  </AppendedData>\n</VTKFile>\n");
}

} // namespace fathom
