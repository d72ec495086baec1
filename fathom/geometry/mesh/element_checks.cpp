// The border checks that triangle and tetrahedral meshes share.
#include <fathom/base/error.h>
#include <fathom/geometry/mesh/element_checks.h>

#include <fmt/format.h>

namespace fathom {

namespace {

Place place_of(const std::string& file, const char* element, std::size_t index) {
    return {.file = file, .element = element, .index = static_cast<std::int64_t>(index)};
}

} // namespace

void check_vertices(std::span<const Vec3> vertices, const std::string& file) {
    if (vertices.size() >= no_index)
        throw Error(Cause::too_large, "more vertices than 32-bit indices can name", {.file = file});
    for (std::size_t i = 0; i < vertices.size(); ++i)
        if (!is_finite(vertices[i]))
            throw Error(Cause::non_finite, "not a finite position", place_of(file, "vertex", i));
}

template <std::size_t N>
void check_elements(std::span<const std::array<Index, N>> elements, std::size_t vertex_count, const char* element,
                    const std::string& file) {
    if (elements.size() >= no_index)
        throw Error(Cause::too_large, fmt::format("more {}s than 32-bit indices can name", element), {.file = file});
    for (std::size_t i = 0; i < elements.size(); ++i)
        for (const Index v : elements[i])
            if (v >= vertex_count)
                throw Error(Cause::index_out_of_range, fmt::format("names vertex {} of {}", v, vertex_count),
                            place_of(file, element, i));
}

template void check_elements<2>(std::span<const std::array<Index, 2>>, std::size_t, const char*, const std::string&);
template void check_elements<3>(std::span<const std::array<Index, 3>>, std::size_t, const char*, const std::string&);
template void check_elements<4>(std::span<const std::array<Index, 4>>, std::size_t, const char*, const std::string&);

} // namespace fathom
