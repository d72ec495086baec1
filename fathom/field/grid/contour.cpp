// Dual marching cubes on the lattice of a grid or of any field.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/cell_sheets.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/grid/grid_range.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom {

namespace {

using Cell = std::array<int, 3>;

// Input of the contouring: a lattice in bricks, with bounds for blocks of bricks.
class Lattice {
public:
    explicit Lattice(const GridLayout& layout) : layout(layout) {}
    virtual ~Lattice() = default;

    // Encloses the samples of a block of 2^(level + 1) bricks a side; level -1 is one brick.
    [[nodiscard]] virtual Interval bound(int level, const Cell& block) const = 0;
    virtual void read(const Cell& brick, std::span<double, brick_size> out) const = 0;

    const GridLayout layout;
};

class GridLattice final : public Lattice {
public:
    explicit GridLattice(const GridData& data) : Lattice(data.layout), data_(data) {}

    [[nodiscard]] Interval bound(int level, const Cell& block) const override {
        if (level >= 0) return widened(range_of(data_.levels[static_cast<std::size_t>(level)][index(level, block)]));
        return widened(brick_range(data_, layout.brick_index(block)));
    }
    void read(const Cell& brick, std::span<double, brick_size> out) const override { read_lattice(data_, brick, out); }

private:
    static Interval range_of(const FloatRange& r) {
        return {static_cast<double>(r.lower), static_cast<double>(r.upper)};
    }

    // Samples on a brick's upper border come from their owner and may differ from the brick's own by their rounding.
    [[nodiscard]] Interval widened(const Interval& range) const {
        const double rounding = data_.step + 1e-6 * std::max(std::abs(range.lower), std::abs(range.upper));
        return {range.lower - rounding, range.upper + rounding};
    }
    [[nodiscard]] std::size_t index(int level, const Cell& block) const {
        const auto nx = static_cast<std::size_t>(blocks_along(layout.bricks[0], level));
        const auto ny = static_cast<std::size_t>(blocks_along(layout.bricks[1], level));
        return (static_cast<std::size_t>(block[2]) * ny + static_cast<std::size_t>(block[1])) * nx +
               static_cast<std::size_t>(block[0]);
    }

    const GridData& data_;
};

class FieldLattice final : public Lattice {
public:
    FieldLattice(const Field& field, const GridLayout& layout) : Lattice(layout), field_(field) {}

    [[nodiscard]] Interval bound(int level, const Cell& block) const override {
        const int side = brick_cells << (level + 1);
        const Vec3 lower = layout.sample_position({block[0] * side, block[1] * side, block[2] * side});
        const Vec3 upper =
            layout.sample_position({(block[0] + 1) * side, (block[1] + 1) * side, (block[2] + 1) * side});
        return field_.range({lower, upper});
    }
    void read(const Cell& brick, std::span<double, brick_size> out) const override {
        std::array<Vec3, brick_size> points;
        brick_positions(layout, brick, points);
        field_.distances(points, out);
    }

private:
    const Field& field_;
};

// Indices of the bricks whose bound contains the level. Coarse blocks come first, all of one size at once.
std::vector<std::size_t> bricks_at(const Lattice& lattice, double level) {
    const GridLayout& layout = lattice.layout;
    std::vector<Cell> open = {{0, 0, 0}};
    for (int size = level_count(layout) - 1;; --size) {
        std::vector<char> holds(open.size());
        parallel_for(open.size(), 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = begin; n < end; ++n) {
                const Interval bound = lattice.bound(size, open[n]);
                holds[n] = !(level < bound.lower) && !(level > bound.upper);
            }
        });
        std::vector<Cell> finer;
        for (std::size_t n = 0; n < open.size(); ++n) {
            if (!holds[n]) continue;
            if (size < 0) {
                finer.push_back(open[n]);
                continue;
            }
            for (int c = 0; c < 8; ++c) {
                const Cell child = {2 * open[n][0] + (c & 1), 2 * open[n][1] + (c >> 1 & 1), 2 * open[n][2] + (c >> 2)};
                const auto count = [&](std::size_t k) {
                    return size > 0 ? blocks_along(layout.bricks[k], size - 1) : layout.bricks[k];
                };
                if (child[0] < count(0) && child[1] < count(1) && child[2] < count(2)) finer.push_back(child);
            }
        }
        open = std::move(finer);
        if (size < 0) break;
    }
    std::vector<std::size_t> bricks(open.size());
    std::transform(open.begin(), open.end(), bricks.begin(), [&](const Cell& b) { return layout.brick_index(b); });
    std::sort(bricks.begin(), bricks.end());
    return bricks;
}

