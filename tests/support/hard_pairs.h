// Pairs of bodies that are hard to decide: thin, interlocked, star-shaped, nested, touching. Each body is an analytic
// field, a closed mesh of the same shape, and on demand a grid of that mesh. Seeded; any size.
#pragma once

#include "mesh_oracle.h"
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/mesh/triangulate.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

namespace fathom::testing {

// A prism over a polygon in the x-y plane, corners counter-clockwise, from -height/2 to height/2.
[[nodiscard]] inline TriangleMesh prism_mesh(const std::vector<Vec2>& corners, double height) {
    TriangleMesh mesh;
    const auto n = static_cast<Index>(corners.size());
    for (const double z : {-0.5 * height, 0.5 * height})
        for (const Vec2& c : corners) mesh.vertices.emplace_back(c.x(), c.y(), z);
    std::vector<Index> top(n), bottom(n);
    for (Index k = 0; k < n; ++k) top[k] = n + k, bottom[k] = n - 1 - k;
    PolygonTriangulator triangulator;
    triangulator.triangulate(mesh.vertices, top, mesh.triangles);
    triangulator.triangulate(mesh.vertices, bottom, mesh.triangles);
    for (Index k = 0; k < n; ++k) {
        const Index next = (k + 1) % n;
        mesh.triangles.push_back({k, next, n + next});
        mesh.triangles.push_back({k, n + next, n + k});
    }
    return mesh;
}

[[nodiscard]] inline std::vector<Vec2> star_corners(int points, double outer, double inner) {
    std::vector<Vec2> corners;
    for (int k = 0; k < 2 * points; ++k) {
        const double angle = std::numbers::pi * k / points, r = k % 2 == 0 ? outer : inner;
        corners.emplace_back(r * std::cos(angle), r * std::sin(angle));
    }
    return corners;
}

// A ring with a gap towards +x, as a hook has.
[[nodiscard]] inline std::vector<Vec2> hook_corners(double outer, double inner, double gap, int pieces) {
    std::vector<Vec2> corners;
    for (int k = 0; k <= pieces; ++k) {
        const double angle = gap + (2 * std::numbers::pi - 2 * gap) * k / pieces;
        corners.emplace_back(outer * std::cos(angle), outer * std::sin(angle));
    }
    for (int k = pieces; k >= 0; --k) {
        const double angle = gap + (2 * std::numbers::pi - 2 * gap) * k / pieces;
        corners.emplace_back(inner * std::cos(angle), inner * std::sin(angle));
    }
    return corners;
}

[[nodiscard]] inline std::vector<Vec2> comb_corners(int teeth, double width, double height) {
    std::vector<Vec2> corners = {{-0.5 * width, -0.5 * height}, {0.5 * width, -0.5 * height}};
    const double step = width / (2 * teeth - 1);
    for (int k = 2 * teeth - 1; k > 0; --k) {
        const double right = -0.5 * width + k * step, left = right - step;
        const bool tooth = k % 2 == 1;
        corners.emplace_back(right, tooth ? 0.5 * height : -0.3 * height);
        corners.emplace_back(left, tooth ? 0.5 * height : -0.3 * height);
    }
    return corners;
}

enum class HardRole { plain, thin, ring, hollow, small };

struct HardBody {
    std::string name;
    HardRole role;
    double size; // m: of its box, the longest side
    std::shared_ptr<const AnalyticField> formula;
    OracleBody oracle;
    double mesh_error; // m: of the mesh, as a body of the formula; only round ones have any

    HardBody(std::string name, HardRole role, const AnalyticExpression& shape, const TriangleMesh& mesh)
        : name(std::move(name)), role(role), size(bounds(mesh.vertices).size().maxCoeff()),
          formula(std::make_shared<AnalyticField>(shape)), oracle(mesh), mesh_error(1e-12 * size) {
        constexpr int cells = 4;
        for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
            const auto t = mesh.corners(k);
            for (int i = 0; i <= cells; ++i)
                for (int j = 0; i + j <= cells; ++j) {
                    const double u = static_cast<double>(i) / cells, v = static_cast<double>(j) / cells;
                    mesh_error = std::max(mesh_error,
                                          1.2 * std::abs(formula->distance((1 - u - v) * t[0] + u * t[1] + v * t[2])));
                }
        }
    }

