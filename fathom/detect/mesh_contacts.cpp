// Room: detect. Walks the balls of a mesh through a field, descends on the triangles that are left, and proves the rest.
#include <fathom/base/error.h>
#include <fathom/base/interval.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/free_radius.h>
#include <fathom/detect/mesh_contacts.h>
#include <fathom/detect/triangle_descent.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/closest_point.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

using Corners = std::array<Vec3, 3>;

constexpr std::size_t chunk = 64;           // triangles of one task
constexpr std::size_t least_cuts = 64;      // look-ups that every open triangle may spend, whatever the budget
constexpr double longest_range_in_cells = 4; // the range of larger boxes of a grid costs many look-ups

int longest_edge(const Corners& c) {
    const double a = (c[1] - c[0]).squaredNorm(), b = (c[2] - c[1]).squaredNorm(), d = (c[0] - c[2]).squaredNorm();
    return a >= b && a >= d ? 0 : b >= d ? 1 : 2;
}

// The smallest ball round a triangle; its centre is a point of the triangle, also where there is no area.
Sphere ball_round(const Corners& c) {
    const auto k = static_cast<std::size_t>(longest_edge(c));
    const Vec3 &p = c[k], &q = c[(k + 1) % 3], &apex = c[(k + 2) % 3];
    Vec3 center = 0.5 * p + 0.5 * q;
    const Vec3 u = p - apex, v = q - apex, up = u.cross(v);
    if (u.dot(v) > 0 && up.squaredNorm() > 0) {
        const Vec3 round = apex + (u.squaredNorm() * v - v.squaredNorm() * u).cross(up) / (2 * up.squaredNorm());
        if (is_finite(round)) center = closest_point(round, c).point;
    }
    double squared = 0;
    for (const Vec3& corner : c) squared = std::max(squared, (corner - center).squaredNorm());
    return {center, std::sqrt(squared) * (1 + 1e-14)};
}

struct PlaceRange {
    std::size_t begin, end;
};

std::vector<PlaceRange> places_below(const SphereTree& tree) {
    const auto nodes = tree.nodes();
    std::vector<PlaceRange> below(nodes.size());
    for (std::size_t k = nodes.size(); k-- > 0;) {
        const SphereNode& node = nodes[k];
        below[k] = node.is_leaf() ? PlaceRange{node.first, node.first + node.size()}
                                  : PlaceRange{below[node.first].begin, below[node.first + node.size() - 1].end};
    }
    return below;
}

} // namespace

ContactMesh::ContactMesh(const TriangleMesh& mesh) : vertices_(mesh.vertices) {
    check(mesh);
    const std::size_t count = mesh.triangles.size();
    std::vector<Vec3> centers(count);
    parallel_for(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) centers[t] = ball_round(mesh.corners(t)).center;
    });
    tree_ = SphereTree(centers, {.leaf_size = 4});
    triangles_.resize(count);
    radius_.resize(count);
    parallel_for(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t place = begin; place < end; ++place) {
            triangles_[place] = mesh.triangles[tree_.order()[place]];
            radius_[place] = float_up(ball_round(corners(place)).radius);
        }
    });
    const auto nodes = tree_.nodes();
    const std::vector<PlaceRange> below = places_below(tree_);
    reach_.resize(nodes.size());
    parallel_for(nodes.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Vec3 center = tree_.sphere(nodes[k]).center;
            double squared = 0;
            for (std::size_t place = below[k].begin; place < below[k].end; ++place)
                for (const Vec3& corner : corners(place)) squared = std::max(squared, (corner - center).squaredNorm());
            reach_[k] = float_up(std::sqrt(squared) * (1 + 1e-14));
        }
    });
}

std::size_t ContactMesh::memory_bytes() const {
    return vertices_.size() * sizeof(Vec3) + triangles_.size() * (sizeof(Triangle) + sizeof(float)) + reach_.size() * sizeof(float) +
           tree_.memory_bytes();
}

