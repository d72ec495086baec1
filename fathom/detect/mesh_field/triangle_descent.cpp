// Descends on one triangle.
#include <fathom/detect/mesh_field/triangle_descent.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr int most_steps = 20;
constexpr int most_trials = 12;
constexpr int most_cuts = 30;
constexpr double still = 1e-10; // of the longest edge: a step shorter than this is none

// What a sample says about the field over the triangle, at corner 0 + u edge 1 + v edge 2: constant + u by_u + v by_v.
struct Cut {
    double constant = 0, by_u = 0, by_v = 0;

    [[nodiscard]] double at(double u, double v) const { return constant + u * by_u + v * by_v; }
};

// The last few cuts; over each point the highest counts.
class Cuts {
public:
    static constexpr std::size_t capacity = 12;

    void add(const Cut& cut) {
        cuts_[next_] = cut;
        next_ = (next_ + 1) % capacity;
        count_ = std::min(count_ + 1, capacity);
    }

    void keep_newest(std::size_t wanted) {
        Cuts kept;
        for (std::size_t k = std::min(wanted, count_); k > 0; --k) kept.add(cuts_[(next_ + capacity - k) % capacity]);
        *this = kept;
    }

    struct Lowest {
        double u = 0, v = 0, value = HUGE_VAL;
    };
    // Over the triangle u, v >= 0, u + v <= 1: in its corners, where two cuts cross its border, or where three meet.
    [[nodiscard]] Lowest lowest() const {
        Lowest best;
        for (const auto& [u, v] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}) offer(u, v, best);
        for (std::size_t i = 0; i < count_; ++i)
            for (std::size_t j = i + 1; j < count_; ++j) {
                const Cut d = difference(cuts_[i], cuts_[j]);
                offer(0, -d.constant / d.by_v, best);
                offer(-d.constant / d.by_u, 0, best);
                const double u = -(d.constant + d.by_v) / (d.by_u - d.by_v);
                offer(u, 1 - u, best);
                for (std::size_t k = j + 1; k < count_; ++k) {
                    const Cut e = difference(cuts_[i], cuts_[k]);
                    const double area = d.by_u * e.by_v - d.by_v * e.by_u;
                    offer((d.by_v * e.constant - e.by_v * d.constant) / area,
                          (e.by_u * d.constant - d.by_u * e.constant) / area, best);
                }
            }
        return best;
    }

private:
    [[nodiscard]] static Cut difference(const Cut& a, const Cut& b) {
        return {a.constant - b.constant, a.by_u - b.by_u, a.by_v - b.by_v};
    }

    void offer(double u, double v, Lowest& best) const {
        if (!(u >= 0 && v >= 0 && u + v <= 1 + 1e-15)) return; // also where nothing crosses
        double highest = -HUGE_VAL;
        for (std::size_t k = 0; k < count_; ++k) highest = std::max(highest, cuts_[k].at(u, v));
        if (highest < best.value) best = {u, v, highest};
    }

    std::array<Cut, capacity> cuts_{};
    std::size_t count_ = 0, next_ = 0;
};

class Descent {
public:
    Descent(const Field& field, const std::array<Vec3, 3>& corners, TriangleLeast& at)
        : field_(field), corners_(corners), at_(at), edge_u_(corners[1] - corners[0]), edge_v_(corners[2] - corners[0]),
          size_(
              std::sqrt(std::max({edge_u_.squaredNorm(), edge_v_.squaredNorm(), (edge_u_ - edge_v_).squaredNorm()}))) {
        const Vec3 up = edge_u_.cross(edge_v_);
        if (up.squaredNorm() > 0) normal_ = up.normalized();
        note(at.point, at.sample);
    }

    void run() {
        if (!(size_ > 0)) return;
        double step = size_; // slopes are about 1, so this crosses the triangle
        bool crossed = false;
        for (int k = 0; k < most_steps; ++k)
            if (!advance(step, crossed)) break;
        if (crossed) follow_creases();
    }

private:
    [[nodiscard]] Vec3 flat(const Vec3& g) const { return g - normal_.dot(g) * normal_; }