    [[nodiscard]] const std::shared_ptr<const GridField>& grid(int resolution) const {
        if (!grid_) grid_ = std::make_shared<GridField>(build_grid(oracle.mesh(), {.resolution = resolution}));
        return grid_;
    }

private:
    mutable std::shared_ptr<const GridField> grid_;
};

[[nodiscard]] inline std::vector<std::unique_ptr<HardBody>> hard_bodies(double scale) {
    using namespace shapes;
    std::vector<std::unique_ptr<HardBody>> bodies;
    const auto add = [&](const char* name, HardRole role, const AnalyticExpression& shape, const TriangleMesh& mesh) {
        bodies.push_back(std::make_unique<HardBody>(name, role, shapes::scale(scale, shape),
                                                    mapped(mesh, [&](const Vec3& p) -> Vec3 { return scale * p; })));
    };
    const auto add_prism = [&](const char* name, HardRole role, const std::vector<Vec2>& corners, double height) {
        add(name, role, extrude(height, polygon(corners)), prism_mesh(corners, height));
    };
    const auto add_block = [&](const char* name, HardRole role, const Vec3& size) {
        add(name, role, box(size), make_box({.size = size}));
    };
    add_block("plate", HardRole::thin, {1, 0.8, 0.02});
    add_block("foil", HardRole::thin, {0.8, 0.8, 0.001});
    add_block("rod", HardRole::thin, {0.03, 0.03, 1.2});
    add("wire", HardRole::thin, capsule({0, 0, -0.5}, {0, 0, 0.5}, 0.02),
        make_capsule({.radius = 0.02, .length = 1, .segments = 16}));
    add("torus", HardRole::ring, torus(0.4, 0.06),
        make_torus({.radius = 0.4, .tube = 0.06, .segments = 96, .tube_segments = 20}));
    add_prism("hook", HardRole::ring, hook_corners(0.5, 0.38, 0.3, 24), 0.12);
    add_prism("star", HardRole::plain, star_corners(7, 0.5, 0.15), 0.15);
    add_prism("comb", HardRole::plain, comb_corners(5, 0.9, 0.6), 0.2);
    add_block("block", HardRole::plain, {0.6, 0.5, 0.4});
    add("ball", HardRole::plain, sphere(0.35), make_sphere({.radius = 0.35, .resolution = 12}));
    {
        const Vec3 outer(0.9, 0.8, 0.7), inner(0.8, 0.7, 0.6);
        TriangleMesh hollow = make_box({.size = outer});
        append(hollow, flipped(make_box({.size = inner})));
        add("case", HardRole::hollow, difference(box(outer), box(inner)), hollow);
        hollow = make_sphere({.radius = 0.5, .resolution = 12});
        append(hollow, flipped(make_sphere({.radius = 0.4, .resolution = 12})));
        add("bubble", HardRole::hollow, difference(sphere(0.5), sphere(0.4)), hollow);
    }
    add_prism("small star", HardRole::small, star_corners(5, 0.2, 0.07), 0.06);
    add_block("small block", HardRole::small, {0.3, 0.1, 0.2});
    return bodies;
}

enum class HardKind { anywhere, thin, interlocked, nested, touching };
inline constexpr std::array hard_kinds = {HardKind::anywhere, HardKind::thin, HardKind::interlocked, HardKind::nested,
                                          HardKind::touching};

struct HardPair {
    HardKind kind;
    const HardBody* a;
    const HardBody* b;
    Pose pose_a, pose_b;

    [[nodiscard]] Pose b_in_a() const { return relative(pose_a, pose_b); }
};