namespace {

// For sorting: what is not a number comes first, as it may be anything.
double order(double value) { return std::isnan(value) ? -HUGE_VAL : value; }

// A triangle that its ball did not rule out.
struct Candidate {
    std::size_t place = 0;
    Vec3 center = Vec3::Zero(); // of its ball, in the field's frame
    double value = 0;           // of the field there
    bool cleared = false;       // proven to stay above the margin
    bool touches = false;
    bool descended = false;
    TriangleLeast least{};      // in the field's frame
};

class Meeting {
public:
    Meeting(const ContactMesh& mesh, const Pose& mesh_pose, const Field& field, const Pose& field_pose, const MeshContactOptions& options)
        : mesh_(mesh), field_(field), field_pose_(field_pose), options_(options), clear_(field, options.margin), slope_(field.lipschitz()) {
        const Pose seen = relative(field_pose, mesh_pose);
        turn_ = seen.rotation.toRotationMatrix();
        move_ = seen.translation;
        const Sphere all = mesh.tree().sphere(mesh.tree().nodes()[0]);
        error_ = 1e-14 * (move_.norm() + all.center.norm() + mesh.reach(0) + field_pose.translation.norm() + mesh_pose.translation.norm());
        tolerance_ = options.tolerance > 0 ? options.tolerance : 2e-6 * mesh.reach(0);
        const auto* grid = dynamic_cast<const GridField*>(&field);
        longest_range_ = grid ? longest_range_in_cells * grid->layout().cell : HUGE_VAL;
        out_.error_bound = grid ? grid->near_error_bound() : field.error_bound();
    }

    [[nodiscard]] MeshContactResult run() {
        walk();
        switch (options_.goal) {
        case MeshGoal::any: any(); break;
        case MeshGoal::deepest: deepest(); break;
        case MeshGoal::contacts: all(); break;
        }
        return std::move(out_);
    }

private:
    static constexpr std::size_t width = 8; // children of a node, and more than triangles of a leaf

    void walk();
    [[nodiscard]] bool walk_leaf(const SphereNode& node);
    [[nodiscard]] bool rules_out(double value, double radius) const;
    void any();
    void deepest();
    void all();
    void descend(Candidate& candidate);
    void descend_all();
    void prove_open();
    void prove(Candidate& candidate, std::size_t budget);
    void list_contacts();
    [[nodiscard]] MeshContact contact(const Candidate& candidate) const;

    [[nodiscard]] Vec3 seen(const Vec3& p) const { return turn_ * p + move_; }
    [[nodiscard]] Corners seen_corners(std::size_t place) const {
        const Corners c = mesh_.corners(place);
        return {seen(c[0]), seen(c[1]), seen(c[2])};
    }
    [[nodiscard]] bool is_clear(double value, double radius) const { return clear_(value) > radius + error_; }
    template <class Visit>
    void each(std::size_t count, const Visit& visit) const {
        if (count <= 4 * chunk) return visit(std::size_t{0}, count);
        parallel_for(count, chunk, visit);
    }

