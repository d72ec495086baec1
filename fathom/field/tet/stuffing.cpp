// Isosurface stuffing: cuts the tetrahedra of the lattice to the inside and numbers them.
#include <fathom/field/tet/stuffing.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/grid/grid_csg.h>
#include <fathom/field/tet/stuffing_lattice.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/weld.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <utility>
namespace fathom {
namespace {

// Quality of a stuffed mesh, and its deviation from the field.

AngleRange all_angles(const TetMesh& mesh) {
    const auto wider = [](AngleRange a, const AngleRange& b) {
        return AngleRange{std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
    };
    return parallel_reduce(
        mesh.tetrahedra.size(), 4096, AngleRange{},
        [&](std::size_t begin, std::size_t end) {
            AngleRange range;
            for (std::size_t t = begin; t < end; ++t) range = wider(range, dihedral_angles(mesh.corners(t)));
            return range;
        },
        wider);
}

double volume_of(const TetMesh& mesh) {
    return parallel_reduce(
        mesh.tetrahedra.size(), 4096, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t t = begin; t < end; ++t) sum += signed_volume(mesh.corners(t));
            return sum;
        },
        [](double a, double b) { return a + b; });
}

std::size_t part_count(const TetMesh& mesh) {
    DisjointSets sets(mesh.vertices.size());
    for (const Tetrahedron& t : mesh.tetrahedra)
        for (std::size_t k = 1; k < 4; ++k) sets.join(t[0], t[k]);
    return sets.count();
}

// By value over slope; exact if the values are distances.
double largest_distance(const Field& field, const std::vector<Vec3>& points) {
    const auto larger = [](double a, double b) { return std::max(a, b); };
    return parallel_reduce(
        points.size(), 1024, 0.0,
        [&](std::size_t begin, std::size_t end) {
            std::vector<Sample> samples(end - begin);
            field.samples(std::span(points).subspan(begin, end - begin), samples);
            double largest = 0;
            for (const Sample& s : samples) {
                const double slope = s.gradient.norm();
                largest = std::max(largest, std::abs(s.distance) / (slope > 1e-6 ? slope : 1.0));
            }
            return largest;
        },
        larger);
}

double boundary_deviation(const Field& field, const TriangleMesh& skin) {
    std::vector<Vec3> points = skin.vertices;
    for (std::size_t t = 0; t < skin.triangles.size(); ++t) {
        const auto c = skin.corners(t);
        points.push_back((c[0] + c[1] + c[2]) / 3);
    }
    return largest_distance(field, points);
}

double missed_deviation(const Field& field, const StuffingLattice& lattice, const TriangleMesh& skin,
                        Progress* progress) {
    const Box box = lattice.box();
    const int resolution = static_cast<int>(std::lround(2 * box.size().maxCoeff() / lattice.cell()));
    const TriangleMesh finer = contour(field, box, resolution, {.progress = progress});
    std::vector<ClosestPoint> nearest(finer.vertices.size());
    SurfaceTree(skin).closest(finer.vertices, nearest);
    double largest = 0;
    for (const ClosestPoint& p : nearest) largest = std::max(largest, p.squared_distance);
    return std::sqrt(largest);
}

// `boundary` is the boundary of the mesh, with all its vertices.
[[nodiscard]] StuffingReport measured(const Field& field, const StuffingLattice& lattice, const TetMesh& mesh,
                                      const TriangleMesh& boundary, const PinchCounts& pinches,
                                      const StuffingOptions& options) {
    const TriangleMesh skin = without_unreferenced_vertices(boundary);
    const AngleRange angles = all_angles(mesh);
    StuffingReport report;
    report.cell = lattice.cell();
    report.tetrahedra = mesh.tetrahedra.size();
    report.vertices = mesh.vertices.size();
    report.boundary_triangles = skin.triangles.size();
    report.parts = part_count(mesh);
    report.smallest_angle = angles.smallest;
    report.largest_angle = angles.largest;
    report.volume = volume_of(mesh);
    report.split_vertices = pinches.split_vertices;
    report.dropped_tetrahedra = pinches.dropped_tetrahedra;
    if (!options.measure) return report;
    const StuffingLattice::Volume volume = lattice.volume_of(field);
    report.hidden_edges = lattice.hidden_edges(field);
    report.field_volume = volume.value;
    report.field_volume_error = volume.deviation;
    report.boundary_deviation = boundary_deviation(field, skin);
    report.missed_deviation = missed_deviation(field, lattice, skin, options.progress);
    return report;
}

using NamedTet = std::array<Index, 4>; // ids of the lattice

struct Corner {
    LatticePoint point{};
    Index id = no_index;
    Side side = Side::outside;
};

bool is_even(const LatticePoint& p) { return ((p[0] >> 1) + (p[1] >> 1) + (p[2] >> 1)) % 2 == 0; }

// The tetrahedra of one block. Each belongs to the long edge between two odd points that starts in the block; the even
// points round the middle of that edge form four of them.
class BlockCutter {
public:
    BlockCutter(const StuffingLattice& lattice, const StuffingLattice::Block& block)
        : lattice_(lattice), first_(block.first) {
        for (int odd = 0; odd < 2; ++odd)
            for (int n = 0; n < side * side * side; ++n) {
                const LatticePoint at = {2 * (n % side) + odd, 2 * (n / side % side) + odd,
                                         2 * (n / side / side) + odd};
                const Index id = lattice.point_id(from_first(at));
                near_[near_index(at)] = {from_first(at), id, lattice.side(id)};
            }
    }

