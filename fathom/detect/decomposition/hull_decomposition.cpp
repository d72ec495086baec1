// The search: cells are cut until their hulls are near the solid, then hulls are merged.
#include <fathom/detect/decomposition/hull_decomposition.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/decomposition/hull_cut.h>
#include <fathom/detect/decomposition/hull_merge.h>
#include <fathom/detect/decomposition/solid_pieces.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/inspect/seal.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/geometry/mesh/weld.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace decomposition {

namespace {

constexpr std::size_t max_cells = 2048;
constexpr double tolerance = 1.0 / 8;        // of the concavity: what proofs leave open
constexpr double gap_weights[] = {1.0, 0.3}; // of the searches, of which the better one counts

void check(const HullOptions& options) {
    const auto bad = [](double value, const char* range, const char* option) {
        require(false, value, range, {.element = option});
    };
    if (!(options.concavity >= 0.005 && options.concavity <= 1))
        bad(options.concavity, "0.005 to 1", "option concavity");
    if (options.max_hulls < 0 || options.max_hulls > 65'536) bad(options.max_hulls, "0 to 65,536", "option max_hulls");
    if (!(options.thinnest >= 0 && options.thinnest <= 1)) bad(options.thinnest, "0 to 1", "option thinnest");
}

void tell(Progress* progress, const char* stage, double fraction) {
    if (progress && !progress->update(stage, fraction)) throw Error(Cause::cancelled, "the caller cancelled the work");
}

// The frame of the search: half the longest side of the mesh is 1, and its middle the origin.
struct Frame {
    Vec3 middle = Vec3::Zero();
    double scale = 1; // m
    Mat3 rotation = Mat3::Identity();

    [[nodiscard]] Vec3 to_search(const Vec3& p) const { return rotation * ((p - middle) / scale); }
    [[nodiscard]] Vec3 to_mesh(const Vec3& p) const { return middle + scale * (rotation.transpose() * p); }
};

// Whether the hulls of a cell are too far from the solid.
bool too_far(const Cell& cell, const GapTree& gaps, double limit) {
    return cell.part.gap.depth > limit || !gaps.within(cell.part.hull, limit);
}

// Numbers of the cells that are cut in this round: those too far from the solid, the farthest first if there is a
// limit.
std::vector<std::size_t> chosen(std::span<const Cell> open, const GapTree& gaps, double limit, std::size_t most) {
    std::vector<char> far(open.size(), 0);
    parallel_tasks(open.size(), [&](std::size_t k) { far[k] = too_far(open[k], gaps, limit); });
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < open.size(); ++k)
        if (far[k]) numbers.push_back(k);
    if (numbers.size() <= most) return numbers;
    std::stable_sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
        return coarse(open[a].part.gap.depth) > coarse(open[b].part.gap.depth);
    });
    numbers.resize(most);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// The parts of all cells, after cuts that bring their hulls near the solid.
std::vector<HullPart> cut_to_parts(std::vector<Cell> open, const GapTree& gaps, double limit, const CutOptions& options,
                                   Progress* progress) {
    std::vector<HullPart> done;
    double open_volume = 0, done_volume = 0;
    while (!open.empty()) {
        const std::size_t present = done.size() + open.size();
        const auto numbers = chosen(open, gaps, limit, present < max_cells ? max_cells - present : 0);
        std::vector<std::optional<std::array<Cell, 2>>> halves(open.size());
        parallel_tasks(numbers.size(),
                       [&](std::size_t k) { halves[numbers[k]] = cut(open[numbers[k]], gaps, options); });
        std::vector<Cell> next;
        open_volume = 0;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (!halves[k]) {
                done_volume += open[k].part.volume;
                done.push_back(std::move(open[k].part));
                continue;
            }
            for (Cell& half : *halves[k]) {
                open_volume += half.part.volume;
                next.push_back(std::move(half));
            }
        }
        open = std::move(next);
        tell(progress, "cutting", done_volume > 0 ? done_volume / (done_volume + open_volume) : 0);
    }
    return done;
}

double volume_of(std::span<const HullPart> parts) {
    double sum = 0;
    for (const HullPart& part : parts) sum += part.volume;
    return sum;
}