    const ContactMesh& mesh_;
    const Field& field_;
    const Pose& field_pose_;
    const MeshContactOptions& options_;
    FreeRadius clear_;
    double slope_;
    Mat3 turn_;
    Vec3 move_;
    double error_;      // of positions, by rounding (m)
    double tolerance_;
    double longest_range_;
    double best_ = HUGE_VAL; // the least value seen on a triangle
    std::vector<Candidate> candidates_;
    MeshContactResult out_;
};

// Nothing of the ball can touch or, where the deepest is wanted, be deepest.
bool Meeting::rules_out(double value, double radius) const {
    if (options_.goal != MeshGoal::deepest) return is_clear(value, radius);
    return value - slope_ * (radius + error_) > best_ && (best_ <= options_.margin || is_clear(value, radius));
}

// Depth first, the child with the least value first.
void Meeting::walk() {
    struct Item {
        Index node;
        double value;
    };
    const auto nodes = mesh_.tree().nodes();
    std::vector<Item> stack = {{0, -HUGE_VAL}};
    std::array<Vec3, width> positions;
    std::array<double, width> values;
    while (!stack.empty()) {
        const Item item = stack.back();
        stack.pop_back();
        const SphereNode& node = nodes[item.node];
        if (options_.goal == MeshGoal::deepest && item.value > -HUGE_VAL && rules_out(item.value, mesh_.reach(item.node))) continue;
        if (node.is_leaf()) {
            if (!walk_leaf(node)) return;
            continue;
        }
        const std::size_t count = node.size(), first = stack.size();
        for (std::size_t c = 0; c < count; ++c) positions[c] = seen(mesh_.tree().sphere(nodes[node.first + c]).center);
        field_.distances(std::span(positions).first(count), std::span(values).first(count));
        out_.look_ups += count;
        for (std::size_t c = 0; c < count; ++c)
            if (!rules_out(values[c], mesh_.reach(node.first + c))) stack.push_back({static_cast<Index>(node.first + c), order(values[c])});
        std::sort(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end(), [](const Item& a, const Item& b) {
            return a.value > b.value || (a.value == b.value && a.node > b.node);
        });
    }
}

// False once a triangle touches and no more is asked.
bool Meeting::walk_leaf(const SphereNode& node) {
    std::array<Vec3, width> positions;
    std::array<double, width> values;
    const std::size_t count = node.size();
    for (std::size_t c = 0; c < count; ++c) positions[c] = seen(mesh_.ball(node.first + c).center);
    field_.distances(std::span(positions).first(count), std::span(values).first(count));
    out_.look_ups += count;
    for (std::size_t c = 0; c < count; ++c) {
        if (rules_out(values[c], mesh_.ball(node.first + c).radius)) continue;
        candidates_.push_back({.place = node.first + c, .center = positions[c], .value = values[c]});
        if (values[c] < best_) best_ = values[c];
        if (options_.goal == MeshGoal::any && values[c] <= options_.margin) return false;
    }
    return true;
}

void Meeting::descend(Candidate& candidate) {
    candidate.least = least_on_triangle(field_, seen_corners(candidate.place), candidate.center, candidate.value);
    candidate.descended = true;
    candidate.touches = candidate.least.sample.distance <= options_.margin;
}

void Meeting::descend_all() {
    each(candidates_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) descend(candidates_[k]);
    });
}

// Cuts a triangle until balls or ranges clear every piece, or a point of it touches.
void Meeting::prove(Candidate& candidate, std::size_t budget) {
    std::vector<Corners> open = {seen_corners(candidate.place)};
    const auto spend = [&](std::size_t look_ups) {
        candidate.least.look_ups += look_ups;
        budget -= std::min(budget, look_ups);
    };
    while (!open.empty()) {
        const Corners piece = open.back();
        open.pop_back();
        const Sphere ball = ball_round(piece);
        const double value = field_.distance(ball.center);
        spend(1);
        if (value <= options_.margin) {
            const std::size_t before = candidate.least.look_ups;
            candidate.least = least_on_triangle(field_, seen_corners(candidate.place), ball.center, value);
            candidate.least.look_ups += before;
            candidate.touches = true;
            return;
        }
        if (is_clear(value, ball.radius)) continue;
        Box box;
        for (const Vec3& corner : piece) box.extend(corner);
        if (box.diagonal() <= longest_range_) {
            spend(1);
            if (field_.range(box.grown(error_)).lower > options_.margin) continue;
        }
        const auto k = static_cast<std::size_t>(longest_edge(piece));
        const Vec3 &p = piece[k], &q = piece[(k + 1) % 3], &apex = piece[(k + 2) % 3];
        if (budget == 0 || !((p - q).norm() > tolerance_)) return; // stays open
        const Vec3 middle = 0.5 * p + 0.5 * q;
        open.push_back({p, middle, apex});
        open.push_back({middle, q, apex});
    }
    candidate.cleared = true;
}

// What neither touches nor is clear. The budget is shared evenly, so that it does not matter who runs first.
void Meeting::prove_open() {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
        if (!candidates_[k].touches && !is_clear(candidates_[k].value, mesh_.ball(candidates_[k].place).radius)) open.push_back(k);
    if (options_.prove && !open.empty()) {
        const std::size_t share = std::max(least_cuts, options_.budget / open.size());
        each(open.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) prove(candidates_[open[k]], share);
        });
    }
    for (const std::size_t k : open) {
        const Candidate& c = candidates_[k];
        if (c.touches || c.cleared) continue;
        ++out_.undecided;
        out_.open_triangle = std::min(out_.open_triangle, mesh_.triangle(c.place));
    }
}

void Meeting::any() {
    // The last is the only one that may be at or below the margin.
    if (!candidates_.empty() && candidates_.back().value <= options_.margin) {
        descend(candidates_.back());
        return list_contacts();
    }
    std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
        const double x = order(a.value) - mesh_.ball(a.place).radius, y = order(b.value) - mesh_.ball(b.place).radius;
        return x < y || (x == y && a.place < b.place);
    });
    for (Candidate& candidate : candidates_) {
        descend(candidate);
        if (candidate.touches) return list_contacts();
    }
    prove_open();
    list_contacts();
}

