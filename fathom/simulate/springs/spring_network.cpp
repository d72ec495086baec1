// Networks from meshes: connections, and distribution of the material.
#include <fathom/simulate/springs/spring_network.h>

#include <fathom/base/error.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>
#include <fmt/format.h>

namespace fathom {

namespace {

SpringNetwork points_of(std::span<const Vec3> vertices) {
    SpringNetwork network;
    network.points.assign(vertices.begin(), vertices.end());
    network.masses.assign(vertices.size(), 0);
    network.fixed.assign(vertices.size(), 0);
    network.part.assign(vertices.size(), 0);
    return network;
}

// Points that no element uses are fixed; the others get at least a share of the mean mass.
void settle_masses(SpringNetwork& network, const std::vector<char>& used, double min_mass) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < network.size(); ++i) sum += network.masses[i], count += used[i];
    if (!(sum > 0)) throw Error(Cause::empty, "no element of the mesh has a size, so the mass is 0");
    for (std::size_t i = 0; i < network.size(); ++i) {
        if (used[i]) network.masses[i] = std::max(network.masses[i], min_mass * sum / count);
        network.fixed[i] = !used[i];
    }
}

// Area over the square of a length: flatter triangles have springs as if they had this ratio.
constexpr double flattest = 0.05;

// `size` is the area or volume round a spring over the right power of its length; `fallback` is used without length.
double within(double size, double low, double high, double fallback) {
    return std::isfinite(size) ? std::clamp(size, low, high) : fallback;
}

Spring spring_between(const SpringNetwork& network, Index a, Index b, SpringKind kind) {
    return {.points = {a, b}, .rest = (network.points[b] - network.points[a]).norm(), .kind = kind};
}

void stiffen(Spring& spring, double stiffness, double damping_time) {
    spring.stiffness = stiffness;
    spring.damping = stiffness * damping_time;
}

Index opposite_corner(const TriangleMesh& mesh, Index side) { return mesh.triangles[side / 3][(side + 2) % 3]; }

void add_surface_springs(SpringNetwork& network, const TriangleMesh& mesh, std::span<const double> area,
                         const SurfaceMaterial& material) {
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    std::vector<Spring> bending;
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        double around = 0;
        for (const Index side : table.sides[e]) around += area[side / 3];
        Spring spring = spring_between(network, table.edges[e][0], table.edges[e][1], SpringKind::edge);
        stiffen(spring, surface_stiffness(material.stretch, around, spring.rest), material.damping_time);
        network.springs.push_back(spring);
        if (table.sides[e].size() != 2 || material.bending == 0) continue;
        const auto [a, b] =
            std::minmax({opposite_corner(mesh, table.sides[e][0]), opposite_corner(mesh, table.sides[e][1])});
        if (a == b || std::binary_search(table.edges.begin(), table.edges.end(), Edge{a, b})) continue;
        Spring across = spring_between(network, a, b, SpringKind::bending);
        stiffen(across, surface_stiffness(material.bending, around, across.rest), material.damping_time);
        bending.push_back(across);
    }
    network.springs.insert(network.springs.end(), bending.begin(), bending.end());
}

// A flat triangle resists with the square of its length over its area: past `flattest` the modulus falls in proportion
// to the area.
double area_stiffness(const std::array<Vec3, 3>& corners, double area, double modulus) {
    const double longest = std::max({(corners[1] - corners[0]).squaredNorm(), (corners[2] - corners[1]).squaredNorm(),
                                     (corners[0] - corners[2]).squaredNorm()});
    return modulus * std::min(1.0, area / (flattest * longest));
}

struct EdgeVolume {
    Edge edge;
    double volume;
};

std::vector<EdgeVolume> edges_of(const TetMesh& mesh) {
    std::vector<EdgeVolume> edges;
    edges.reserve(6 * mesh.tetrahedra.size());
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j) {
                const auto [a, b] = std::minmax(mesh.tetrahedra[t][i], mesh.tetrahedra[t][j]);
                if (a != b) edges.push_back({{a, b}, std::abs(signed_volume(mesh.corners(t)))});
            }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const EdgeVolume& x, const EdgeVolume& y) { return x.edge < y.edge; });
    std::size_t kept = 0;
    for (const EdgeVolume& next : edges) {
        if (kept > 0 && edges[kept - 1].edge == next.edge)
            edges[kept - 1].volume += next.volume;
        else
            edges[kept++] = next;
    }
    edges.resize(kept);
    return edges;
}

