// Surfaces of revolution about the z axis, and the shapes built from them.
#include <fathom/geometry/generate/parts.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

using std::numbers::pi;

[[noreturn]] void refuse_profile(std::size_t index, std::string reason) {
    throw Error(Cause::invalid_argument, std::move(reason),
                {.element = "profile point", .index = static_cast<std::int64_t>(index)});
}

void check_profile(std::span<const Vec2> profile) {
    if (profile.size() < 3)
        throw Error(Cause::invalid_argument, "a profile needs at least three points", {.element = "option profile"});
    const bool loop = profile.front() == profile.back();
    for (std::size_t i = 0; i < profile.size(); ++i) {
        const Vec2& p = profile[i];
        const bool end = i == 0 || i + 1 == profile.size();
        if (!(std::abs(p.x()) <= max_generated_length && std::abs(p.y()) <= max_generated_length))
            refuse_profile(i, fmt::format("({}, {}) is not within {} m", p.x(), p.y(), max_generated_length));
        if (i > 0 && p == profile[i - 1]) refuse_profile(i, "equals the previous point");
        if (end && !loop && p.x() != 0) refuse_profile(i, "the profile must start and end on the axis, or be a loop");
        if ((!end || loop) && !(p.x() > 0)) refuse_profile(i, "only the ends of the profile may lie on the axis");
    }
}

Ring add_ring(TriangleMesh& mesh, const Vec2& point, std::size_t count) {
    const Ring ring{static_cast<Index>(mesh.vertices.size()), count};
    for (std::size_t k = 0; k < count; ++k) {
        const Vec2 c = point.x() * unit_circle(k, count);
        mesh.vertices.emplace_back(c.x(), c.y(), point.y());
    }
    return ring;
}

// Triangulates the band between two rings by advancing around both at the same angle. The triangles face outward if
// `high` is above `low`.
void add_band(TriangleMesh& mesh, const Ring& low, const Ring& high) {
    for (std::size_t i = 0, j = 0; i < low.count || j < high.count;) {
        const bool advance_low = high.count == 1 || (low.count > 1 && (i + 1) * high.count <= (j + 1) * low.count);
        if (advance_low) {
            mesh.triangles.push_back({low.vertex(i), low.vertex(i + 1), high.vertex(j)});
            if (++i == low.count && high.count == 1) return;
        } else {
            mesh.triangles.push_back({low.vertex(i), high.vertex(j + 1), high.vertex(j)});
            if (++j == high.count && low.count == 1) return;
        }
    }
}

// Even rings have all of the vertices or a half, a quarter, ... of them. Neighbouring rings mostly have the same
// number, so that the band between them consists of flat strips; otherwise every second vertex has a counterpart.
std::size_t ring_size(double radius, double widest, const LatheOptions& options) {
    if (radius == 0) return 1;
    std::size_t count = options.segments;
    if (options.even)
        for (double border = 0.70710678118654752 * widest; radius < border && count >= 6; border /= 2) count /= 2;
    return count;
}

} // namespace

TriangleMesh lathe(std::span<const Vec2> profile, const LatheOptions& options) {
    std::vector<Ring> rings;
    return lathe(profile, options, rings);
}

TriangleMesh lathe(std::span<const Vec2> profile, const LatheOptions& options, std::vector<Ring>& rings) {
    check_count("segments", options.segments, 3, max_generated_elements);
    check_total("lathe shape", 2.0 * static_cast<double>(options.segments) * static_cast<double>(profile.size()));
    check_profile(profile);
    const bool loop = profile.front() == profile.back();
    double widest = 0, turned = 0;
    for (std::size_t i = 0; i < profile.size(); ++i) {
        widest = std::max(widest, profile[i].x());
        const Vec2& next = profile[(i + 1) % profile.size()];
        turned += profile[i].x() * next.y() - next.x() * profile[i].y(); // > 0: counter-clockwise
    }
    TriangleMesh mesh;
    rings.clear();
    for (std::size_t i = 0; i + (loop ? 1 : 0) < profile.size(); ++i)
        rings.push_back(add_ring(mesh, profile[i], ring_size(profile[i].x(), widest, options)));
    for (std::size_t i = 0; i + 1 < rings.size(); ++i) add_band(mesh, rings[i], rings[i + 1]);
    if (loop) add_band(mesh, rings.back(), rings.front());
    return turned > 0 ? mesh : flipped(std::move(mesh));
}

Profile& Profile::line_to(const Vec2& end) {
    const Vec2 start = points_.back();
    const std::size_t n = pieces(std::sqrt((end - start).squaredNorm()), edge_);
    for (std::size_t k = 1; k < n; ++k)
        points_.push_back(start + static_cast<double>(k) / static_cast<double>(n) * (end - start));
    points_.push_back(end);
    return *this;
}

Profile& Profile::arc(const Vec2& center, double radius, int from, int to) {
    const double length = 2 * pi * radius * std::abs(to - from) / 100;
    const auto n = static_cast<std::ptrdiff_t>(pieces(length, edge_, 2));
    const std::ptrdiff_t turn = 100 * n;
    for (std::ptrdiff_t k = 1; k <= n; ++k) {
        const std::ptrdiff_t at = (from * n + (to - from) * k) % turn;
        points_.push_back(center + radius * unit_circle(static_cast<std::size_t>(at), static_cast<std::size_t>(turn)));
    }
    return *this;
}