    [[nodiscard]] Sample look_up(const Vec3& p) {
        ++at_.look_ups;
        const Sample sample = field_.sample(p);
        note(p, sample);
        return sample;
    }
    void note(const Vec3& p, const Sample& s) {
        cuts_.add({s.distance + s.gradient.dot(corners_[0] - p), s.gradient.dot(edge_u_), s.gradient.dot(edge_v_)});
    }

    // One step against the slope, shortened until the field falls enough; false where there is none. Sets the next
    // step, and `crossed` where a step had to be cut short many times over: no smooth field asks for that.
    bool advance(double& step, bool& crossed) {
        const Vec3 slope = flat(at_.sample.gradient);
        const Vec3 way = closest_point(at_.point - step * slope, corners_).point - at_.point;
        const double rate = slope.dot(way);
        if (!(way.norm() > still * size_) || !(rate < 0)) return false;
        double share = 1;
        for (int trial = 0; trial < most_trials; ++trial) {
            const Vec3 next = at_.point + share * way;
            const Sample sample = look_up(next);
            if (sample.distance <= at_.sample.distance + 1e-4 * share * rate) {
                crossed = crossed || flat(sample.gradient).dot(slope) < 0;
                take(next, sample, step);
                return true;
            }
            crossed = true;
            const double bulge = 2 * (sample.distance - at_.sample.distance - share * rate);
            share = bulge > 0 ? std::clamp(-rate * share * share / bulge, 0.1 * share, 0.6 * share) : 0.5 * share;
            if (!(share * way.norm() > still * size_)) return false;
        }
        return false;
    }

    void take(const Vec3& next, const Sample& sample, double& step) {
        const Vec3 moved = next - at_.point;
        const double curve = moved.dot(flat(sample.gradient) - flat(at_.sample.gradient));
        step = curve > 0 ? std::clamp(moved.squaredNorm() / curve, 1e-8 * size_, 1e2 * size_) : 1e2 * size_;
        at_.point = next;
        at_.sample = sample;
    }

    // Where slopes meet, the descent stops at the crease. The lowest point below which no cut lies is where to look
    // next (Kelley 1960); in a convex field the cuts also tell when there is nothing lower.
    void follow_creases() {
        cuts_.keep_newest(4); // short steps say the same again and again
        for (const Vec3& corner : corners_) (void)look_up(corner);
        int in_vain = 0;
        for (int k = 0; k < most_cuts && in_vain < 6; ++k) {
            const Cuts::Lowest lowest = cuts_.lowest();
            if (!(at_.sample.distance - lowest.value > still * size_)) return;
            const Vec3 next = corners_[0] + lowest.u * edge_u_ + lowest.v * edge_v_;
            const Sample sample = look_up(next);
            ++in_vain;
            if (!(sample.distance < at_.sample.distance)) continue;
            at_.point = next;
            at_.sample = sample;
            in_vain = 0;
        }
    }

    const Field& field_;
    const std::array<Vec3, 3>& corners_;
    TriangleLeast& at_;
    Vec3 edge_u_, edge_v_;
    double size_;
    Vec3 normal_ = Vec3::Zero();
    Cuts cuts_;
};

} // namespace

TriangleLeast least_on_triangle(const Field& field, const std::array<Vec3, 3>& corners, const Vec3& start,
                                double value) {
    TriangleLeast least;
    least.point = start;
    std::array<double, 3> at_corners;
    field.distances(corners, at_corners);
    for (std::size_t k = 0; k < 3; ++k)
        if (at_corners[k] < value || std::isnan(value)) value = at_corners[k], least.point = corners[k];
    least.sample = field.sample(least.point);
    least.look_ups = 4;
    if (std::isfinite(least.sample.distance) && is_finite(least.sample.gradient)) Descent(field, corners, least).run();
    return least;
}

} // namespace fathom