    std::vector<NamedTet> cut() {
        for (int n = 0; n < 512; ++n) {
            const LatticePoint p = {2 * (n & 7) + 1, 2 * (n >> 3 & 7) + 1, 2 * (n >> 6) + 1};
            for (std::size_t axis = 0; axis < 3; ++axis) cut_round_edge(p, axis);
        }
        return std::move(out_);
    }

private:
    static constexpr int side = StuffingLattice::block_cells + 1;

    [[nodiscard]] LatticePoint from_first(const LatticePoint& at) const {
        return {first_[0] + at[0], first_[1] + at[1], first_[2] + at[2]};
    }
    [[nodiscard]] static std::size_t near_index(const LatticePoint& at) {
        const int index = (at[0] & 1) * side * side * side + (at[0] >> 1) + side * ((at[1] >> 1) + side * (at[2] >> 1));
        return static_cast<std::size_t>(index);
    }

    void cut_round_edge(const LatticePoint& p, std::size_t axis) {
        LatticePoint end = p, middle = p;
        end[axis] += 2;
        middle[axis] += 1;
        constexpr std::array<std::array<int, 2>, 4> ring = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
        std::array<Corner, 4> evens;
        for (std::size_t r = 0; r < 4; ++r) {
            LatticePoint at = middle;
            at[(axis + 1) % 3] += ring[r][0];
            at[(axis + 2) % 3] += ring[r][1];
            evens[r] = near_[near_index(at)];
        }
        // The ring turns counter-clockwise about the edge: then (start, end, one, next) has positive volume.
        for (std::size_t r = 0; r < 4; ++r)
            cut_one({near_[near_index(p)], near_[near_index(end)], evens[r], evens[(r + 1) % 4]});
    }

    void cut_one(std::array<Corner, 4> c) {
        bool mirrored = false;
        for (const std::size_t k : {0U, 2U})
            if (!is_even(c[k].point)) {
                std::swap(c[k], c[k + 1]);
                mirrored = !mirrored;
            }
        const Stencil& s = stencil({c[0].side, c[1].side, c[2].side, c[3].side});
        if (s.count == 0) return;
        const bool second = s.has_choice && prefers_second(s, c);
        for (int n = 0; n < s.count; ++n) {
            const StencilTet& t = second ? s.others[static_cast<std::size_t>(n)] : s.tets[static_cast<std::size_t>(n)];
            NamedTet named = {id(t[0], c), id(t[1], c), id(t[2], c), id(t[3], c)};
            if (mirrored) std::swap(named[2], named[3]);
            out_.push_back(named);
        }
    }

    [[nodiscard]] Index id(std::uint8_t point, const std::array<Corner, 4>& c) const {
        if (point < 4) return c[point].id;
        const auto& edge = stencil_edges[point - 4U];
        const Corner &a = c[static_cast<std::size_t>(edge[0])], &b = c[static_cast<std::size_t>(edge[1])];
        return lattice_.cut_id(a.id, a.point, b.id, b.point);
    }

    [[nodiscard]] bool prefers_second(const Stencil& s, const std::array<Corner, 4>& c) const {
        std::array<double, 2> smallest = {180, 180};
        for (std::size_t n = 0; n < 6; ++n) {
            const StencilTet& t = n < 3 ? s.tets[n] : s.others[n - 3];
            std::array<Vec3, 4> corners;
            for (std::size_t k = 0; k < 4; ++k) corners[k] = lattice_.position_of(id(t[k], c));
            smallest[n / 3] = std::min(smallest[n / 3], dihedral_angles(corners).smallest);
        }
        return smallest[1] > smallest[0];
    }

