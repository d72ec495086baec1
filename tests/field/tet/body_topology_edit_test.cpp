// Neighbours, boundary and depths follow breaks, cuts and removals as if the body were new.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/field/tet/node_depths.h>
#include <fathom/geometry/generate/generate.h>

#include <support/test_counts.h>
#include <support/tet_edits.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace fathom {
namespace body_topology_edit_test {

using Nodes = std::set<Index>;
using Faces = std::set<Triangle>;

Triangle key(Triangle t) {
    std::sort(t.begin(), t.end());
    return t;
}

Nodes nodes(const BodyTopology& topology, std::span<const Index> ranks) {
    Nodes set;
    for (const Index k : ranks) set.insert(topology.order()[k]);
    return set;
}

Faces faces(const BodyTopology& topology, std::span<const Index> numbers) {
    Faces set;
    for (const Index f : numbers) set.insert(key(topology.faces()[f]));
    return set;
}

Faces all_faces(const BodyTopology& topology) {
    Faces set;
    for (const Triangle& f : topology.faces()) set.insert(key(f));
    return set;
}

void expect_sound(const BodyTopology& t) {
    for (Index f = 0; f < t.faces().size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(t.ranked_faces()[f][k], t.rank()[t.faces()[f][k]]);
            const Index other = t.across()[f][k];
            ASSERT_LT(other, t.faces().size());
            ASSERT_NE(other, f);
            const Triangle& o = t.ranked_faces()[other];
            for (const Index end : {t.ranked_faces()[f][k], t.ranked_faces()[f][(k + 1) % 3]})
                EXPECT_NE(std::find(o.begin(), o.end(), end), o.end());
        }
}

// But for ranks and the numbers of faces.
void expect_equal(const BodyTopology& found, const BodyTopology& wanted) {
    ASSERT_EQ(found.node_count(), wanted.node_count());
    ASSERT_EQ(found.faces().size(), wanted.faces().size());
    EXPECT_EQ(all_faces(found), all_faces(wanted));
    EXPECT_EQ(nodes(found, found.boundary_nodes()), nodes(wanted, wanted.boundary_nodes()));
    EXPECT_TRUE(std::ranges::is_sorted(found.boundary_nodes()));
    for (Index v = 0; v < found.node_count(); ++v) {
        const Index a = found.rank()[v], b = wanted.rank()[v];
        ASSERT_EQ(found.order()[a], v);
        ASSERT_EQ(found.kind(v), wanted.kind(v)) << v;
        ASSERT_EQ(nodes(found, found.inner_neighbours(a)), nodes(wanted, wanted.inner_neighbours(b))) << v;
        ASSERT_EQ(faces(found, found.first_faces(a)), faces(wanted, wanted.first_faces(b))) << v;
        ASSERT_EQ(faces(found, found.faces_round(a)), faces(wanted, wanted.faces_round(b))) << v;
    }
    expect_sound(found);
}

struct Followed {
    EditableTetMesh mesh;
    std::shared_ptr<BodyTopology> topology;
    NodeDepths depths;

    explicit Followed(EditableTetMesh m)
        : mesh(std::move(m)), topology(std::make_shared<BodyTopology>(mesh)), depths(topology) {}
};

Followed body(std::size_t round, double size) {
    TetMesh start = round % 2 ? make_tet_box({.cells = {4, 4, 4}}) : make_tet_ball({.resolution = 4});
    for (Vec3& v : start.vertices) v *= size;
    EditableTetMesh mesh(start);
    (void)mesh.take_edit();
    return Followed(std::move(mesh));
}

// By `exact` the same; marches never understate, and are as good in the mean: the order of ranks decides ties.
void expect_depths(Followed& f, double size) {
    NodeDepths fresh(std::make_shared<BodyTopology>(f.mesh));
    const auto positions = f.mesh.positions();
    fresh.compute(positions);
    f.depths.compute(positions);
    for (Index v = 0; v < positions.size(); ++v) {
        if (fresh.depths()[v] == NodeDepths::unknown)
            ASSERT_EQ(f.depths.depths()[v], NodeDepths::unknown);
        else
            ASSERT_NEAR(f.depths.depths()[v], fresh.depths()[v], 1e-12 * size);
        ASSERT_NEAR((f.depths.closest(v) - positions[v]).norm(), (fresh.closest(v) - positions[v]).norm(),
                    1e-12 * size);
    }
    Random random(positions.size());
    for (int k = 0; k < 50; ++k) {
        const Ray ray{0.6 * size * random.in_ball(), random.direction()};
        const SurfaceHit hit = f.depths.first_hit(ray), wanted = fresh.first_hit(ray);
        ASSERT_EQ(hit.found(), wanted.found());
        if (!hit.found()) continue;
        ASSERT_NEAR(hit.t, wanted.t, 1e-12 * size);
        ASSERT_LT(hit.triangle, f.topology->faces().size());
        ASSERT_FALSE(f.depths.first_hit(ray, 0.999 * hit.t).found());
    }
    const std::vector<double> exact(fresh.depths().begin(), fresh.depths().end());
    for (const DepthMethod method : {DepthMethod::closest_feature, DepthMethod::closest_point}) {
        fresh.compute(positions, {.method = method});
        f.depths.compute(positions, {.method = method});
        double found = 0, wanted = 0;
        for (Index v = 0; v < positions.size(); ++v) {
            ASSERT_EQ(f.depths.depths()[v] == NodeDepths::unknown, fresh.depths()[v] == NodeDepths::unknown);
            if (fresh.depths()[v] == NodeDepths::unknown) continue;
            ASSERT_GE(f.depths.depths()[v], exact[v] - 1e-12 * size);
            found += f.depths.depths()[v];
            wanted += fresh.depths()[v];
        }
        EXPECT_NEAR(found, wanted, 0.05 * wanted + 1e-12 * size);
    }
}

TEST(BodyTopology, and_depths_equal_new_ones_after_every_random_edit_at_every_scale) {
    std::size_t edits = 0, inner = 0;
    for (std::size_t round = 0; round < testing::count_of(9, 200); ++round) {
        const double size = std::array{1e-3, 1.0, 1e3}[round % 3];
        Followed f = body(round, size);
        f.depths.compute(f.mesh.positions()); // so that there is a tree to follow
        Random random(round);
        for (int k = 0; k < 10 && f.mesh.tet_count() < 5000; ++k) {
            testing::edit_at_random(f.mesh, random, size);
            const TetEdit edit = f.mesh.take_edit();
            f.topology->apply(f.mesh, edit);
            edits += !edit.empty();
            expect_equal(*f.topology, BodyTopology(f.mesh));
            if (k % 4 != 2) expect_depths(f, size); // else two edits lie between
            if (::testing::Test::HasFailure()) return void(ADD_FAILURE() << "round " << round << ", edit " << k);
        }
        for (Index v = 0; v < f.topology->node_count(); ++v) inner += f.topology->kind(v) == BodyTopology::Kind::inner;
    }
    EXPECT_GT(edits, 40u);
    EXPECT_GT(inner, 100u);
}

TEST(BodyTopology, of_a_mesh_that_is_not_edited_follows_none) {
    const TetMesh plain = make_tet_ball({.resolution = 2});
    BodyTopology topology(plain);
    EXPECT_THROW(topology.apply(EditableTetMesh(plain), {}), Error);
}

} // namespace body_topology_edit_test
} // namespace fathom
