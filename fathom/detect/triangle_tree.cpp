// Room: detect. Deforming triangles in a Bvh.
#include <fathom/base/parallel.h>
#include <fathom/detect/chunked.h>
#include <fathom/detect/triangle_tree.h>

namespace fathom {

namespace {

constexpr std::size_t box_chunk = 4096;
constexpr std::size_t visit_chunk = 512;
constexpr double most_decay = 1.8;
constexpr BvhOptions tree_options{.leaf_size = 2};

} // namespace

void TriangleTree::set_boxes(const Moving& surface) {
    boxes_.resize(surface.triangles.size());
    const bool still = surface.start.data() == surface.end.data();
    parallel_for(boxes_.size(), box_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Triangle& t = surface.triangles[k];
            const auto span_of = [&](std::span<const Vec3> points) -> Box {
                const Vec3 &p = points[t[0]], &q = points[t[1]], &r = points[t[2]];
                return {p.cwiseMin(q).cwiseMin(r), p.cwiseMax(q).cwiseMax(r)};
            };
            boxes_[k] = span_of(surface.end);
            if (!still) boxes_[k].extend(span_of(surface.start));
        }
    });
}

void TriangleTree::build(const Moving& surface) {
    set_boxes(surface);
    tree_ = Bvh(boxes_, tree_options);
}

void TriangleTree::refit(const Moving& surface) {
    set_boxes(surface);
    tree_.refit(boxes_);
    if (tree_.decay() > most_decay) tree_ = Bvh(boxes_, tree_options);
}

void TriangleTree::edit(std::span<const Index>, const Moving& surface) {
    if (surface.triangles.size() == tree_.size())
        refit(surface);
    else
        build(surface);
}

void TriangleTree::close_pairs(const TriangleTree& a, const TriangleTree& b, double reach, std::vector<IdPair>& out) {
    const auto keep = [&](Index i, Index j) {
        out.push_back({i, j});
        return true;
    };
    if (!(reach > 0)) {
        visit_overlapping_pairs(a.tree_, b.tree_, keep);
        return;
    }
    std::vector<Index> near;
    a.visit_overlapping(b.bounds().grown(reach), [&](Index i) {
        near.push_back(i);
        return true;
    });
    in_chunks(near.size(), visit_chunk, out, [&](std::size_t k, std::vector<IdPair>& part) {
        b.visit_overlapping(a.boxes_[near[k]].grown(reach), [&](Index j) {
            part.push_back({near[k], j});
            return true;
        });
    });
}

void TriangleTree::close_pairs(const TriangleTree& tree, double reach, std::vector<IdPair>& out) {
    in_chunks(tree.size(), visit_chunk, out, [&](std::size_t k, std::vector<IdPair>& part) {
        const auto i = static_cast<Index>(k);
        tree.visit_overlapping(tree.boxes_[i].grown(std::max(reach, 0.0)), [&](Index j) {
            if (j > i) part.push_back({i, j});
            return true;
        });
    });
}

} // namespace fathom
