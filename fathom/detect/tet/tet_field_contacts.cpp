// Vertices and tetrahedra that intersect the interior of a field.
#include <fathom/detect/tet/tet_field_contacts.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>

#include <algorithm>
#include <cmath>

namespace fathom::tet {

namespace {

constexpr std::size_t vertex_chunk = 1024;
constexpr std::size_t tetrahedron_chunk = 256;
constexpr int descent_steps = 16;

// The body in the frame of the field, and the value of the field at its vertices minus the level.
struct Values {
    std::vector<Vec3> points;
    std::vector<double> value;
};

Values values_at(const TetBody& body, const Field& field, const Pose& pose, double level) {
    Values v{std::vector<Vec3>(body.vertices.size()), std::vector<double>(body.vertices.size())};
    parallel_for(v.points.size(), vertex_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) v.points[k] = pose.to_local(body.vertices[k]);
        field.distances(std::span(v.points).subspan(begin, end - begin),
                        std::span(v.value).subspan(begin, end - begin));
        for (std::size_t k = begin; k < end; ++k) v.value[k] -= level;
    });
    return v;
}

struct Lowest {
    std::array<double, 4> weights;
    double value;
};

Vec3 at(const std::array<Vec3, 4>& corners, const std::array<double, 4>& w) {
    return w[0] * corners[0] + w[1] * corners[1] + w[2] * corners[2] + w[3] * corners[3];
}

// Starts at the best of the corners and the centre and moves towards the corner that the gradient prefers, with
// decreasing steps.
Lowest descend(const Field& field, double level, const std::array<Vec3, 4>& corners,
               const std::array<double, 4>& values) {
    const auto best = static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
    Lowest lowest{{}, values[best]};
    lowest.weights[best] = 1;
    std::array<double, 4> w = {0.25, 0.25, 0.25, 0.25};
    for (int step = 0; step < descent_steps; ++step) {
        const Sample sample = field.sample(at(corners, w));
        if (sample.distance - level < lowest.value) lowest = {w, sample.distance - level};
        std::size_t target = 0;
        for (std::size_t k = 1; k < 4; ++k)
            if (sample.gradient.dot(corners[k] - corners[target]) < 0) target = k;
        const double part = 2.0 / (step + 3);
        for (double& x : w) x *= 1 - part;
        w[target] += part;
    }
    return lowest;
}

// Subdivides the tetrahedron at its longest edges until the Lipschitz bound rules out every part, a part is found
// inside (`lowest` is then there), or the evaluations are exhausted.
Status decide(const Field& field, double level, const std::array<Vec3, 4>& corners, std::size_t max_evaluations,
              Lowest& lowest) {
    using Part = std::array<std::array<double, 4>, 4>; // weights of its corners
    std::vector<Part> open = {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}};
    for (; !open.empty(); --max_evaluations) {
        if (max_evaluations == 0) return Status::undecided;
        Part part = open.back();
        open.pop_back();
        std::array<Vec3, 4> p;
        std::array<double, 4> middle{};
        for (std::size_t k = 0; k < 4; ++k) {
            p[k] = at(corners, part[k]);
            for (std::size_t i = 0; i < 4; ++i) middle[i] += 0.25 * part[k][i];
        }
        const Vec3 center = at(corners, middle);
        const double value = field.distance(center) - level;
        if (value < lowest.value) lowest = {middle, value};
        if (value <= 0) return Status::overlapping;
        double reach = 0, longest = -1;
        std::size_t from = 0, to = 1;
        for (std::size_t i = 0; i < 4; ++i) {
            reach = std::max(reach, (p[i] - center).norm());
            for (std::size_t j = i + 1; j < 4; ++j)
                if ((p[i] - p[j]).squaredNorm() > longest) longest = (p[i] - p[j]).squaredNorm(), from = i, to = j;
        }
        if (value > (1 + 1e-9) * field.lipschitz() * reach) continue;
        std::array<double, 4> half;
        for (std::size_t i = 0; i < 4; ++i) half[i] = 0.5 * (part[from][i] + part[to][i]);
        Part other = part;
        part[from] = half;
        other[to] = half;
        open.push_back(part);
        open.push_back(other);
    }
    return Status::disjoint;
}

Box box_round(const std::array<Vec3, 4>& c) {
    return {c[0].cwiseMin(c[1]).cwiseMin(c[2].cwiseMin(c[3])), c[0].cwiseMax(c[1]).cwiseMax(c[2].cwiseMax(c[3]))};
}

void judge(const Field& field, const TetFieldContactOptions& options, const Values& v, Index number,
           const Tetrahedron& t, std::vector<TetInField>& out) {
    const double level = options.level;
    const std::array<Vec3, 4> corners = {v.points[t[0]], v.points[t[1]], v.points[t[2]], v.points[t[3]]};
    const std::array<double, 4> values = {v.value[t[0]], v.value[t[1]], v.value[t[2]], v.value[t[3]]};
    double reach = 0; // from corner 0 to the farthest point of the tetrahedron
    for (std::size_t k = 1; k < 4; ++k) reach = std::max(reach, (corners[k] - corners[0]).norm());
    const double by_slope = values[0] - outward(field.lipschitz() * reach) - relative_rounding * std::abs(values[0]);
    if (by_slope > 0) return;
    const double by_range = field.range(box_round(corners)).lower - level;
    if (by_range > 0) return;
    Lowest lowest = descend(field, level, corners, values);
    Status status = lowest.value <= 0 ? Status::overlapping : Status::undecided;
    if (status == Status::undecided && std::isfinite(field.lipschitz()))
        status = decide(field, level, corners, options.max_evaluations, lowest);
    if (status == Status::disjoint) return;
    // Infinite slopes make one bound NaN or minus infinity; rounding may put the value of a corner below the other.
    const double bound = std::max(-(by_slope > by_range ? by_slope : by_range), -lowest.value);
    out.push_back({number, status, lowest.weights, -lowest.value, bound});
}

} // namespace

TetFieldContacts tet_field_contacts(const TetBody& body, const Field& field, const Pose& pose,
                                    const TetFieldContactOptions& options) {
    (void)bounds(body);
    if (!std::isfinite(options.level) || !is_finite(pose))
        throw Error(Cause::invalid_argument, "level and pose must be finite");
    const Values v = values_at(body, field, pose, options.level);
    TetFieldContacts found;
    for (const Index k : body.topology.used_vertices()) {
        if (!(v.value[k] < 0)) continue;
        const Vec3 gradient = pose.rotate(field.sample(v.points[k]).gradient);
        const double length = gradient.norm();
        found.vertices.push_back({k, -v.value[k], length > 0 ? Vec3(gradient / length) : Vec3::Zero()});
    }
    const auto tetrahedra = body.topology.tetrahedra();
    std::vector<std::vector<TetInField>> parts((tetrahedra.size() + tetrahedron_chunk - 1) / tetrahedron_chunk);
    parallel_tasks(parts.size(), [&](std::size_t k) {
        for (std::size_t t = k * tetrahedron_chunk; t < std::min(tetrahedra.size(), (k + 1) * tetrahedron_chunk); ++t)
            judge(field, options, v, static_cast<Index>(t), tetrahedra[t], parts[k]);
    });
    for (const auto& part : parts) found.tetrahedra.insert(found.tetrahedra.end(), part.begin(), part.end());
    return found;
}

} // namespace fathom::tet
