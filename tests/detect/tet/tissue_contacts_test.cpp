#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/tissue_contacts.h>
#include <fathom/geometry/generate.h>
#include <fathom/geometry/tetrahedron_triangle.h>

#include <support/tet_bodies.h>

#include <gtest/gtest.h>

namespace fathom {
namespace {

using namespace fathom::testing;

std::vector<IdPair> brute_pairs(const TetMesh& body, const TriangleMesh& tissue) {
    std::vector<IdPair> pairs;
    for (Index t = 0; t < body.tetrahedra.size(); ++t)
        for (Index f = 0; f < tissue.triangles.size(); ++f)
            if (tetrahedron_overlaps_triangle(body.corners(t), tissue.corners(f))) pairs.push_back({t, f});
    return pairs;
}

// Rippled, so that no two steps are alike.
TriangleMesh tissue_at(double scale, double phase) {
    return mapped(make_cloth({.size = {2, 2}, .cells = {8, 8}}), [&](const Vec3& p) {
        return Vec3(scale * Vec3(p.x(), p.y(), 0.05 * std::sin(3 * p.x() + 2 * p.y() + phase)));
    });
}

TEST(TissueContacts, a_body_keeps_the_side_from_which_it_came_all_the_way_through) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const int side : {1, -1}) {
            TissueContacts contacts;
            OwnedBody ball(make_tet_ball({.radius = 0.5, .resolution = 2}));
            const std::vector<Vec3> rest = ball.mesh.vertices;
            std::size_t seen = 0;
            for (int step = 0; step < 40; ++step) { // from clear above to almost clear below
                const double height = side * (0.65 - 0.03 * step);
                for (std::size_t k = 0; k < rest.size(); ++k) ball.mesh.vertices[k] = scale * (rest[k] + Vec3(0.1, 0.05, height));
                const TriangleMesh tissue = tissue_at(scale, 0.1 * step);
                contacts.update(ball.view(), tissue);
                std::vector<IdPair> pairs;
                for (const TissueContact& c : contacts.contacts()) {
                    pairs.push_back({c.tetrahedron, c.triangle});
                    EXPECT_EQ(c.side, side) << "step " << step;
                }
                if (step % 5 == 0) { EXPECT_EQ(pairs, brute_pairs(ball.mesh, tissue)) << step; }
                seen += pairs.size();
            }
            EXPECT_GT(seen, 500u);
        }
}

TEST(TissueContacts, what_was_never_clear_has_no_side_and_forgetting_makes_it_so) {
    TissueContacts contacts;
    const OwnedBody ball(make_tet_ball({.resolution = 2}));
    contacts.update(ball.view(), tissue_at(1, 0));
    ASSERT_FALSE(contacts.contacts().empty());
    for (const TissueContact& c : contacts.contacts()) EXPECT_EQ(c.side, 0);
    const OwnedBody above(placed(ball.mesh, 1, Vec3(0, 0, 2)));
    contacts.update(above.view(), tissue_at(1, 0));
    EXPECT_TRUE(contacts.contacts().empty());
    contacts.update(ball.view(), tissue_at(1, 0));
    for (const TissueContact& c : contacts.contacts()) EXPECT_EQ(c.side, 1);
    contacts.forget();
    contacts.update(ball.view(), tissue_at(1, 0));
    for (const TissueContact& c : contacts.contacts()) EXPECT_EQ(c.side, 0);
}

TEST(TissueContacts, threads_do_not_matter_and_hostile_input_is_refused) {
    const OwnedBody ball(make_tet_ball({.resolution = 4}));
    std::vector<TissueContact> first;
    for (const std::size_t threads : {1, 2}) {
        set_thread_count(threads);
        TissueContacts contacts;
        contacts.update(ball.view(), tissue_at(1, 0));
        if (threads == 1) first.assign(contacts.contacts().begin(), contacts.contacts().end());
        EXPECT_TRUE(std::equal(first.begin(), first.end(), contacts.contacts().begin(), contacts.contacts().end()));
    }
    set_thread_count(0);
    TissueContacts contacts;
    TriangleMesh bad = tissue_at(1, 0);
    bad.vertices[3].x() = std::numeric_limits<double>::infinity();
    EXPECT_THROW(contacts.update(ball.view(), bad), Error);
    contacts.update(ball.view(), TriangleMesh{});
    EXPECT_TRUE(contacts.contacts().empty());
}

} // namespace
} // namespace fathom