    const StuffingLattice& lattice_;
    LatticePoint first_;
    std::array<Corner, 2 * side * side * side> near_;
    std::vector<NamedTet> out_;
};

std::vector<NamedTet> cut_all(const StuffingLattice& lattice, Progress* progress) {
    const auto& blocks = lattice.blocks();
    std::vector<std::vector<NamedTet>> pieces(blocks.size());
    Stage stage(progress, "cutting tetrahedra", blocks.size());
    parallel_tasks(blocks.size(), [&](std::size_t n) {
        pieces[n] = BlockCutter(lattice, blocks[n]).cut();
        stage.step();
    });
    std::vector<std::size_t> first(blocks.size() + 1, 0);
    for (std::size_t n = 0; n < blocks.size(); ++n) first[n + 1] = first[n] + pieces[n].size();
    std::vector<NamedTet> all(first.back());
    parallel_tasks(blocks.size(), [&](std::size_t n) {
        std::copy(pieces[n].begin(), pieces[n].end(), all.begin() + static_cast<std::ptrdiff_t>(first[n]));
        std::vector<NamedTet>().swap(pieces[n]);
    });
    return all;
}

// Renumbers the used ids to 0, 1, 2, ... in their order; the rest become no_index. Returns the number of used ids.
std::size_t number_used(std::vector<NamedTet>& tets, std::vector<Index>& number) {
    parallel_for(tets.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            for (const Index id : tets[t]) std::atomic_ref(number[id]).store(0, std::memory_order_relaxed);
    });
    Index next = 0;
    for (Index& n : number)
        if (n != no_index) n = next++;
    parallel_for(tets.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            for (Index& id : tets[t]) id = number[id];
    });
    return next;
}

struct Filled {
    std::unique_ptr<StuffingLattice> lattice;
    TetMesh mesh;
    std::vector<char> may_be_bare; // by vertex: lies on the surface
};

void make_mesh(Filled& filled, Progress* progress) {
    const StuffingLattice& lattice = *filled.lattice;
    filled.mesh.tetrahedra = cut_all(lattice, progress);
    std::vector<Index> number(lattice.id_count(), no_index);
    const std::size_t count = number_used(filled.mesh.tetrahedra, number);
    filled.mesh.vertices.resize(count);
    filled.may_be_bare.resize(count);
    parallel_for(number.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t id = begin; id < end; ++id) {
            if (number[id] == no_index) continue;
            filled.mesh.vertices[number[id]] = lattice.position_of(static_cast<Index>(id));
            filled.may_be_bare[number[id]] = lattice.is_on_surface(static_cast<Index>(id));
        }
    });
}

void drop_unused_vertices(Filled& filled) {
    std::vector<Index> number(filled.mesh.vertices.size(), no_index);
    const std::size_t used = number_used(filled.mesh.tetrahedra, number);
    for (std::size_t v = 0; v < number.size(); ++v) {
        if (number[v] == no_index) continue;
        filled.mesh.vertices[number[v]] = filled.mesh.vertices[v]; // never ahead of v
        filled.may_be_bare[number[v]] = filled.may_be_bare[v];
    }
    filled.mesh.vertices.resize(used);
    filled.may_be_bare.resize(used);
}

Box filled_bounds(const Field& field, const Box& wanted) {
    Box bounds = wanted.empty() ? field.bounds() : intersection(field.bounds(), wanted);
    if (bounds.empty())
        throw Error(Cause::empty,
                    wanted.empty() ? "the field has no inside" : "the field's inside does not overlap the box");
    if (!is_finite(bounds.lower) || !is_finite(bounds.upper) || !is_finite(bounds.size()))
        throw Error(Cause::invalid_argument, "the field is unbounded; a box is required", {.element = "option box"});
    return bounds;
}