void Meeting::deepest() {
    const auto bound = [&](const Candidate& c) { return c.value - slope_ * (mesh_.ball(c.place).radius + error_); };
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
        const double x = order(a.value), y = order(b.value);
        return x < y || (x == y && a.place < b.place);
    });
    for (Candidate& candidate : candidates_) {
        if (bound(candidate) > best_) continue;
        descend(candidate);
        if (candidate.least.sample.distance < best_) best_ = candidate.least.sample.distance;
    }
    if (!(best_ <= options_.margin)) prove_open();
    const auto value = [](const Candidate& c) {
        return (c.descended || c.touches) && !std::isnan(c.least.sample.distance) ? c.least.sample.distance : HUGE_VAL;
    };
    const auto least = std::min_element(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
        return value(a) < value(b) || (value(a) == value(b) && mesh_.triangle(a.place) < mesh_.triangle(b.place));
    });
    for (const Candidate& c : candidates_) out_.look_ups += c.least.look_ups, out_.descents += c.descended;
    out_.verdict = out_.undecided > 0 ? Verdict::undecided : Verdict::disjoint;
    if (least == candidates_.end() || !(value(*least) < HUGE_VAL)) return;
    if (value(*least) <= options_.margin) out_.verdict = Verdict::overlapping;
    out_.contacts.push_back(contact(*least));
}

void Meeting::all() {
    descend_all();
    prove_open();
    list_contacts();
}

MeshContact Meeting::contact(const Candidate& candidate) const {
    const Corners corners = seen_corners(candidate.place);
    MeshContact result;
    result.triangle = mesh_.triangle(candidate.place);
    result.barycentric = closest_point(candidate.least.point, corners).barycentric;
    result.point = field_pose_ * candidate.least.point;
    result.depth = -candidate.least.sample.distance;
    Vec3 out = candidate.least.sample.gradient;
    if (!(out.norm() > 0)) out = -area_vector(corners); // a flat spot of the field: the way the triangle faces
    if (!(out.norm() > 0)) out = -Vec3::UnitZ();
    result.normal = field_pose_.turn(-out.normalized());
    return result;
}

void Meeting::list_contacts() {
    for (const Candidate& candidate : candidates_) {
        out_.look_ups += candidate.least.look_ups;
        out_.descents += candidate.descended;
        if (candidate.touches) out_.contacts.push_back(contact(candidate));
    }
    std::sort(out_.contacts.begin(), out_.contacts.end(), [](const MeshContact& a, const MeshContact& b) {
        return a.depth > b.depth || (a.depth == b.depth && a.triangle < b.triangle);
    });
    out_.verdict = !out_.contacts.empty() ? Verdict::overlapping : out_.undecided > 0 ? Verdict::undecided : Verdict::disjoint;
    const std::size_t most = options_.goal == MeshGoal::any ? 1 : options_.most_contacts;
    out_.truncated = options_.goal == MeshGoal::contacts && out_.contacts.size() > most;
    if (out_.contacts.size() > most) out_.contacts.resize(most);
}

void check_options(const MeshContactOptions& options) {
    if (!std::isfinite(options.margin)) throw Error(Cause::invalid_argument, fmt::format("margin is {}, not finite", options.margin));
    if (!(options.tolerance >= 0)) throw Error(Cause::invalid_argument, fmt::format("tolerance is {}, not 0 or more", options.tolerance));
}

} // namespace

MeshContactResult mesh_contacts(const ContactMesh& mesh, const Pose& mesh_pose, const Field& field, const Pose& field_pose,
                                const MeshContactOptions& options) {
    check_options(options);
    if (mesh.size() == 0) return {};
    if (!is_finite(mesh_pose) || !is_finite(field_pose)) {
        MeshContactResult unknown;
        unknown.verdict = Verdict::undecided;
        unknown.undecided = mesh.size();
        unknown.open_triangle = 0;
        unknown.error_bound = HUGE_VAL;
        return unknown;
    }
    return Meeting(mesh, mesh_pose, field, field_pose, options).run();
}

} // namespace fathom