struct Result {
    std::vector<HullPart> parts;
    std::size_t cells = 0;

    // Many parts and parts that overlap are equally bad.
    [[nodiscard]] double cost() const { return static_cast<double>(parts.size()) * volume_of(parts); }
};

// The best of a few searches.
Result searched(const TriangleMesh& mesh, const GapTree& gaps, const HullOptions& options) {
    const double thinnest = options.thinnest > 0 ? options.thinnest : options.concavity / 5;
    std::vector<Cell> cells;
    std::vector<TriangleMesh> pieces = pieces_of(mesh);
    cells.reserve(pieces.size());
    const Field* const solid = pieces.size() == 1 ? &gaps.solid() : nullptr;
    for (TriangleMesh& piece : pieces)
        cells.push_back(whole(std::make_shared<const PieceSurface>(std::move(piece), solid), gaps));
    Result best;
    for (const double weight : gap_weights) {
        Result result{cut_to_parts(cells, gaps, options.concavity, {.gap_weight = weight, .thinnest = thinnest},
                                   options.progress),
                      0};
        result.cells = result.parts.size();
        drop_contained(result.parts);
        tell(options.progress, "merging", 0);
        merge(result.parts, gaps, options.concavity, static_cast<std::size_t>(options.max_hulls));
        drop_contained(result.parts);
        tell(options.progress, "merging", 1);
        const bool alone = result.cells == cells.size(); // nothing was cut
        if (best.parts.empty() || result.cost() < best.cost() * (1 - 1e-6)) best = std::move(result);
        if (alone) break;
    }
    return best;
}

void fill_report(const Result& result, const GapTree& gaps, const HullOptions& options, const Frame& frame,
                 HullReport& report) {
    std::vector<Gap> found(result.parts.size());
    parallel_tasks(found.size(), [&](std::size_t k) {
        found[k] = gaps.proven_gap(result.parts[k].hull, 0.5 * tolerance * options.concavity, options.concavity);
    });
    for (const Gap& gap : found) {
        report.concavity = std::max(report.concavity, gap.depth * frame.scale);
        report.concavity_bound = std::max(report.concavity_bound, gap.bound * frame.scale);
    }
    report.reached = report.concavity_bound <= (1 + tolerance) * options.concavity * frame.scale;
    report.hull_volume = volume_of(result.parts) * std::pow(frame.scale, 3);
    report.cells = result.cells;
}

// The hull as a mesh that faces outward, in the frame of the mesh.
TriangleMesh mesh_of(const convex::Hull& hull, const Frame& frame) {
    return mapped(triangles_of(hull), [&](const Vec3& p) { return frame.to_mesh(p); });
}

} // namespace

} // namespace decomposition

std::vector<TriangleMesh> hull_decomposition(const TriangleMesh& mesh, const HullOptions& options, HullReport* report) {
    using namespace decomposition;
    decomposition::check(options);
    check(mesh);
    if (mesh.triangles.empty()) throw Error(Cause::empty, "the mesh has no triangles");
    check_size(mesh.vertices);
    const SealedMesh sealed = seal(mesh);
    if (sealed.interior == MeshInterior::sheet)
        throw Error(Cause::invalid_argument, "the mesh has no interior: " + sealed.reason);
    const TriangleMesh solid = weld(sealed.mesh, {.drop_unreferenced = true}).mesh;
    const Box box = bounds(solid.vertices);
    const Frame frame{box.center(), 0.5 * box.size().maxCoeff(),
                      options.turn ? squaring_rotation(solid) : Mat3(Mat3::Identity())};
    const TriangleMesh unit = mapped(solid, [&](const Vec3& p) { return frame.to_search(p); });
    tell(options.progress, "measuring", 0);
    const MeshField field(unit);
    const GapTree gaps(field, part_of(unit.vertices).hull, options.concavity);
    tell(options.progress, "measuring", 1);
    const decomposition::Result result = searched(unit, gaps, options);
    std::vector<TriangleMesh> hulls;
    for (const HullPart& part : result.parts) hulls.push_back(mesh_of(part.hull, frame));
    if (report) {
        *report = {.solid_volume = mass_properties(solid).volume};
        fill_report(result, gaps, options, frame, *report);
    }
    return hulls;
}

} // namespace fathom
