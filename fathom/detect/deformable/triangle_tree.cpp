// Deforming triangles in a BodyOctree.
#include <fathom/base/parallel_append.h>
#include <fathom/detect/deformable/triangle_tree.h>
#include <fathom/index/body_octree_pairs.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t visit_chunk = 512;

std::span<const Index> corners_of(std::span<const Triangle> triangles) {
    return {triangles.empty() ? nullptr : triangles.front().data(), 3 * triangles.size()};
}

} // namespace

void TriangleTree::build(const Moving& surface) {
    tree_ = BodyOctree(surface.end, corners_of(surface.triangles), 3, {.storage = PointStorage::views});
    refit(surface);
}

void TriangleTree::refit(const Moving& surface) {
    if (surface.start.data() == surface.end.data())
        tree_.update(surface.end);
    else
        tree_.update_swept(surface.start, surface.end);
    bounds_ = tree_.bounds();
}

void TriangleTree::add_vertices(std::span<const Vec3> vertices) {
    if (!vertices.empty()) static_cast<void>(tree_.add_points(vertices));
}

void TriangleTree::edit(std::span<const Index> changed, const Moving& surface) {
    std::vector<Index> sorted(changed.begin(), changed.end());
    std::sort(sorted.begin(), sorted.end()); // new ones must come in order
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const Index t : sorted) {
        if (tree_.holds(t))
            tree_.change(t, surface.triangles[t]);
        else
            tree_.add(t, surface.triangles[t]);
    }
    refit(surface);
}

void TriangleTree::close_pairs(const TriangleTree& a, const TriangleTree& b, double reach, std::vector<IdPair>& out) {
    const auto keep = [&](Index i, Index j) {
        out.push_back({i, j});
        return true;
    };
    if (!(reach > 0)) {
        visit_overlapping_primitives(a.tree_, b.tree_, keep);
        return;
    }
    std::vector<Index> near;
    a.visit_overlapping(b.bounds().grown(reach), [&](Index i) {
        near.push_back(i);
        return true;
    });
    in_chunks(near.size(), visit_chunk, out, [&](std::size_t k, std::vector<IdPair>& part) {
        b.visit_overlapping(a.tree_.primitive_box(near[k]).grown(reach), [&](Index j) {
            part.push_back({near[k], j});
            return true;
        });
    });
}

void TriangleTree::close_pairs(const TriangleTree& tree, double reach, std::vector<IdPair>& out) {
    in_chunks(tree.size(), visit_chunk, out, [&](std::size_t k, std::vector<IdPair>& part) {
        const auto i = static_cast<Index>(k);
        tree.visit_overlapping(tree.tree_.primitive_box(i).grown(std::max(reach, 0.0)), [&](Index j) {
            if (j > i) part.push_back({i, j});
            return true;
        });
    });
}

} // namespace fathom