void check_material(const SurfaceMaterial& m) {
    require_positive(m.density, "option density");
    require_not_negative(m.stretch, "option stretch");
    require_not_negative(m.bending, "option bending");
    require_not_negative(m.area, "option area");
    require_not_negative(m.damping_time, "option damping_time");
    require_positive(m.min_mass, "option min_mass");
}

void check_material(const SolidMaterial& m) {
    require_positive(m.density, "option density");
    require_not_negative(m.stretch, "option stretch");
    require_not_negative(m.volume, "option volume");
    require_not_negative(m.damping_time, "option damping_time");
    require_positive(m.min_mass, "option min_mass");
}

template <class Element>
void check_points(const Element& element, std::size_t count, const Place& place) {
    for (const Index p : element.points)
        if (p >= count)
            throw Error(Cause::index_out_of_range, fmt::format("point {} of {} does not exist", p, count), place);
    for (const double value : {element.rest, element.stiffness})
        if (!std::isfinite(value))
            throw Error(Cause::non_finite, "has a rest size or stiffness that is not finite", place);
    require(element.stiffness >= 0, element.stiffness, "a stiffness from 0", place);
}

void check_element(const Spring& s, std::size_t count, const Place& place) {
    check_points(s, count, place);
    if (!std::isfinite(s.damping)) throw Error(Cause::non_finite, "has a damping that is not finite", place);
    require(s.damping >= 0, s.damping, "a damping from 0", place);
    require(s.rest >= 0, s.rest, "a rest length from 0", place);
    require(s.points[0] != s.points[1], s.points[0], "two different ends", place);
}

void check_element(const AreaTerm& a, std::size_t count, const Place& place) {
    check_points(a, count, place);
    require(a.rest > 0, a.rest, "a rest area above 0", place);
}

void check_element(const VolumeTerm& v, std::size_t count, const Place& place) {
    check_points(v, count, place);
    require(v.rest != 0, v.rest, "a rest volume other than 0", place);
}

Place at(const char* name, std::size_t number) { return {.element = name, .index = static_cast<std::int64_t>(number)}; }

template <class Element>
void check_all(const std::vector<Element>& elements, std::size_t count, const char* name) {
    if (elements.size() >= no_index)
        throw Error(Cause::too_large, fmt::format("more {}s than 32-bit indices can name", name));
    for (std::size_t k = 0; k < elements.size(); ++k) check_element(elements[k], count, at(name, k));
}

void check_mass(double mass, bool fixed, const Place& place) {
    if (!std::isfinite(mass)) throw Error(Cause::non_finite, "has a mass that is not finite", place);
    require(mass > 0 || (fixed && mass == 0), mass, "a mass above 0", place);
}

// The count after the changes, which must contain each new number.
template <class Change>
std::size_t count_after(const std::vector<Change>& changes, std::size_t before, const char* name) {
    std::vector<std::size_t> numbers;
    numbers.reserve(changes.size());
    for (const Change& c : changes) numbers.push_back(c.number);
    std::sort(numbers.begin(), numbers.end());
    if (const auto twice = std::adjacent_find(numbers.begin(), numbers.end()); twice != numbers.end())
        throw Error(Cause::invalid_argument, "appears twice in an edit", at(name, *twice));
    const auto fresh =
        static_cast<std::size_t>(numbers.end() - std::lower_bound(numbers.begin(), numbers.end(), before));
    if (fresh > 0 && numbers.back() - before + 1 != fresh)
        throw Error(Cause::invalid_argument, fmt::format("new numbers from {} on have gaps", before),
                    at(name, numbers.back()));
    return before + fresh;
}

void check_arrays(const SpringNetwork& network) {
    const auto same = [&](std::size_t found, const char* name) {
        if (found != network.size())
            throw Error(Cause::count_mismatch, fmt::format("got {} entries for {} points", found, network.size()),
                        {.element = name});
    };
    same(network.masses.size(), "masses");
    same(network.fixed.size(), "fixed");
    same(network.part.size(), "part");
    check_vertices(network.points, {});
    for (std::size_t i = 0; i < network.size(); ++i) {
        const Place place = at("point", i);
        check_mass(network.masses[i], network.fixed[i] != 0, place);
        require(network.part[i] < std::max<std::size_t>(network.size(), 1), network.part[i],
                "a part below the number of points", place);
    }
}

