// What spread_contacts.cpp works on: balls over triangles, and a mesh in a field with what look-ups say
// of them. Private to it. One thread at a time.
#pragma once

#include <fathom/detect/mesh_field/mesh_in_field_frame.h>
#include <fathom/detect/mesh_field/contact_reduction.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace fathom::spread {

// A ball over triangles that are not yet told apart, or over one.
struct Item {
    Index side = 0;
    Index place = 0; // node of the tree, or place of a triangle
    bool triangle = false;
    bool asked = false;              // `look` is of its own centre; else of a ball that holds it
    bool touches = false;            // all of its triangles do
    Sphere ball{};                   // in the field's frame
    MeshLook look{};                 // of a field that is no mesh, the point found is that asked
    double bound = -HUGE_VAL;        // the field is nowhere less on it
    SeenTriangle* contact = nullptr; // descended on
    Vec3 world = Vec3::Zero();       // the contact's point, or the ball's centre (m)
    double gap = HUGE_VAL;           // of that, from the first `compared` contacts taken (m)
    std::size_t compared = 0;

    [[nodiscard]] double value() const { return look.found.sample.distance; }
    [[nodiscard]] double farthest() const {
        return contact ? gap : gap + ball.radius;
    } // no contact of it has a larger gap
    [[nodiscard]] double least_gap() const {
        return triangle ? gap - ball.radius : farthest();
    } // opening it may find no less
};

// A mesh in a field, and what look-ups say there.
class Side {
public:
    Side(const MeshInField& given, double margin)
        : seen(*given.mesh, given.mesh_pose, *given.field, given.field_pose, margin, 0), mesh_(seen.mesh_field()),
          slope_(mesh_ ? 1 : given.field->lipschitz()),
          error_(seen.error() + (mesh_ ? mesh_->error_bound() + 0.5 * mesh_->thickness() : 0)) {}

    const SeenMesh seen;

    // A look-up of a mesh costs a microsecond, and bounds the next ones well enough to spare many.
    [[nodiscard]] bool one_by_one() const { return mesh_ != nullptr; }

    void ask(Item& item) const {
        item.look = {item.ball.center, mesh_->nearest(item.ball.center, within(item, item.ball.center))};
        set_asked(item);
    }
    void answer(Item& item, double value) const {
        item.look = {item.ball.center, {{value, Vec3::Zero()}, item.ball.center}};
        set_asked(item);
    }
    // Of a triangle that was asked: whether its middle or a corner touches.
    [[nodiscard]] bool is_seen_to_touch(const Item& item) {
        if (item.value() <= seen.margin()) return true;
        const auto touches = [&](const MeshLook& look) { return look.found.sample.distance <= seen.margin(); };
        return mesh_ ? std::ranges::any_of(looks(item), touches) : has_corner_in(item);
    }
    // Of a triangle that was asked: whether it is quickly seen to have nothing at or below the level.
    [[nodiscard]] bool stays_above(const Item& item, double level) {
        return mesh_ && fathom::stays_above(*mesh_, seen.corners(item.place), looks(item), level);
    }
    // Its middle and corners.
    [[nodiscard]] std::array<MeshLook, 4> looks(const Item& item) {
        std::array<MeshLook, 4> found = {item.look};
        const Triangle& vertices = seen.mesh().vertices(item.place);
        const SeenMesh::Corners corners = seen.corners(item.place);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [at, is_new] = corners_.try_emplace(vertices[k]);
            if (is_new) at->second = {corners[k], mesh_->nearest(corners[k], within(item, corners[k]))};
            found[k + 1] = at->second;
        }
        return found;
    }
    [[nodiscard]] std::size_t corner_look_ups() const { return corners_.size(); }

    // What its look says of an item. Of the field of a mesh, |field(q)| <= |q - c| for every point c of the surface.
    void judge(Item& item) const {
        const double low = mesh_ ? 0 : std::isnan(item.value()) ? -HUGE_VAL : item.value();
        const double reach = item.triangle && mesh_ ? triangle_reach(item.place, seen.unseen(item.look.found.point))
                                                    : ball_reach(item.ball, item.look.found.point);
        const double bound = low - slope_ * reach - error_;
        if (bound > item.bound) item.bound = bound;
        item.touches = item.touches || seen.is_inside(item.value(), around(item));
    }
    // A node is narrower than its ball: its children or triangles bound it better, at no look-up.
    void judge_closely(Item& item) const {
        if (item.triangle || !mesh_ || !(item.bound > -HUGE_VAL)) return; // nothing was looked up yet
        const SphereNode& node = seen.mesh().tree().nodes()[item.place];
        const ContactMesh& mesh = seen.mesh();
        const Vec3 c = seen.unseen(item.look.found.point);
        double reach = 0;
        for (Index k = node.first; k < node.first + node.size(); ++k) {
            const double own = node.is_leaf()
                                   ? triangle_reach(k, c)
                                   : ball_reach({mesh.tree().sphere(mesh.tree().nodes()[k]).center, mesh.reach(k)}, c);
            reach = std::max(reach, own);
        }
        item.bound = std::max(item.bound, -reach - error_);
    }
    [[nodiscard]] bool is_clear(const Item& item) const {
        return item.bound > seen.margin() || seen.is_clear(item.value(), around(item));
    }

private:
    void set_asked(Item& item) const {
        item.asked = true;
        item.touches = item.touches || (item.triangle && item.value() <= seen.margin());
        judge(item);
    }
    [[nodiscard]] double within(const Item& item, const Vec3& p) const {
        return item.bound > -HUGE_VAL ? item.look.reach(p) + seen.error() : HUGE_VAL;
    }
    [[nodiscard]] bool has_corner_in(const Item& item) const {
        std::array<double, 3> values;
        seen.field().distances(seen.corners(item.place), values);
        return std::ranges::any_of(values, [&](double value) { return value <= seen.margin(); });
    }
    // How far from a surface point c a point of it can be; of a triangle, with c in the mesh's frame.
    [[nodiscard]] static double ball_reach(const Sphere& ball, const Vec3& c) {
        return (ball.center - c).norm() + ball.radius;
    }
    [[nodiscard]] double triangle_reach(std::size_t place, const Vec3& c) const {
        double squared = 0;
        for (const Vec3& corner : seen.mesh().corners(place)) squared = std::max(squared, (corner - c).squaredNorm());
        return std::sqrt(squared);
    }
    // A ball round where was looked that holds the item.
    [[nodiscard]] static double around(const Item& item) {
        return (item.ball.center - item.look.at).norm() + item.ball.radius;
    }

    const MeshField* mesh_;
    double slope_;
    double error_;
    std::unordered_map<Index, MeshLook> corners_; // by vertex
};

} // namespace fathom::spread
