// The border checks that meshes of lines, triangles and tetrahedra share.
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <span>
#include <string>

namespace fathom {

// Throws Error{non_finite} naming the first vertex that is NaN or infinite, Error{too_large} past 2^32 - 2 vertices.
void check_vertices(std::span<const Vec3> vertices, const std::string& file);

// Throws Error{index_out_of_range} naming the first element with a corner past `vertex_count`.
template <std::size_t N>
void check_elements(std::span<const std::array<Index, N>> elements, std::size_t vertex_count, const char* element,
                    const std::string& file);

extern template void check_elements<2>(std::span<const std::array<Index, 2>>, std::size_t, const char*,
                                       const std::string&);
extern template void check_elements<3>(std::span<const std::array<Index, 3>>, std::size_t, const char*,
                                       const std::string&);
extern template void check_elements<4>(std::span<const std::array<Index, 4>>, std::size_t, const char*,
                                       const std::string&);

} // namespace fathom
