// Bodies of few points, what their trees should answer by brute force, and checks that the trees answer it.
#pragma once

#include <fathom/index/body_octree_pairs.h>

#include "index/random_boxes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace fathom::testing {

struct Body {
    std::vector<Vec3> points;
    std::vector<Index> corners;
    int each = 3;

    [[nodiscard]] Index count() const { return static_cast<Index>(corners.size()) / static_cast<Index>(each); }
    [[nodiscard]] std::span<const Index> primitive(Index k) const {
        return std::span(corners).subspan(k * static_cast<std::size_t>(each), static_cast<std::size_t>(each));
    }
    [[nodiscard]] BodyOctree tree(const BodyOctreeOptions& options = {}) const {
        return {points, corners, each, options};
    }
};

inline const std::vector<Scene>& body_scenes() {
    static const std::vector<Scene> all = {
        {1, Vec3::Zero()}, {1e-3, Vec3::Zero()}, {1e3, Vec3(5e3, -2e3, 1e3)}, {1, Vec3(1e6, 1e6, -1e6)}};
    return all;
}

// A ring of rows x columns quads, cut into triangles, about `center`.
inline Body ring(Index rows, Index columns, const Scene& scene, const Vec3& center) {
    Body body;
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j) {
            const double u = 2 * M_PI * i / rows, v = 2 * M_PI * j / columns;
            const Vec3 p((0.7 + 0.3 * std::cos(u)) * std::cos(v), (0.7 + 0.3 * std::cos(u)) * std::sin(v),
                         0.3 * std::sin(u));
            body.points.push_back(scene.offset + scene.scale * (center + p));
        }
    const auto at = [&](Index i, Index j) { return (i % rows) * columns + j % columns; };
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j)
            for (const Index k : {at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)})
                body.corners.push_back(k);
    return body;
}

// Primitives of any kind, small, with points that several share; every ninth has all its corners in one point.
inline Body soup(Random& random, const Scene& scene, int each, Index count) {
    Body body;
    body.each = each;
    for (Index k = 0; k < count; ++k) {
        const Vec3 middle = random_point(random, scene);
        const Index first = static_cast<Index>(body.points.size());
        body.points.push_back(middle);
        for (int c = 0; c < each; ++c) {
            const bool shared = k > 0 && random.chance(0.2);
            if (c == 0 || k % 9 == 0) {
                body.corners.push_back(first);
            } else if (shared) {
                body.corners.push_back(static_cast<Index>(random.below(body.points.size())));
            } else {
                body.corners.push_back(static_cast<Index>(body.points.size()));
                body.points.push_back(middle + 0.1 * scene.scale * random.in_ball());
            }
        }
    }
    return body;
}

// A smooth motion of everything, in scales.
inline std::vector<Vec3> deformed(const std::vector<Vec3>& points, Random& random, const Scene& scene, double size) {
    const Vec3 wave = 3 * random.in_ball(), phase = 6 * random.in_ball(), shift = size * random.in_ball();
    std::vector<Vec3> moved;
    for (const Vec3& p : points) {
        const Vec3 x = (p - scene.offset) / scene.scale;
        const Vec3 step(std::sin(wave.x() * x.y() + phase.x()), std::sin(wave.y() * x.z() + phase.y()),
                        std::sin(wave.z() * x.x() + phase.z()));
        moved.push_back(p + scene.scale * (size * step + shift));
    }
    return moved;
}

struct Held { // points at both ends of a step, and the margin
    std::vector<Vec3> starts, ends;
    double margin = 0;
};

inline Box box_by_force(const Body& body, const Held& held, Index primitive) {
    Box box;
    for (const Index k : body.primitive(primitive)) box.extend(held.starts[k]), box.extend(held.ends[k]);
    return box.grown(held.margin);
}

inline std::vector<IdPair> pairs_by_force(const Body& a, const Held& at_a, const Body& b, const Held& at_b) {
    std::vector<IdPair> pairs;
    std::vector<Box> boxes;
    for (Index j = 0; j < b.count(); ++j) boxes.push_back(box_by_force(b, at_b, j));
    for (Index i = 0; i < a.count(); ++i) {
        const Box box = box_by_force(a, at_a, i);
        for (Index j = 0; j < b.count(); ++j)
            if (box.overlaps(boxes[j])) pairs.push_back({i, j});
    }
    return pairs;
}

inline bool share(const Body& body, Index p, Index q) {
    for (const Index x : body.primitive(p))
        for (const Index y : body.primitive(q))
            if (x == y) return true;
    return false;
}

inline std::vector<IdPair> self_pairs_by_force(const Body& body, const Held& at, bool skip) {
    std::vector<IdPair> pairs = pairs_by_force(body, at, body, at);
    std::erase_if(pairs,
                  [&](const IdPair& pair) { return pair[0] >= pair[1] || (skip && share(body, pair[0], pair[1])); });
    return pairs;
}

