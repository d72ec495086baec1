// Writer for .vtu files: appended raw data, compressed with zlib, 64-bit headers, little-endian.
// Blocks are compressed in parallel; the bytes do not depend on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

inline constexpr std::uint8_t vtk_vertex = 1, vtk_triangle = 5, vtk_tetra = 10; // vtkCellType.h

class VtuFile {
public:
    enum class Part { points, cells, point_data, cell_data };

    // `attributes` are those of the tag, e.g. type="Float32" Name="depth"; `bytes` are the values as stored in memory.
    void add(Part part, std::string_view attributes, std::string_view bytes);
    template <class T>
    void add(Part part, std::string_view attributes, std::span<const T> values) {
        add(part, attributes, std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
    }
    // Adds cells of one type; `connectivity` lists their corners one after another.
    void add_cells(std::span<const std::int32_t> connectivity, std::size_t corners, std::uint8_t type);

    [[nodiscard]] std::string text(std::size_t points, std::size_t cells) const;

private:
    std::array<std::string, 4> tags_;
    std::string appended_;
};

} // namespace fathom
