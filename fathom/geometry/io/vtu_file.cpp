// Puts .vtu files together.
#include <fathom/geometry/io/vtu_file.h>

#include <fathom/base/parallel.h>
#include <fathom/base/encode/output_buffer.h>
#include <fathom/base/encode/zlib_bytes.h>

#include <fmt/format.h>

#include <vector>

namespace fathom {

namespace {

constexpr std::size_t block_size = 1u << 18;

// An array as it lies in the appended section: number and size of blocks, packed sizes, packed blocks.
std::string packed(std::string_view bytes) {
    const std::size_t blocks = (bytes.size() + block_size - 1) / block_size;
    std::vector<std::string> pieces(blocks);
    parallel_tasks(blocks, [&](std::size_t k) { pieces[k] = deflated(bytes.substr(k * block_size, block_size)); });
    OutputBuffer out;
    out.bytes<std::uint64_t>(blocks);
    out.bytes<std::uint64_t>(block_size);
    out.bytes<std::uint64_t>(bytes.size() % block_size);
    for (const std::string& piece : pieces) out.bytes<std::uint64_t>(piece.size());
    for (const std::string& piece : pieces) out.text(piece);
    return std::move(out).take();
}

std::string section(std::string_view name, const std::string& tags) {
    return tags.empty() ? std::string() : fmt::format("      <{0}>\n{1}      </{0}>\n", name, tags);
}

} // namespace

void VtuFile::add(Part part, std::string_view attributes, std::string_view bytes) {
    tags_[static_cast<std::size_t>(part)] +=
        fmt::format("        <DataArray {} format=\"appended\" offset=\"{}\"/>\n", attributes, appended_.size());
    appended_ += packed(bytes);
}

void VtuFile::add_cells(std::span<const std::int32_t> connectivity, std::size_t corners, std::uint8_t type) {
    const std::size_t count = connectivity.size() / corners;
    std::vector<std::int64_t> offsets(count);
    for (std::size_t k = 0; k < count; ++k) offsets[k] = static_cast<std::int64_t>((k + 1) * corners);
    add(Part::cells, R"(type="Int32" Name="connectivity")", connectivity);
    add(Part::cells, R"(type="Int64" Name="offsets")", std::span<const std::int64_t>(offsets));
    add(Part::cells, R"(type="UInt8" Name="types")", std::string(count, static_cast<char>(type)));
}

std::string VtuFile::text(std::size_t points, std::size_t cells) const {
    std::string file = fmt::format(R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
  <UnstructuredGrid>
    <Piece NumberOfPoints="{}" NumberOfCells="{}">
{}{}{}{}    </Piece>
  </UnstructuredGrid>
  <AppendedData encoding="raw">
   _)",
                                   points, cells, section("Points", tags_[0]), section("Cells", tags_[1]),
                                   section("PointData", tags_[2]), section("CellData", tags_[3]));
    file += appended_;
    file += "\n  </AppendedData>\n</VTKFile>\n";
    return file;
}

} // namespace fathom