// Every listed element must exist and contain the point.
template <class Element>
void check_hand_over(const std::vector<Element>& elements, std::span<const Index> chosen, Index point,
                     const char* name) {
    for (const Index k : chosen) {
        const Place place{.element = name, .index = k};
        if (k >= elements.size())
            throw Error(Cause::index_out_of_range, fmt::format("out of range; the count is {}", elements.size()),
                        place);
        const auto& points = elements[k].points;
        require(std::find(points.begin(), points.end(), point) != points.end(), point, "one of its points", place);
    }
}

template <class Element>
void hand_over(std::vector<Element>& elements, std::span<const Index> chosen, Index from, Index to) {
    for (const Index k : chosen) std::replace(elements[k].points.begin(), elements[k].points.end(), from, to);
}

template <class Element>
void append_shifted(std::vector<Element>& elements, std::vector<Element> more, Index shift) {
    for (Element& element : more)
        for (Index& p : element.points) p += shift;
    elements.insert(elements.end(), more.begin(), more.end());
}

} // namespace

void require(bool good, double value, const char* range, const Place& place) {
    if (!good) throw Error(Cause::invalid_argument, fmt::format("{} is not {}", value, range), place);
}

std::size_t SpringNetwork::part_count() const {
    return part.empty() ? 0 : std::size_t{*std::max_element(part.begin(), part.end())} + 1;
}

double surface_stiffness(double modulus, double area, double length) {
    return modulus * within(area / (length * length), flattest, 1 / flattest, std::sqrt(0.75));
}

SpringNetwork surface_network(const TriangleMesh& mesh, const SurfaceMaterial& material) {
    check(mesh);
    check_material(material);
    SpringNetwork network = points_of(mesh.vertices);
    std::vector<double> area(mesh.triangles.size());
    std::vector<char> used(mesh.vertices.size(), 0);
    for (std::size_t t = 0; t < area.size(); ++t) {
        area[t] = names_a_vertex_twice(mesh.triangles[t]) ? 0 : 0.5 * area_vector(mesh.corners(t)).norm();
        for (const Index v : mesh.triangles[t]) network.masses[v] += material.density * area[t] / 3, used[v] = 1;
        if (area[t] > 0 && material.area > 0)
            network.areas.push_back(
                {mesh.triangles[t], area[t], area_stiffness(mesh.corners(t), area[t], material.area)});
    }
    settle_masses(network, used, material.min_mass);
    add_surface_springs(network, mesh, area, material);
    return network;
}

void stiffen(Spring& spring, const SolidMaterial& material, double volume, double length) {
    stiffen(spring, material.stretch * length * within(volume / (length * length * length), 0.01, 10, 1),
            material.damping_time);
}

SpringNetwork solid_network(const TetMesh& mesh, const SolidMaterial& material) {
    check(mesh);
    check_material(material);
    SpringNetwork network = points_of(mesh.vertices);
    std::vector<char> used(mesh.vertices.size(), 0);
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
        const double volume = signed_volume(mesh.corners(t));
        for (const Index v : mesh.tetrahedra[t])
            network.masses[v] += material.density * std::abs(volume) / 4, used[v] = 1;
        if (volume != 0 && material.volume > 0)
            network.volumes.push_back({mesh.tetrahedra[t], volume, material.volume});
    }
    settle_masses(network, used, material.min_mass);
    for (const auto& [edge, volume] : edges_of(mesh)) {
        network.springs.push_back(spring_between(network, edge[0], edge[1], SpringKind::edge));
        stiffen(network.springs.back(), material, volume, network.springs.back().rest);
    }
    return network;
}

Index append(SpringNetwork& network, const SpringNetwork& other) {
    if (network.size() + other.size() >= no_index)
        throw Error(Cause::too_large, "more points than 32-bit indices can name");
    const SpringNetwork more = other; // may be the network itself
    const auto shift = static_cast<Index>(network.size());
    const auto parts = static_cast<Index>(network.part_count());
    network.points.insert(network.points.end(), more.points.begin(), more.points.end());
    network.masses.insert(network.masses.end(), more.masses.begin(), more.masses.end());
    network.fixed.insert(network.fixed.end(), more.fixed.begin(), more.fixed.end());
    for (const Index p : more.part) network.part.push_back(p + parts);
    append_shifted(network.springs, more.springs, shift);
    append_shifted(network.areas, more.areas, shift);
    append_shifted(network.volumes, more.volumes, shift);
    return shift;
}

void check(const SpringNetwork& network) {
    check_arrays(network);
    check_all(network.springs, network.size(), "spring");
    check_all(network.areas, network.size(), "area");
    check_all(network.volumes, network.size(), "volume");
}