Profile& Profile::end_on_axis() {
    points_.back().x() = 0;
    return *this;
}

double edge_around(double radius, std::size_t segments) { return 2 * pi * radius / static_cast<double>(segments); }

void check_area(std::string_view shape, double area, double edge) { check_total(shape, 2.4 * area / (edge * edge)); }

namespace {

void check_segments(std::size_t segments, std::size_t minimum = 6) {
    check_count("segments", segments, minimum, 20'000);
}

TriangleMesh turned(const Profile& profile, std::size_t segments) {
    return lathe(profile.points(), {.segments = segments, .even = true});
}

} // namespace

TriangleMesh make_capsule(const CapsuleOptions& options) {
    check_length("radius", options.radius);
    check_number("length", options.length, 0, max_generated_length);
    check_segments(options.segments);
    const double r = options.radius, half = options.length / 2, edge = edge_around(r, options.segments);
    check_area("capsule", 4 * pi * r * r + 2 * pi * r * options.length, edge);
    Profile profile({0, -half - r}, edge);
    profile.arc({0, -half}, r, 75, 100);
    if (half > 0) profile.line_to({r, half});
    profile.arc({0, half}, r, 0, 25).end_on_axis();
    return turned(profile, options.segments);
}

TriangleMesh make_cylinder(const CylinderOptions& options) {
    check_length("radius", options.radius);
    check_length("height", options.height);
    check_segments(options.segments, 3);
    const double r = options.radius, half = options.height / 2, edge = edge_around(r, options.segments);
    check_area("cylinder", 2 * pi * r * (r + options.height), edge);
    return turned(Profile({0, -half}, edge).line_to({r, -half}).line_to({r, half}).line_to({0, half}),
                  options.segments);
}

TriangleMesh make_cone(const ConeOptions& options) {
    check_length("radius", options.radius);
    check_length("height", options.height);
    check_segments(options.segments, 3);
    const double r = options.radius, half = options.height / 2, edge = edge_around(r, options.segments);
    check_area("cone", pi * r * (2 * r + options.height), edge);
    return turned(Profile({0, -half}, edge).line_to({r, -half}).line_to({0, half}), options.segments);
}

TriangleMesh make_torus(const TorusOptions& options) {
    check_length("radius", options.radius);
    check_number("tube", options.tube, min_generated_length, 0.999 * options.radius);
    check_count("segments", options.segments, 3, max_generated_elements);
    check_count("tube_segments", options.tube_segments, 3, max_generated_elements);
    check_total("torus", 2.0 * static_cast<double>(options.segments) * static_cast<double>(options.tube_segments));
    std::vector<Vec2> circle;
    for (std::size_t k = 0; k <= options.tube_segments; ++k)
        circle.push_back(Vec2(options.radius, 0) + options.tube * unit_circle(k, options.tube_segments));
    return lathe(circle, {.segments = options.segments});
}

TriangleMesh make_bowl(const BowlOptions& options) {
    check_length("radius", options.radius);
    check_number("thickness", options.thickness, options.radius * 1e-3, options.radius * 0.5);
    check_segments(options.segments, 12);
    const double r = options.radius, inner = r - options.thickness, edge = edge_around(r, options.segments);
    check_area("bowl", 2 * pi * (r * r + inner * inner), edge);
    // Flat triangles cut up to about edge^2 / (3 r) into the sphere; the two walls must not intersect.
    if (edge * edge > r * options.thickness)
        throw Error(Cause::invalid_argument,
                    fmt::format("a wall of {} m needs at least {} segments", options.thickness,
                                std::ceil(2 * pi * std::sqrt(r / options.thickness))),
                    {.element = "option segments"});
    Profile profile({0, -r}, edge);
    profile.arc(Vec2::Zero(), r, 75, 100).arc({0.5 * (r + inner), 0}, 0.5 * options.thickness, 0, 50);
    profile.arc(Vec2::Zero(), inner, 100, 75).end_on_axis();
    return turned(profile, options.segments);
}

// A chess pawn of unit height, which is then scaled: a foot with two rolls, a waisted stem, a collar and a ball.
TriangleMesh make_pawn(const PawnOptions& options) {
    check_length("height", options.height);
    check_segments(options.segments, 24);
    const double edge = edge_around(0.3, options.segments);
    check_area("pawn", 2.5, edge);
    Profile profile({0, -0.5}, edge);
    profile.line_to({0.28, -0.5}).arc({0.28, -0.46}, 0.04, 75, 100).line_to({0.32, -0.43});
    profile.arc({0.28, -0.43}, 0.04, 0, 25).line_to({0.25, -0.39}).arc({0.25, -0.355}, 0.035, 75, 125);
    profile.line_to({0.23, -0.32}).line_to({0.16, -0.2}).line_to({0.13, -0.08}).line_to({0.12, 0.06});
    profile.line_to({0.12, 0.12}).line_to({0.18, 0.135}).arc({0.18, 0.155}, 0.02, 75, 125);
    const Vec2 center(0, 0.32);
    profile.line_to(center + 0.18 * unit_circle(87, 100));
    profile.arc(center, 0.18, 87, 125).end_on_axis();
    return mapped(turned(profile, options.segments), [&](const Vec3& p) { return Vec3(options.height * p); });
}

} // namespace fathom
