// Traversal of the bounding-sphere tree of a mesh in a field, descent on the remaining triangles, and proofs for the
// others.
#include <fathom/detect/mesh_field/mesh_contacts.h>

#include <fathom/base/error.h>
#include <fathom/detect/mesh_field/mesh_in_field_frame.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::mesh_field {

namespace {

// Sort key: NaN comes first, as it may be any value.
double order(double value) { return std::isnan(value) ? -HUGE_VAL : value; }

class MeshContactSearch {
public:
    MeshContactSearch(const TriangleSphereTree& mesh, const Pose& mesh_pose, const Field& field, const Pose& field_pose,
                      const MeshContactOptions& options)
        : mesh_(mesh), field_(field), frame_(mesh, mesh_pose, field, field_pose, options.margin, options.tolerance),
          options_(options), slope_(field.lipschitz()) {
        out_.error_bound = frame_.depth_error();
    }

    [[nodiscard]] MeshContactResult run() {
        traverse();
        switch (options_.goal) {
        case MeshGoal::any:
            any();
            break;
        case MeshGoal::deepest:
            deepest();
            break;
        case MeshGoal::contacts:
            all();
            break;
        }
        return std::move(out_);
    }

private:
    static constexpr std::size_t width = 8; // maximum number of children of a node; leaves have fewer triangles

    void traverse();
    [[nodiscard]] bool visit_leaf(const SphereNode& node);
    [[nodiscard]] bool excludes(double value, double radius) const;
    void any();
    void deepest();
    void all();
    void prove_open();
    void list_contacts();

    const TriangleSphereTree& mesh_;
    const Field& field_;
    MeshInFieldFrame frame_;
    const MeshContactOptions& options_;
    double slope_;
    double best_ = HUGE_VAL; // the smallest value found on a triangle
    std::vector<TriangleInFieldFrame> candidates_;
    MeshContactResult out_;
};

// Whether no point of the sphere can touch or, with goal `deepest`, be the deepest.
bool MeshContactSearch::excludes(double value, double radius) const {
    if (options_.goal != MeshGoal::deepest) return frame_.is_clear(value, radius);
    return value - slope_ * (radius + frame_.error()) > best_ &&
           (best_ <= options_.margin || frame_.is_clear(value, radius));
}

// Depth-first traversal; the child with the smallest value comes first.
void MeshContactSearch::traverse() {
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
        if (options_.goal == MeshGoal::deepest && item.value > -HUGE_VAL &&
            excludes(item.value, mesh_.reach(item.node)))
            continue;
        if (node.is_leaf()) {
            if (!visit_leaf(node)) return;
            continue;
        }
        const std::size_t count = node.size(), first = stack.size();
        for (std::size_t c = 0; c < count; ++c) positions[c] = frame_.node(node.first + c).center;
        field_.distances(std::span(positions).first(count), std::span(values).first(count));
        out_.evaluations += count;
        for (std::size_t c = 0; c < count; ++c)
            if (!excludes(values[c], mesh_.reach(node.first + c)))
                stack.push_back({static_cast<Index>(node.first + c), order(values[c])});
        std::sort(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end(), [](const Item& a, const Item& b) {
            return a.value > b.value || (a.value == b.value && a.node > b.node);
        });
    }
}

// Returns false if a triangle touches and the goal is `any`.
bool MeshContactSearch::visit_leaf(const SphereNode& node) {
    std::array<Vec3, width> positions;
    std::array<double, width> values;
    const std::size_t count = node.size();
    for (std::size_t c = 0; c < count; ++c) positions[c] = frame_.sphere(node.first + c).center;
    field_.distances(std::span(positions).first(count), std::span(values).first(count));
    out_.evaluations += count;
    for (std::size_t c = 0; c < count; ++c) {
        if (excludes(values[c], mesh_.sphere(node.first + c).radius)) continue;
        candidates_.push_back({.place = node.first + c, .center = positions[c], .value = values[c]});
        if (values[c] < best_) best_ = values[c];
        if (options_.goal == MeshGoal::any && values[c] <= options_.margin) return false;
    }
    return true;
}

// Proves triangles that neither touch nor are clear.
void MeshContactSearch::prove_open() {
    std::vector<TriangleInFieldFrame*> open;
    for (TriangleInFieldFrame& c : candidates_)
        if (!c.touches && !frame_.is_clear(c.value, mesh_.sphere(c.place).radius)) open.push_back(&c);
    if (options_.prove) frame_.prove(open, options_.margin, options_.max_evaluations);
    for (const TriangleInFieldFrame* c : open) {
        if (c->touches || c->cleared) continue;
        ++out_.undecided;
        out_.open_triangle = std::min(out_.open_triangle, mesh_.triangle(c->place));
    }
}