Index split_point(SpringNetwork& network, Index point, const PointSplit& split) {
    const Place place{.element = "point", .index = point};
    if (point >= network.size())
        throw Error(Cause::index_out_of_range, fmt::format("out of range; the count is {}", network.size()), place);
    require(split.mass_share > 0 && split.mass_share < 1, split.mass_share, "in (0,1)", {.element = "mass_share"});
    check_hand_over(network.springs, split.springs, point, "spring");
    check_hand_over(network.areas, split.areas, point, "area");
    check_hand_over(network.volumes, split.volumes, point, "volume");
    if (network.size() + 1 >= no_index) throw Error(Cause::too_large, "more points than 32-bit indices can name");
    const auto twin = static_cast<Index>(network.size());
    const double mass = network.masses[point];
    const Vec3 rest = network.points[point];
    network.points.push_back(rest);
    network.masses.push_back(split.mass_share * mass);
    network.masses[point] = mass - network.masses.back();
    network.fixed.push_back(char{network.fixed[point]});
    network.part.push_back(Index{network.part[point]});
    hand_over(network.springs, split.springs, point, twin);
    hand_over(network.areas, split.areas, point, twin);
    hand_over(network.volumes, split.volumes, point, twin);
    return twin;
}

void remove_spring(SpringNetwork& network, Index spring) {
    if (spring >= network.springs.size())
        throw Error(Cause::index_out_of_range, fmt::format("out of range; the count is {}", network.springs.size()),
                    {.element = "spring", .index = spring});
    Spring& gone = network.springs[spring];
    gone.stiffness = gone.damping = 0;
    gone.kind = SpringKind::removed;
}

void set_rest_length(SpringNetwork& network, Index spring, double length) {
    const Place place = at("spring", spring);
    if (spring >= network.springs.size())
        throw Error(Cause::index_out_of_range, fmt::format("out of range; the count is {}", network.springs.size()),
                    place);
    require(length >= 0 && std::isfinite(length), length, "a length from 0", place);
    network.springs[spring].rest = length;
}

void copy_rest_lengths(const SpringNetwork& from, SpringNetwork& to) {
    if (from.springs.size() != to.springs.size())
        throw Error(Cause::count_mismatch,
                    fmt::format("got {} springs; this network has {}", from.springs.size(), to.springs.size()));
    for (std::size_t s = 0; s < to.springs.size(); ++s) to.springs[s].rest = from.springs[s].rest;
}

void check(const NetworkEdit& edit, const SpringNetwork& network) {
    const std::size_t count = count_after(edit.points, network.size(), "point");
    if (count >= no_index) throw Error(Cause::too_large, "more points than 32-bit indices can name");
    for (const NetworkEdit::Point& p : edit.points) {
        const Place place = at("point", p.number);
        check_mass(p.mass, p.fixed, place);
        require(p.part < count, p.part, "a part below the number of points", place);
        if (!is_finite(p.rest) || !is_finite(p.position) || !is_finite(p.velocity))
            throw Error(Cause::non_finite, "not finite", place);
    }
    count_after(edit.springs, network.springs.size(), "spring");
    count_after(edit.areas, network.areas.size(), "area");
    count_after(edit.volumes, network.volumes.size(), "volume");
    for (const auto& [number, spring] : edit.springs) check_element(spring, count, at("spring", number));
    for (const auto& [number, area] : edit.areas) check_element(area, count, at("area", number));
    for (const auto& [number, volume] : edit.volumes) check_element(volume, count, at("volume", number));
}

void apply(const NetworkEdit& edit, SpringNetwork& network) {
    const auto put = [](auto& values, Index number, const auto& value) {
        if (number >= values.size()) values.resize(std::size_t{number} + 1);
        values[number] = value;
    };
    for (const NetworkEdit::Point& p : edit.points) {
        put(network.points, p.number, p.rest);
        put(network.masses, p.number, p.mass);
        put(network.fixed, p.number, static_cast<char>(p.fixed));
        put(network.part, p.number, p.part);
    }
    for (const auto& [number, spring] : edit.springs) put(network.springs, number, spring);
    for (const auto& [number, area] : edit.areas) put(network.areas, number, area);
    for (const auto& [number, volume] : edit.volumes) put(network.volumes, number, volume);
}

double total_mass(const SpringNetwork& network) {
    double sum = 0;
    for (std::size_t i = 0; i < network.size(); ++i) sum += network.fixed[i] ? 0 : network.masses[i];
    return sum;
}

} // namespace fathom
