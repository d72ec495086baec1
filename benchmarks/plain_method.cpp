// Benchmarks: algorithms 2 and 3 of Liu et al. 2024, step by step.
#include <benchmarks/plain_method.h>

#include <vector>

namespace fathom::bench {

namespace {

class Plain {
public:
    Plain(const Field& a, const Field& b, const Pose& b_in_a, const PlainOptions& options) : a_(a), b_(b), b_in_a_(b_in_a), options_(options) {}

    // Everything in A's frame from here on.
    [[nodiscard]] Sample in_a(const Vec3& x) const {
        ++look_ups;
        return a_.sample(x);
    }
    [[nodiscard]] Sample in_b(const Vec3& x) const {
        ++look_ups;
        const Sample s = b_.sample(b_in_a_.to_local(x));
        return {s.distance, b_in_a_.turn(s.gradient)};
    }

    // Algorithm 2. True where x ends in both.
    [[nodiscard]] bool find_common(Vec3& x) const {
        for (int k = 0; k < options_.most_steps; ++k) {
            const Sample a = in_a(x), b = in_b(x);
            if (a.distance <= 0 && b.distance <= 0) return true;
            Vec3 next = a.distance > 0 ? Vec3(x - a.distance * a.gradient) : Vec3(x - options_.step * b.gradient);
            if (a.distance <= 0) next = projected(next, true);
            if ((next - x).norm() <= options_.epsilon) return false;
            x = next;
        }
        return false;
    }

    // Algorithm 3, one half: the deepest point in B that stays in A, or the other way round.
    [[nodiscard]] Vec3 deepest(Vec3 x, bool of_a) const {
        for (int k = 0; k < options_.most_steps; ++k) {
            const Vec3 slope = (of_a ? in_b(x) : in_a(x)).gradient;
            const Vec3 next = projected(x - options_.step * slope, of_a);
            if ((next - x).norm() <= options_.epsilon) break;
            x = next;
        }
        return x;
    }

    mutable std::size_t look_ups = 0;

private:
    [[nodiscard]] Vec3 projected(const Vec3& x, bool to_a) const {
        const Sample s = to_a ? in_a(x) : in_b(x);
        return s.distance > 0 ? Vec3(x - s.distance * s.gradient) : x;
    }

    const Field& a_;
    const Field& b_;
    const Pose& b_in_a_;
    const PlainOptions& options_;
};

// Centres of the cells of A's box that may meet B's, down to the depth.
void collect_centers(const OrientedBox& a, const OrientedBox& b, const Box& cell, int depth, std::vector<Vec3>& out) {
    const Vec3 center = a.pose * cell.center();
    if ((b.closest(center) - center).norm() > cell.half().norm()) return;
    if (depth == 0) return out.push_back(center);
    for (int k = 0; k < 8; ++k) {
        Box child{cell.center(), cell.center()};
        child.extend(cell.corner(k));
        collect_centers(a, b, child, depth - 1, out);
    }
}

} // namespace

OrientedBox whole_box(const Field& field) { return {Pose::at(field.bounds().center()), field.bounds().half()}; }

PlainResult plain_collide(const Field& a, std::span<const OrientedBox> boxes_a, const Pose& pose_a, const Field& b,
                          std::span<const OrientedBox> boxes_b, const Pose& pose_b, const PlainOptions& options) {
    const Pose b_in_a = relative(pose_a, pose_b);
    const Plain plain(a, b, b_in_a, options);
    std::vector<Vec3> points;
    for (const OrientedBox& box_a : boxes_a)
        for (const OrientedBox& box_b : boxes_b)
            collect_centers(box_a, {b_in_a * box_b.pose, box_b.half}, Box::around(Vec3::Zero(), box_a.half), options.depth, points);
    PlainResult result;
    result.detection_points = points.size();
    for (Vec3& x : points) {
        if (!plain.find_common(x)) continue;
        result.overlap = true;
        ++result.contacts;
        if (!options.all) break;
        const Vec3 in_b = plain.deepest(x, true), in_a = plain.deepest(x, false);
        for (const auto& [depth, at] : {std::pair{-plain.in_b(in_b).distance, in_b}, {-plain.in_a(in_a).distance, in_a}})
            if (depth > result.depth) result.depth = depth, result.point = pose_a * at;
    }
    result.look_ups = plain.look_ups;
    return result;
}

} // namespace fathom::bench