void check(const StuffingOptions& options) {
    if (options.resolution < 1 || options.resolution > 4096)
        throw Error(Cause::invalid_argument, "must be 1 to 4096", {.element = "option resolution"});
    if (!(options.cell >= 0) || !std::isfinite(options.cell))
        throw Error(Cause::invalid_argument, "must be a non-negative length", {.element = "option cell"});
    if (!options.box.empty() && !(options.box.size().minCoeff() > 0))
        throw Error(Cause::invalid_argument, "must have a volume", {.element = "option box"});
    if (options.tetrahedra > options.limit)
        throw Error(Cause::too_large, fmt::format("{} requested; the limit is {}", options.tetrahedra, options.limit),
                    {.element = "option tetrahedra"});
}

Filled fill(const Field& field, const Box& bounds, double cell, const StuffingOptions& options) {
    Filled result{std::make_unique<StuffingLattice>(field, bounds, cell, options.limit, options.progress), {}, {}};
    make_mesh(result, options.progress);
    return result;
}

// The number of tetrahedra is nearly proportional to the inverse cube of the cell size; a few trials find the requested
// number.
Filled fill_with_about(const Field& field, const Box& bounds, const StuffingOptions& options) {
    const double longest = bounds.size().maxCoeff(), wanted = static_cast<double>(options.tetrahedra);
    double cell = std::max(longest / 16, longest / std::cbrt(wanted));
    Filled best;
    double best_ratio = HUGE_VAL;
    // After three trials that find nothing inside, cells are far finer than requested.
    for (int trial = 0; trial < 12 && best_ratio > 1.05 && (best.lattice || trial < 3); ++trial) {
        Filled next = fill(field, bounds, cell, options);
        const double ratio = static_cast<double>(next.mesh.tetrahedra.size()) / wanted;
        if (std::max(ratio, 1 / ratio) < best_ratio) {
            best_ratio = std::max(ratio, 1 / ratio);
            best = std::move(next);
        }
        cell *= std::clamp(std::cbrt(ratio), 0.4, 2.5);
    }
    if (!best.lattice)
        throw Error(Cause::empty, fmt::format("the inside is thinner than cells of {:.3g} m everywhere", cell));
    return best;
}
} // namespace

AngleRange dihedral_angles(const std::array<Vec3, 4>& corners) {
    std::array<Vec3, 4> normals;
    for (std::size_t f = 0; f < 4; ++f) {
        const auto& face = tetrahedron_faces[f];
        const auto corner = [&](std::size_t k) { return corners[static_cast<std::size_t>(face[k])]; };
        normals[f] = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized();
    }
    double least = 1, most = -1;
    for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = a + 1; b < 4; ++b) {
            const double cosine = -normals[a].dot(normals[b]);
            least = std::min(least, cosine);
            most = std::max(most, cosine);
        }
    constexpr double degrees = 57.29577951308232;
    return {degrees * std::acos(std::min(most, 1.0)), degrees * std::acos(std::max(least, -1.0))};
}

TetMesh tetrahedralize(const Field& field, const StuffingOptions& options, StuffingReport* report) {
    check(options);
    const Box bounds = filled_bounds(field, options.box);
    const FieldPtr whole(FieldPtr(), &field); // not owned: valid during this call
    const FieldPtr shape =
        options.box.empty()
            ? whole
            : std::make_shared<CombinedField>(whole,
                                              std::make_shared<AnalyticField>(shapes::translate(
                                                  options.box.center(), shapes::box(options.box.size()))),
                                              Combination::intersect);
    const double longest = bounds.size().maxCoeff();
    if (!(longest > 0)) throw Error(Cause::empty, "the field's bounds have no extent");
    Filled filled = options.tetrahedra > 0
                        ? fill_with_about(*shape, bounds, options)
                        : fill(*shape, bounds, options.cell > 0 ? options.cell : longest / options.resolution, options);
    if (filled.mesh.tetrahedra.size() > options.limit)
        throw Error(Cause::too_large,
                    fmt::format("{} tetrahedra; the limit is {}", filled.mesh.tetrahedra.size(), options.limit),
                    {.element = "option cell"});
    const PinchCounts pinches = part_pinches(filled.mesh, filled.may_be_bare, 1e-6 * filled.lattice->cell());
    if (filled.mesh.tetrahedra.empty())
        throw Error(Cause::empty,
                    fmt::format("the inside is thinner than the cells of {:.3g} m everywhere", filled.lattice->cell()));
    if (pinches.dropped_tetrahedra > 0) drop_unused_vertices(filled);
    if (report)
        *report = measured(*shape, *filled.lattice, filled.mesh, marked_boundary(filled.mesh, filled.may_be_bare),
                           pinches, options);
    return std::move(filled.mesh);
}

} // namespace fathom