// A cell that the surface intersects.
struct Crossed {
    std::uint16_t cell;  // index in its brick, x fastest
    std::uint16_t key;   // key of its sheets
    std::uint32_t first; // index of its first vertex in the brick
};

// Surface in one brick.
struct Patch {
    Cell brick;
    std::array<std::uint64_t, 8> crossed_mask{};
    std::array<std::uint16_t, 8> crossed_before{};
    std::vector<Crossed> cells;
    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;
    std::size_t first_vertex = 0;

    [[nodiscard]] const Crossed& at(int cell) const {
        const auto word = static_cast<std::size_t>(cell / 64);
        const std::uint64_t below = (std::uint64_t{1} << (cell % 64)) - 1;
        return cells[crossed_before[word] + static_cast<std::size_t>(std::popcount(crossed_mask[word] & below))];
    }
};

int cell_index(int x, int y, int z) { return (z * brick_cells + y) * brick_cells + x; }

class Contour {
public:
    Contour(const Lattice& lattice, const ContourOptions& options, double steepness)
        : lattice_(lattice), options_(options), nudge_(options.nudge * lattice.layout.cell * steepness) {}

    [[nodiscard]] TriangleMesh run() {
        bricks_ = bricks_at(lattice_, options_.level);
        patches_.resize(bricks_.size());
        each_patch("finding the surface", [this](Patch& patch, std::size_t n) {
            patch.brick = lattice_.layout.brick_position(bricks_[n]);
            find_sheets(patch);
        });
        gather_vertices();
        each_patch("joining faces", [this](Patch& patch, std::size_t) { join_faces(patch); });
        gather_triangles();
        drop_unused_vertices();
        return std::move(mesh_);
    }

private:
    template <class Work>
    void each_patch(const char* name, const Work& work) {
        Stage stage(options_.progress, name, patches_.size());
        parallel_for(patches_.size(), 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = begin; n < end; ++n) work(patches_[n], n);
            stage.step(end - begin);
        });
    }

    // Value relative to the level, at least the nudge away from it.
    [[nodiscard]] double shifted(double value) const {
        const double d = value - options_.level;
        return d < 0 ? std::min(d, -nudge_) : std::max(d, nudge_);
    }

    void find_sheets(Patch& patch) const {
        std::array<double, brick_size> samples;
        lattice_.read(patch.brick, samples);
        for (double& v : samples) v = shifted(v);
        constexpr std::array<std::size_t, 8> offsets = {0, 1, 9, 10, 81, 82, 90, 91};
        GridCell cell;
        for (int c = 0; c < brick_cells * brick_cells * brick_cells; ++c) {
            const int x = c % brick_cells, y = c / brick_cells % brick_cells, z = c / (brick_cells * brick_cells);
            const std::size_t first = brick_sample(x, y, z);
            for (std::size_t k = 0; k < 8; ++k) cell.values[k] = samples[first + offsets[k]];
            const std::uint16_t key = sheet_key(cell.values);
            const CellSheets& sheets = cell_sheets(key);
            if (sheets.count == 0) continue;
            patch.crossed_mask[static_cast<std::size_t>(c / 64)] |= std::uint64_t{1} << (c % 64);
            patch.cells.push_back(
                {static_cast<std::uint16_t>(c), key, static_cast<std::uint32_t>(patch.vertices.size())});
            const Vec3 base(patch.brick[0] * brick_cells + x, patch.brick[1] * brick_cells + y,
                            patch.brick[2] * brick_cells + z);
            for (int n = 0; n < sheets.vertex_count(); ++n)
                patch.vertices.push_back(lattice_.layout.origin +
                                         lattice_.layout.cell * (base + sheet_vertex(cell, key, n, options_.nudge)));
        }
        for (std::size_t w = 1; w < 8; ++w)
            patch.crossed_before[w] =
                static_cast<std::uint16_t>(patch.crossed_before[w - 1] + std::popcount(patch.crossed_mask[w - 1]));
    }

    void gather_vertices() {
        std::size_t total = 0;
        for (Patch& patch : patches_) {
            patch.first_vertex = total;
            total += patch.vertices.size();
        }
        if (total >= no_index)
            throw Error(Cause::too_large,
                        fmt::format("the surface would have {} vertices; a mesh holds fewer than 2^32", total));
        mesh_.vertices.resize(total);
        parallel_for(patches_.size(), 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = begin; n < end; ++n) {
                std::copy(patches_[n].vertices.begin(), patches_[n].vertices.end(),
                          mesh_.vertices.begin() + static_cast<std::ptrdiff_t>(patches_[n].first_vertex));
                patches_[n].vertices = {};
            }
        });
    }

    [[nodiscard]] const Patch* patch_at(const Cell& brick) const {
        if (*std::min_element(brick.begin(), brick.end()) < 0) return nullptr;
        const std::size_t index = lattice_.layout.brick_index(brick);
        const auto found = std::lower_bound(bricks_.begin(), bricks_.end(), index);
        return found != bricks_.end() && *found == index ? &patches_[static_cast<std::size_t>(found - bricks_.begin())]
                                                         : nullptr;
    }

    // A brick and its neighbours below; bit 0 of the index steps down in x, bit 1 in y, bit 2 in z.
    using Neighbours = std::array<const Patch*, 8>;

    // The intersected cell that lies `step` (bits as above) below a cell of the brick, and its patch.
    struct Found {
        const Patch* patch = nullptr;
        const Crossed* crossed = nullptr;
        [[nodiscard]] Index vertex(int n) const {
            return static_cast<Index>(patch->first_vertex + crossed->first + static_cast<std::size_t>(n));
        }
    };
    static Found below(const Neighbours& neighbours, const Cell& cell, int step) {
        std::size_t crossing = 0;
        Cell at;
        for (std::size_t k = 0; k < 3; ++k) {
            at[k] = cell[k] - (step >> k & 1);
            if (at[k] < 0) {
                at[k] += brick_cells;
                crossing |= std::size_t{1} << k;
            }
        }
        const Patch* patch = neighbours[crossing];
        return patch ? Found{patch, &patch->at(cell_index(at[0], at[1], at[2]))} : Found{};
    }

    void join_faces(Patch& patch) const {
        Neighbours neighbours;
        for (int n = 0; n < 8; ++n)
            neighbours[static_cast<std::size_t>(n)] =
                patch_at({patch.brick[0] - (n & 1), patch.brick[1] - (n >> 1 & 1), patch.brick[2] - (n >> 2)});
        for (const Crossed& crossed : patch.cells) {
            const Cell cell = {crossed.cell % brick_cells, crossed.cell / brick_cells % brick_cells,
                               crossed.cell / (brick_cells * brick_cells)};
            for (int axis = 0; axis < 3; ++axis) {
                const bool inside = crossed.key & 1;
                if (inside != static_cast<bool>(crossed.key >> (1 << axis) & 1))
                    join_around(patch, neighbours, cell, axis, inside);
            }
        }
    }

    // Polygon around the lattice edge along `axis` from the lower corner of `cell`: the sheets of its four cells, and
    // the arcs with their own vertices on the faces between them.
    struct Ring {
        std::array<Index, 8> vertices;
        std::size_t count = 0; // 0 at the border of the domain
        std::size_t arc = 8;   // index of an arc, if there is one
    };
    static Ring ring_around(const Neighbours& neighbours, const Cell& cell, int axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        constexpr std::array<int, 4> quarters = {0, 1, 3, 2}; // counter-clockwise; bit 0: below in u, bit 1: below in v
        // Of each cell and the next, the one above their common face.
        constexpr std::array<std::size_t, 4> upper = {0, 1, 3, 0};
        std::array<Found, 4> around;
        for (std::size_t n = 0; n < 4; ++n) {
            around[n] = below(neighbours, cell, (quarters[n] & 1) << u | (quarters[n] >> 1) << v);
            if (!around[n].patch) return {};
        }
        Ring ring;
        for (std::size_t n = 0; n < 4; ++n) {
            const CellSheets& sheets = cell_sheets(around[n].crossed->key);
            ring.vertices[ring.count++] =
                around[n].vertex(sheets.sheet_of[static_cast<std::size_t>(cell_edge(axis, quarters[n]))]);
            const Found& above = around[upper[n]];
            const int own = arc_vertex(above.crossed->key, n % 2 == 0 ? u : v, cell_edge(axis, quarters[upper[n]]));
            if (own < 0) continue;
            ring.arc = ring.count;
            ring.vertices[ring.count++] = above.vertex(own);
        }
        return ring;
    }

    void join_around(Patch& patch, const Neighbours& neighbours, const Cell& cell, int axis, bool outward) const {
        Ring ring = ring_around(neighbours, cell, axis);
        if (ring.count == 0) return;
        auto& at = ring.vertices;
        if (!outward) {
            std::reverse(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(ring.count));
            if (ring.arc < 8) ring.arc = ring.count - 1 - ring.arc;
        }
        if (ring.arc == 8) {
            add_quadrilateral(patch, {at[0], at[1], at[2], at[3]});
            return;
        }
        // In a fan from an arc no diagonal connects two neighbouring cells; the polygons of the other arc may use that
        // edge.
        for (std::size_t n = 1; n + 1 < ring.count; ++n)
            patch.triangles.push_back(
                {at[ring.arc], at[(ring.arc + n) % ring.count], at[(ring.arc + n + 1) % ring.count]});
    }

    // Splits along the diagonal for which the smallest angle is larger.
    void add_quadrilateral(Patch& patch, const std::array<Index, 4>& q) const {
        const auto quality = [&](std::size_t a, std::size_t b, std::size_t c) {
            const Vec3 &p = mesh_.vertices[q[a]], &r = mesh_.vertices[q[b]], &s = mesh_.vertices[q[c]];
            const double ab = (r - p).squaredNorm(), bc = (s - r).squaredNorm(), ca = (p - s).squaredNorm();
            const double longest_two = std::max({ab * bc, bc * ca, ca * ab});
            // sin^2 of the smallest angle
            return longest_two > 0 ? (r - p).cross(s - p).squaredNorm() / longest_two : 0.0;
        };
        if (std::min(quality(0, 1, 2), quality(0, 2, 3)) >= std::min(quality(0, 1, 3), quality(1, 2, 3))) {
            patch.triangles.push_back({q[0], q[1], q[2]});
            patch.triangles.push_back({q[0], q[2], q[3]});
        } else {
            patch.triangles.push_back({q[0], q[1], q[3]});
            patch.triangles.push_back({q[1], q[2], q[3]});
        }
    }

    void gather_triangles() {
        std::size_t total = 0;
        for (const Patch& patch : patches_) total += patch.triangles.size();
        mesh_.triangles.reserve(total);
        for (Patch& patch : patches_) {
            mesh_.triangles.insert(mesh_.triangles.end(), patch.triangles.begin(), patch.triangles.end());
            patch.triangles = {};
        }
    }

    // Where the level leaves the domain, vertices without triangles remain.
    void drop_unused_vertices() {
        std::vector<Index> renamed(mesh_.vertices.size(), no_index);
        for (const Triangle& t : mesh_.triangles)
            for (const Index v : t) renamed[v] = 0;
        Index used = 0;
        for (std::size_t v = 0; v < renamed.size(); ++v)
            if (renamed[v] != no_index) {
                mesh_.vertices[used] = mesh_.vertices[v];
                renamed[v] = used++;
            }
        if (used == mesh_.vertices.size()) return;
        mesh_.vertices.resize(used);
        for (Triangle& t : mesh_.triangles)
            for (Index& v : t) v = renamed[v];
    }

    const Lattice& lattice_;
    const ContourOptions& options_;
    double nudge_; // m
    std::vector<std::size_t> bricks_;
    std::vector<Patch> patches_;
    TriangleMesh mesh_;
};

TriangleMesh contour(const Lattice& lattice, const ContourOptions& options, double steepness) {
    if (!std::isfinite(options.level))
        throw Error(Cause::invalid_argument, "must be finite", {.element = "option level"});
    if (!(options.nudge >= 0 && options.nudge <= 0.1))
        throw Error(Cause::invalid_argument, "must be from 0 to 0.1", {.element = "option nudge"});
    return Contour(lattice, options, std::isfinite(steepness) && steepness > 0 ? steepness : 1.0).run();
}

} // namespace

TriangleMesh contour(const GridField& field, const ContourOptions& options) {
    return contour(GridLattice(field.data()), options, field.data().lipschitz);
}

TriangleMesh contour(const Field& field, const Box& box, int resolution, const ContourOptions& options) {
    return contour(FieldLattice(field, covering_layout(box, resolution)), options, field.lipschitz());
}

} // namespace fathom
