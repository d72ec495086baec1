// Tetrahedral bodies for the tests, and what segments do in them by rational numbers.
#pragma once

#include <fathom/base/random.h>
#include <fathom/detect/tet/tet_collision.h>

#include <support/exact.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace fathom::testing {

// A body that owns its parts.
struct OwnedBody {
    TetMesh mesh;
    tet::TetTopology topology;

    explicit OwnedBody(TetMesh m) : mesh(std::move(m)), topology(mesh) {}
    [[nodiscard]] tet::TetBody view() const { return {mesh.vertices, topology}; }
};

[[nodiscard]] inline TetMesh one_tetrahedron(const std::array<Vec3, 4>& corners) {
    return {{corners.begin(), corners.end()}, {{0, 1, 2, 3}}};
}

// Every vertex shaken by up to `by` times the shortest edge of a cell; past about 0.5 some tetrahedra turn inside out.
[[nodiscard]] inline TetMesh shaken(TetMesh mesh, Random& random, double by) {
    for (Vec3& v : mesh.vertices) v += by * random.in_ball();
    return mesh;
}

[[nodiscard]] inline TetMesh placed(TetMesh mesh, double scale, const Vec3& shift) {
    for (Vec3& v : mesh.vertices) v = scale * (v + shift);
    return mesh;
}

struct ExactSpan {
    mpq_class enter, leave;
};

// The part of a segment in a closed tetrahedron; none for a flat one.
[[nodiscard]] inline std::optional<ExactSpan> exact_span(const std::array<Vec3, 4>& t, const Segment& segment) {
    const mpq_class volume = exact_volume(t[0], t[1], t[2], t[3]);
    if (sgn(volume) == 0) return {};
    ExactSpan span{0, 1};
    for (std::size_t k = 0; k < 4; ++k) {
        std::array<Vec3, 4> u = t, w = t;
        u[k] = segment.start;
        w[k] = segment.end;
        const mpq_class from = exact_volume(u[0], u[1], u[2], u[3]) * sgn(volume),
                        to = exact_volume(w[0], w[1], w[2], w[3]) * sgn(volume);
        if (sgn(from) < 0 && sgn(to) < 0) return {};
        if (sgn(from) < 0) span.enter = std::max<mpq_class>(span.enter, from / (from - to));
        if (sgn(to) < 0) span.leave = std::min<mpq_class>(span.leave, from / (from - to));
    }
    if (span.enter > span.leave) return {};
    return span;
}

// The union, with gaps and stays below what the library sees left out.
[[nodiscard]] inline std::vector<std::array<double, 2>> united(std::vector<ExactSpan> spans) {
    std::sort(spans.begin(), spans.end(), [](const ExactSpan& a, const ExactSpan& b) { return a.enter < b.enter; });
    std::vector<ExactSpan> whole;
    for (const ExactSpan& span : spans) {
        if (!whole.empty() && span.enter <= whole.back().leave + tet::shortest_stay)
            whole.back().leave = std::max(whole.back().leave, span.leave);
        else
            whole.push_back(span);
    }
    std::vector<std::array<double, 2>> seen;
    for (const ExactSpan& span : whole)
        if (span.leave - span.enter > tet::shortest_stay) seen.push_back({span.enter.get_d(), span.leave.get_d()});
    return seen;
}

// The stays of a segment in a body, by every tetrahedron.
[[nodiscard]] inline std::vector<std::array<double, 2>> exact_chains(const tet::TetBody& b, const Segment& segment) {
    std::vector<ExactSpan> spans;
    for (std::size_t t = 0; t < b.topology.tetrahedra().size(); ++t) {
        Box box;
        for (const Vec3& p : b.set().corners(t)) box.extend(p);
        if (!box.overlaps(segment.bounds())) continue;
        if (const auto span = exact_span(b.set().corners(t), segment)) spans.push_back(*span);
    }
    return united(spans);
}

} // namespace fathom::testing
