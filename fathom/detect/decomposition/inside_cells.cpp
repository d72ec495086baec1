// Cells that may hold inside, halved level by level.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/decomposition/inside_cells.h>
#include <fathom/field/grid/grid_field.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

// Cubes over the bounds, at most four along its longest side.
std::vector<InsideCell> first_cells(const Box& bounds) {
    const double rounding =
        1e-12 * (bounds.size().maxCoeff() + bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).maxCoeff());
    const Box box = bounds.grown(std::max(rounding, 1e-300));
    const double side = box.size().maxCoeff() / 4;
    Eigen::Vector3i count;
    for (int k = 0; k < 3; ++k) count[k] = std::clamp(static_cast<int>(std::ceil(box.size()[k] / side)), 1, 4);
    const Vec3 lower = box.center() - 0.5 * side * count.cast<double>();
    std::vector<InsideCell> cells;
    for (int z = 0; z < count.z(); ++z)
        for (int y = 0; y < count.y(); ++y)
            for (int x = 0; x < count.x(); ++x) {
                const auto at = [&](int i, int j, int k) { return Vec3(lower + side * Vec3(i, j, k)); };
                cells.push_back(
                    {{at(x, y, z).cwiseMax(box.lower), at(x + 1, y + 1, z + 1).cwiseMin(box.upper)}, false});
            }
    return cells;
}

// Drops what is certainly outside.
void keep_open(const Field& field, std::vector<InsideCell>& cells) {
    constexpr std::size_t chunk = 256;
    std::vector<Interval> ranges(cells.size());
    parallel_for(cells.size(), chunk, [&](std::size_t begin, std::size_t end) {
        std::array<Box, chunk> boxes;
        for (std::size_t k = begin; k < end; ++k) boxes[k - begin] = cells[k].box;
        field.ranges({boxes.data(), end - begin}, std::span(ranges).subspan(begin, end - begin));
    });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        if (ranges[k].lower > 0) continue;
        cells[kept++] = {cells[k].box, ranges[k].upper <= 0};
    }
    cells.resize(kept);
}

void add_eighths(const Box& box, std::vector<InsideCell>& out) {
    const Vec3 middle = box.center();
    for (int k = 0; k < 8; ++k) {
        const Vec3 corner = box.corner(k);
        out.push_back({{corner.cwiseMin(middle), corner.cwiseMax(middle)}, false});
    }
}

} // namespace

std::vector<InsideCell> inside_cells(const Field& field, const InsideCellOptions& options,
                                     CallableRef<bool(const InsideCell&)> settled) {
    const Box bounds = field.bounds();
    if (bounds.empty()) return {};
    if (!is_finite(bounds.lower) || !is_finite(bounds.upper))
        throw Error(Cause::invalid_argument, "the field has no finite bounds");
    if (!(options.least_side > 0))
        throw Error(Cause::invalid_argument, "must be above 0", {.element = "option least_side"});
    std::vector<InsideCell> open = first_cells(bounds), done;
    for (;;) {
        keep_open(field, open);
        std::vector<InsideCell> cut;
        for (const InsideCell& cell : open) {
            const bool small = cell.box.size().maxCoeff() <= options.least_side * (1 + 1e-9);
            (small || settled(cell) ? done : cut).push_back(cell);
        }
        if (cut.empty()) return done;
        if (done.size() + 4 * cut.size() > options.most_cells) { // about half of eight are cleared again
            done.insert(done.end(), cut.begin(), cut.end());
            return done;
        }
        open.clear();
        for (const InsideCell& cell : cut) add_eighths(cell.box, open);
    }
}

double natural_cell(const Field& field) {
    if (const auto* grid = dynamic_cast<const GridField*>(&field)) return grid->layout().cell;
    const double side = field.bounds().size().maxCoeff();
    return side > 0 && std::isfinite(side) ? side / 128 : 1e-300;
}

} // namespace fathom