void MeshContactSearch::any() {
    // Only the last candidate may be at or below the margin.
    if (!candidates_.empty() && candidates_.back().value <= options_.margin) {
        frame_.descend(candidates_.back());
        return list_contacts();
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [&](const TriangleInFieldFrame& a, const TriangleInFieldFrame& b) {
                  const double x = order(a.value) - mesh_.sphere(a.place).radius,
                               y = order(b.value) - mesh_.sphere(b.place).radius;
                  return x < y || (x == y && a.place < b.place);
              });
    for (TriangleInFieldFrame& candidate : candidates_) {
        frame_.descend(candidate);
        if (candidate.touches) return list_contacts();
    }
    prove_open();
    list_contacts();
}

void MeshContactSearch::deepest() {
    const auto bound = [&](const TriangleInFieldFrame& c) {
        return c.value - slope_ * (mesh_.sphere(c.place).radius + frame_.error());
    };
    std::sort(candidates_.begin(), candidates_.end(), [](const TriangleInFieldFrame& a, const TriangleInFieldFrame& b) {
        const double x = order(a.value), y = order(b.value);
        return x < y || (x == y && a.place < b.place);
    });
    for (TriangleInFieldFrame& candidate : candidates_) {
        if (bound(candidate) > best_) continue;
        frame_.descend(candidate);
        if (candidate.least.sample.distance < best_) best_ = candidate.least.sample.distance;
    }
    if (!(best_ <= options_.margin)) prove_open();
    const auto value = [](const TriangleInFieldFrame& c) {
        return (c.descended || c.touches) && !std::isnan(c.least.sample.distance) ? c.least.sample.distance : HUGE_VAL;
    };
    const auto least = std::min_element(
        candidates_.begin(), candidates_.end(), [&](const TriangleInFieldFrame& a, const TriangleInFieldFrame& b) {
            return value(a) < value(b) || (value(a) == value(b) && mesh_.triangle(a.place) < mesh_.triangle(b.place));
        });
    for (const TriangleInFieldFrame& c : candidates_)
        out_.evaluations += c.least.evaluations, out_.descents += c.descended;
    out_.status = out_.undecided > 0 ? Status::undecided : Status::disjoint;
    if (least == candidates_.end() || !(value(*least) < HUGE_VAL)) return;
    if (value(*least) <= options_.margin) out_.status = Status::overlapping;
    out_.contacts.push_back(frame_.contact(*least));
}

void MeshContactSearch::all() {
    each_triangle(candidates_.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) frame_.descend(candidates_[k]);
    });
    prove_open();
    list_contacts();
}

void MeshContactSearch::list_contacts() {
    for (const TriangleInFieldFrame& candidate : candidates_) {
        out_.evaluations += candidate.least.evaluations;
        out_.descents += candidate.descended;
        if (candidate.touches) out_.contacts.push_back(frame_.contact(candidate));
    }
    std::sort(out_.contacts.begin(), out_.contacts.end(), [](const MeshContact& a, const MeshContact& b) {
        return a.depth > b.depth || (a.depth == b.depth && a.triangle < b.triangle);
    });
    out_.status = !out_.contacts.empty() ? Status::overlapping
                  : out_.undecided > 0   ? Status::undecided
                                         : Status::disjoint;
    const std::size_t most = options_.goal == MeshGoal::any ? 1 : options_.max_contacts;
    out_.more_contacts = options_.goal == MeshGoal::contacts && out_.contacts.size() > most;
    if (out_.contacts.size() > most) out_.contacts.resize(most);
}

void check_options(const MeshContactOptions& options) {
    if (!std::isfinite(options.margin))
        throw Error(Cause::invalid_argument, fmt::format("the margin is {}; it must be finite", options.margin));
    if (!(options.tolerance >= 0))
        throw Error(Cause::invalid_argument,
                    fmt::format("the tolerance is {}; it must not be negative", options.tolerance));
}

} // namespace

MeshContactResult mesh_contacts(const TriangleSphereTree& mesh, const Pose& mesh_pose, const Field& field,
                                const Pose& field_pose, const MeshContactOptions& options) {
    check_options(options);
    if (mesh.size() == 0) return {};
    if (!is_finite(mesh_pose) || !is_finite(field_pose)) {
        MeshContactResult unknown;
        unknown.status = Status::undecided;
        unknown.undecided = mesh.size();
        unknown.open_triangle = 0;
        unknown.error_bound = HUGE_VAL;
        return unknown;
    }
    return MeshContactSearch(mesh, mesh_pose, field, field_pose, options).run();
}

} // namespace fathom::mesh_field