// The closed overlap of the two, minus what only boxes share: an edge of one triangle passes through the other, by a
// clear way.
inline bool pierces(const std::vector<Vec3>& a, std::span<const Index> edge_of, const std::vector<Vec3>& b,
                    std::span<const Index> through) {
    const auto volume = [](const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
        return (q - p).cross(r - p).dot(s - p);
    };
    const Vec3 &x = b[through[0]], &y = b[through[1]], &z = b[through[2]];
    for (int k = 0; k < 3; ++k) {
        const Vec3 &p = a[edge_of[static_cast<std::size_t>(k)]], &q = a[edge_of[static_cast<std::size_t>((k + 1) % 3)]];
        const double unit = 1e-6 * std::pow((y - x).norm() + (z - x).norm() + (q - p).norm(), 3);
        const double above = volume(x, y, z, p), below = volume(x, y, z, q);
        if (!(above * below < 0 && std::min(std::abs(above), std::abs(below)) > unit)) continue;
        const double s = volume(p, q, x, y), t = volume(p, q, y, z), u = volume(p, q, z, x);
        if ((s > unit && t > unit && u > unit) || (s < -unit && t < -unit && u < -unit)) return true;
    }
    return false;
}

// Calls see(word, points below) for every node.
inline void each_node(const BodyOctree& tree, const std::function<void(std::uint32_t, const std::set<Index>&)>& see) {
    const std::function<std::set<Index>(std::uint32_t)> below = [&](std::uint32_t word) {
        std::set<Index> points;
        if (BvhNode::is_leaf(word)) {
            for (const Index primitive : tree.leaf(word & ~BvhNode::leaf_bit))
                for (const Index point : tree.corners(primitive)) points.insert(point);
            const auto listed = tree.leaf_points(word & ~BvhNode::leaf_bit);
            EXPECT_TRUE(std::ranges::equal(listed, points));
        } else {
            for (const std::uint32_t child : tree.nodes()[word].child)
                if (child != no_index) points.merge(below(child));
        }
        see(word, points);
        return points;
    };
    if (!tree.empty()) below(0);
}

inline void expect_enclosure(const BodyOctree& tree) {
    std::size_t nodes = 0, primitives = 0;
    const bool spheres = tree.options().volume == NodeVolume::sphere;
    each_node(tree, [&](std::uint32_t word, const std::set<Index>& points) {
        ++nodes;
        if (BvhNode::is_leaf(word)) primitives += tree.leaf(word & ~BvhNode::leaf_bit).size();
        const Box box = tree.box_of(word);
        const Sphere sphere = spheres ? tree.sphere_of(word) : Sphere{Vec3::Zero(), infinity};
        for (const Index k : points)
            for (const double t : {0.0, 0.3, 1.0}) {
                const Vec3 p = t == 0   ? tree.points()[k]
                               : t == 1 ? tree.ends()[k]
                                        : Vec3((1 - t) * tree.points()[k] + t * tree.ends()[k]);
                const double rounding = t == 0 || t == 1 ? 0.0 : 4e-16 * p.cwiseAbs().maxCoeff(); // of p itself
                ASSERT_TRUE(box.grown(rounding - 0.999 * tree.margin()).contains(p));
                ASSERT_LE((p - sphere.center).norm(), sphere.radius + rounding - 0.999 * tree.margin());
            }
    });
    EXPECT_EQ(primitives, tree.size());
    EXPECT_GT(nodes, 1u);
}

inline std::vector<BodyOctreeOptions> all_kinds() {
    std::vector<BodyOctreeOptions> kinds;
    for (const BodySplit split : {BodySplit::octants, BodySplit::median, BodySplit::surface_area}) {
        kinds.push_back({.volume = NodeVolume::box, .split = split});
        kinds.push_back({.volume = NodeVolume::sphere, .split = split});
        kinds.push_back({.volume = NodeVolume::sphere, .split = split, .sphere_rule = SphereRule::cube});
    }
    return kinds;
}

inline std::vector<IdPair> visited(const BodyOctree& a, const BodyOctree& b) {
    std::vector<IdPair> pairs;
    EXPECT_TRUE(visit_overlapping_primitives(a, b, [&](Index p, Index q) {
        pairs.push_back({p, q});
        return true;
    }));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// Boxes: the very pairs. Spheres: none but those, and every one that truly touches.
inline void expect_pairs(const std::vector<IdPair>& found, const std::vector<IdPair>& expected, bool exact,
                         const Body& a, const Held& at_a, const Body& b, const Held& at_b) {
    if (exact) {
        ASSERT_EQ(found, expected);
        return;
    }
    ASSERT_TRUE(std::ranges::includes(expected, found));
    if (a.each != 3 || b.each != 3) return;
    for (const IdPair& pair : expected)
        if (pierces(at_a.starts, a.primitive(pair[0]), at_b.starts, b.primitive(pair[1]))) {
            ASSERT_TRUE(std::ranges::binary_search(found, pair));
        }
}

} // namespace fathom::testing