class HardPairs {
public:
    HardPairs(double scale, std::uint64_t seed) : bodies_(hard_bodies(scale)), random_(seed) {}

    [[nodiscard]] const std::vector<std::unique_ptr<HardBody>>& bodies() const { return bodies_; }

    [[nodiscard]] HardPair next() {
        HardPair pair{hard_kinds[random_.below(hard_kinds.size())], &any_body(), &any_body(), {}, {}};
        Pose b{random_.rotation(), Vec3::Zero()}; // in a's frame
        switch (pair.kind) {
        case HardKind::anywhere:
            b.translation = reach(pair) * random_.uniform(0.1, 1.0) * random_.direction();
            break;
        case HardKind::thin:
            pair.a = &body_with(HardRole::thin);
            if (random_.chance(0.5)) pair.b = &body_with(HardRole::thin);
            b.translation = 0.6 * reach(pair) * random_.in_ball();
            break;
        case HardKind::interlocked:
            pair.a = &body_with(HardRole::ring);
            pair.b = &body_with(HardRole::ring);
            b = interlocked(pair);
            break;
        case HardKind::nested:
            pair.a = &body_with(HardRole::hollow);
            if (random_.chance(0.8)) pair.b = &body_with(HardRole::small);
            b.translation = 0.35 * pair.a->size * random_.in_ball();
            break;
        case HardKind::touching:
            b.translation = touching(pair, b);
            break;
        }
        pair.pose_a = {random_.rotation(), pair.a->size * random_.in_ball()};
        pair.pose_b = pair.pose_a * b;
        if (random_.chance(0.5)) {
            std::swap(pair.a, pair.b);
            std::swap(pair.pose_a, pair.pose_b);
        }
        return pair;
    }

private:
    [[nodiscard]] const HardBody& any_body() { return *bodies_[random_.below(bodies_.size())]; }
    [[nodiscard]] const HardBody& body_with(HardRole role) {
        for (;;)
            if (const HardBody& body = any_body(); body.role == role) return body;
    }
    [[nodiscard]] static double reach(const HardPair& pair) { return 0.5 * (pair.a->size + pair.b->size); }

    // One ring stands in the other, at right angles and nearly through its middle.
    [[nodiscard]] Pose interlocked(const HardPair& pair) {
        const double out = random_.uniform(0, 2 * std::numbers::pi);
        const Vec3 where = 0.42 * pair.a->size * Vec3(std::cos(out), std::sin(out), 0);
        const Quat upright(Eigen::AngleAxisd(out, Vec3::UnitZ()) *
                           Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
        const Quat tilt(Eigen::AngleAxisd(random_.uniform(-0.5, 0.5), random_.direction()));
        const Quat spin(Eigen::AngleAxisd(random_.uniform(0, 2 * std::numbers::pi), Vec3::UnitZ()));
        return {Quat(tilt * upright * spin), where + 0.3 * pair.a->size * random_.in_ball()};
    }

    // Translated along a line to where the meshes begin to touch, and slightly beyond or back.
    [[nodiscard]] Vec3 touching(const HardPair& pair, const Pose& turned) {
        const Vec3 along = random_.direction(), aside = 0.2 * pair.a->size * random_.in_ball();
        const auto meets = [&](double t) {
            return solids_meet(pair.a->oracle, pair.b->oracle, {turned.rotation, aside + t * along});
        };
        double far = 2 * reach(pair), near = 0;
        for (int k = 0; k < 10 && !meets(near); ++k) near = random_.uniform(-0.5, 0.5) * reach(pair);
        for (int k = 0; k < 30; ++k) {
            const double middle = 0.5 * (near + far);
            (meets(middle) ? near : far) = middle;
        }
        const double gap = reach(pair) * std::pow(10.0, random_.uniform(-7, -1.3));
        return aside + (near + (random_.chance(0.5) ? gap : -gap)) * along;
    }

    std::vector<std::unique_ptr<HardBody>> bodies_;
    Random random_;
};

} // namespace fathom::testing
