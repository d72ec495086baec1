#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/membrane_contacts.h>
#include <fathom/geometry/edit/surface_edit.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/primitive/triangle_overlap.h>

#include <support/tet_bodies.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace fathom::tet {
namespace membrane_contacts_test {

using namespace fathom::testing;

// A pair that remembers the positions of the last step.
struct Contacts : MembraneContacts {
    std::vector<Vec3> body, surface;

    void step(const TetBody& now, const TriangleMesh& membrane) {
        update(now, membrane, {body, surface});
        body.assign(now.vertices.begin(), now.vertices.end());
        surface = membrane.vertices;
    }
};

std::vector<IdPair> brute_pairs(const TetMesh& body, const TriangleMesh& membrane) {
    std::vector<IdPair> pairs;
    for (Index t = 0; t < body.tetrahedra.size(); ++t)
        for (Index f = 0; f < membrane.triangles.size(); ++f)
            if (tetrahedron_overlaps_triangle(body.corners(t), membrane.corners(f))) pairs.push_back({t, f});
    return pairs;
}

// Rippled, so that no two steps are alike.
TriangleMesh membrane_at(double scale, double phase) {
    return mapped(make_cloth({.size = {2, 2}, .cells = {8, 8}}), [&](const Vec3& p) {
        return Vec3(scale * Vec3(p.x(), p.y(), 0.05 * std::sin(3 * p.x() + 2 * p.y() + phase)));
    });
}

TEST(MembraneContacts, a_body_keeps_its_side_while_it_passes_through) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const int side : {1, -1}) {
            Contacts contacts;
            OwnedBody ball(make_tet_ball({.radius = 0.5, .resolution = 2}));
            const std::vector<Vec3> rest = ball.mesh.vertices;
            std::size_t seen = 0;
            for (int step = 0; step < 40; ++step) { // from clear above to almost clear below
                const double height = side * (0.65 - 0.03 * step);
                for (std::size_t k = 0; k < rest.size(); ++k)
                    ball.mesh.vertices[k] = scale * (rest[k] + Vec3(0.1, 0.05, height));
                const TriangleMesh membrane = membrane_at(scale, 0.1 * step);
                contacts.step(ball.view(), membrane);
                std::vector<IdPair> pairs;
                for (const MembraneContact& c : contacts.contacts()) {
                    pairs.push_back({c.tetrahedron, c.triangle});
                    EXPECT_EQ(c.side, side) << "step " << step;
                }
                if (step % 5 == 0) {
                    EXPECT_EQ(pairs, brute_pairs(ball.mesh, membrane)) << step;
                }
                seen += pairs.size();
            }
            EXPECT_GT(seen, 500u);
        }
}

TEST(MembraneContacts, a_body_that_was_never_clear_has_no_side_nor_without_the_positions_before) {
    Contacts contacts;
    const OwnedBody ball(make_tet_ball({.resolution = 2}));
    contacts.step(ball.view(), membrane_at(1, 0));
    ASSERT_FALSE(contacts.contacts().empty());
    for (const MembraneContact& c : contacts.contacts()) EXPECT_EQ(c.side, 0);
    std::vector<Index> never_clear;
    for (const MembraneContact& c : contacts.contacts()) never_clear.push_back(c.tetrahedron);
    for (int step = 1; step < 4; ++step) { // and none later, while it stays in contact
        const OwnedBody moved(placed(ball.mesh, 1, Vec3(0, 0, 0.01 * step)));
        contacts.step(moved.view(), membrane_at(1, 0));
        std::vector<Index> still;
        for (const MembraneContact& c : contacts.contacts()) {
            const bool was_clear = !std::binary_search(never_clear.begin(), never_clear.end(), c.tetrahedron);
            EXPECT_EQ(c.side != 0, was_clear) << step;
            if (!was_clear) still.push_back(c.tetrahedron);
        }
        EXPECT_GT(still.size(), 10u);
        never_clear = std::move(still);
    }
    const OwnedBody above(placed(ball.mesh, 1, Vec3(0, 0, 2)));
    contacts.step(above.view(), membrane_at(1, 0));
    EXPECT_TRUE(contacts.contacts().empty());
    contacts.step(ball.view(), membrane_at(1, 0));
    for (const MembraneContact& c : contacts.contacts()) EXPECT_EQ(c.side, 1);
    contacts.body.clear(); // forgotten
    contacts.step(ball.view(), membrane_at(1, 0));
    for (const MembraneContact& c : contacts.contacts()) EXPECT_EQ(c.side, 0);
}

TEST(MembraneContacts, a_body_that_breaks_and_a_membrane_that_tears_keep_their_sides) {
    EditableTetMesh mesh(make_tet_ball({.radius = 0.5, .resolution = 2}));
    EditableSurface surface(membrane_at(1, 0));
    (void)mesh.take_edit();
    Contacts contacts;
    const auto update = [&](double height) {
        std::vector<Vec3> moved(mesh.positions().begin(), mesh.positions().end());
        for (Vec3& v : moved) v.z() += height;
        const TetTopology topology(mesh);
        contacts.step({moved, topology}, surface.mesh());
    };
    update(0.6);
    EXPECT_TRUE(contacts.contacts().empty());
    std::size_t opened = 0;
    for (int step = 0; step < 20; ++step) {
        update(0.55 - 0.04 * step);
        std::vector<Index> faces;
        for (Index face = static_cast<Index>(step); face < 4 * mesh.tet_slots(); face += 29)
            if (mesh.neighbour(face) != no_index) faces.push_back(face);
        mesh.separate(faces);
        const TetEdit edit = mesh.take_edit();
        ASSERT_TRUE(edit.new_tets.empty() && edit.removed_tets.empty());
        add_new_vertices(contacts.body, edit.new_vertices);
        surface.separate(std::vector<Index>{static_cast<Index>(7 * step), static_cast<Index>(7 * step + 1)});
        const SurfaceTear tear = surface.take_edit();
        for (const auto& twin : tear.twins) contacts.surface.push_back(Vec3(contacts.surface[twin.origin]));
        opened += edit.new_vertices.size() * tear.twins.size();
        update(0.53 - 0.04 * step);
        for (const MembraneContact& c : contacts.contacts()) EXPECT_EQ(c.side, 1) << "step " << step;
        EXPECT_TRUE(step < 4 || !contacts.contacts().empty());
    }
    EXPECT_GT(opened, 0u);
}

TEST(MembraneContacts, threads_do_not_matter_and_hostile_input_is_refused) {
    const OwnedBody ball(make_tet_ball({.resolution = 4}));
    std::vector<MembraneContact> first;
    for (const std::size_t threads : {1, 2}) {
        set_thread_count(threads);
        Contacts contacts;
        contacts.step(ball.view(), membrane_at(1, 0));
        if (threads == 1) first.assign(contacts.contacts().begin(), contacts.contacts().end());
        EXPECT_TRUE(std::equal(first.begin(), first.end(), contacts.contacts().begin(), contacts.contacts().end()));
    }
    set_thread_count(0);
    Contacts contacts;
    TriangleMesh bad = membrane_at(1, 0);
    bad.vertices[3].x() = std::numeric_limits<double>::infinity();
    EXPECT_THROW(contacts.step(ball.view(), bad), Error);
    contacts.step(ball.view(), TriangleMesh{});
    EXPECT_TRUE(contacts.contacts().empty());
}

} // namespace membrane_contacts_test
} // namespace fathom::tet
