// Pairs of triangles of one mesh that meet beyond what they share.
#include <fathom/base/parallel.h>
#include <fathom/geometry/inspect/self_intersection.h>
#include <fathom/geometry/primitive/triangle_triangle.h>
#include <fathom/index/bvh.h>

#include <algorithm>
#include <atomic>

namespace fathom {

namespace {

constexpr std::size_t chunk = 512;

// Adds the pairs of triangle i with higher ones.
void add_pairs(const TriangleMesh& mesh, const Bvh& tree, Index i, std::size_t most_pairs, SelfIntersections& found) {
    const std::size_t before = found.pairs.size();
    tree.visit_overlapping(mesh.bounds(i), [&](Index j) {
        if (j <= i || !triangles_cross(mesh, i, j)) return true;
        ++found.count;
        found.pairs.push_back({i, j});
        return true;
    });
    std::sort(found.pairs.begin() + static_cast<std::ptrdiff_t>(before), found.pairs.end());
    if (found.pairs.size() > most_pairs) found.pairs.resize(most_pairs);
}

std::vector<Box> boxes_of(const TriangleMesh& mesh) {
    std::vector<Box> boxes(mesh.triangles.size());
    for (std::size_t t = 0; t < boxes.size(); ++t) boxes[t] = mesh.bounds(t);
    return boxes;
}

} // namespace

bool crosses_itself(const TriangleMesh& mesh, const Bvh& tree, Progress* progress) {
    const std::vector<Box> boxes = boxes_of(mesh);
    std::atomic<bool> found = false;
    Stage stage(progress, "self-intersections", boxes.size());
    parallel_for(boxes.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end && !found; ++k) {
            const auto i = static_cast<Index>(k);
            // A visit that is stopped has found a pair.
            if (!tree.visit_overlapping(boxes[i], [&](Index j) {
                    return j <= i || !boxes[i].overlaps(boxes[j]) || !triangles_cross(mesh, i, j);
                }))
                found = true;
        }
        stage.step(end - begin);
    });
    return found;
}

SelfIntersections self_intersections(const TriangleMesh& mesh, const SelfIntersectionOptions& options) {
    check(mesh);
    const std::vector<Box> boxes = boxes_of(mesh);
    const Bvh tree(boxes);
    Stage stage(options.progress, "self-intersections", boxes.size());
    return parallel_reduce(
        boxes.size(), chunk, SelfIntersections{},
        [&](std::size_t begin, std::size_t end) {
            SelfIntersections part;
            for (std::size_t i = begin; i < end; ++i)
                add_pairs(mesh, tree, static_cast<Index>(i), options.most_pairs, part);
            stage.step(end - begin);
            return part;
        },
        [&](SelfIntersections all, const SelfIntersections& part) {
            all.count += part.count;
            const std::size_t room = std::min(options.most_pairs - all.pairs.size(), part.pairs.size());
            all.pairs.insert(all.pairs.end(), part.pairs.begin(),
                             part.pairs.begin() + static_cast<std::ptrdiff_t>(room));
            return all;
        });
}

} // namespace fathom
