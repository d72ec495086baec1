// Cutting planes, and the linear program over them.
#include <fathom/detect/field_field/cutting_plane_minimum.h>

#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <vector>

namespace fathom {

namespace {

using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;

constexpr std::size_t most_samples = 30; // round bodies would take hundreds: others do the rest

// The least t over all (x, t) with a . (x, t) <= b for every row; x within a cube of half side 1.
class PlaneProgram {
public:
    // The first plane under the function makes t bounded.
    PlaneProgram(const Vec3& gradient, double offset) {
        for (int axis = 0; axis < 3; ++axis) {
            push(Vec4::Unit(axis), 1);
            push(-Vec4::Unit(axis), 1);
            active_[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(2 * axis + (gradient[axis] > 0 ? 1 : 0));
        }
        active_[3] = count_;
        add_under(gradient, offset);
        refresh();
    }

    void add_under(const Vec3& gradient, double offset) {
        push({gradient.x(), gradient.y(), gradient.z(), -1}, -offset);
    } // t >= gradient . x + offset
    void add_limit(const Vec3& gradient, double offset) {
        push({gradient.x(), gradient.y(), gradient.z(), 0}, -offset);
    } // gradient . x + offset <= 0

    // False where rounding or a contradiction ends it.
    bool solve() {
        for (int pivot = 0; pivot < 50; ++pivot) {
            const std::size_t worst = most_violated();
            if (worst == count_) return true;
            const Vec4 change = inverse_.transpose() * rows_[worst];
            std::size_t leaves = 4;
            double least = HUGE_VAL;
            for (std::size_t k = 0; k < 4; ++k) {
                const auto i = static_cast<Eigen::Index>(k);
                if (!(change[i] > 1e-12)) continue;
                const double ratio = std::max(-inverse_(3, i), 0.0) / change[i];
                if (ratio < least) least = ratio, leaves = k;
            }
            if (leaves == 4) return false;
            active_[leaves] = worst;
            if (!refresh()) return false;
        }
        return false;
    }
    [[nodiscard]] Vec3 point() const { return at_.head<3>(); }
    [[nodiscard]] double value() const { return at_[3]; }
    [[nodiscard]] bool full() const { return count_ + 2 > rows_.size(); }

private:
    void push(const Vec4& row, double bound) {
        rows_[count_] = row;
        bounds_[count_++] = bound;
    }
    bool refresh() {
        Mat4 m;
        Vec4 right;
        for (std::size_t k = 0; k < 4; ++k) {
            m.row(static_cast<Eigen::Index>(k)) = rows_[active_[k]].transpose();
            right[static_cast<Eigen::Index>(k)] = bounds_[active_[k]];
        }
        inverse_ = m.inverse();
        at_ = inverse_ * right;
        return at_.allFinite();
    }
    [[nodiscard]] std::size_t most_violated() const {
        std::size_t worst = count_;
        double most = 1e-14;
        for (std::size_t k = 0; k < count_; ++k)
            if (const double violation = rows_[k].dot(at_) - bounds_[k]; violation > most) most = violation, worst = k;
        return worst;
    }

    std::array<Vec4, 6 + 2 * most_samples> rows_;
    std::array<double, 6 + 2 * most_samples> bounds_;
    std::size_t count_ = 0;
    std::array<std::size_t, 4> active_{};
    Mat4 inverse_;
    Vec4 at_;
};

} // namespace

namespace {

// Places next to one another: between them they see every face that meets there.
constexpr std::size_t star_size = 7;
std::array<Vec3, star_size> star_at(const Vec3& x, double step) {
    std::array<Vec3, star_size> star;
    star.fill(x);
    for (int k = 0; k < 6; ++k) star[static_cast<std::size_t>(1 + k)][k / 2] += k % 2 == 0 ? step : -step;
    return star;
}

} // namespace

ConvexMinimum convex_minimum(const FieldPair& pair, int body, const Vec3& start, double reach, double tolerance) {
    ConvexMinimum result;
    result.lower = -HUGE_VAL;
    Descent& best = result.end;
    const auto consider = [&](const Vec3& x, const Sample& down) {
        if (down.distance < best.value) best.point = x, best.value = down.distance, best.gradient = down.gradient;
    };
    const auto offset = [&](const Sample& s, const Vec3& x) {
        return (s.distance - s.gradient.dot(x - start)) / reach;
    };
    const std::array<Vec3, star_size> star = star_at(start, 1e-6 * reach);
    std::array<Sample, star_size> own_star, down_star;
    pair.samples(body, star, own_star);
    pair.samples(1 - body, star, down_star);
    best.samples += 2 * static_cast<int>(star_size);
    consider(start, down_star[0]);
    PlaneProgram program(down_star[0].gradient, offset(down_star[0], start));
    for (std::size_t k = 0; k < star_size; ++k) {
        if (k > 0) program.add_under(down_star[k].gradient, offset(down_star[k], star[k]));
        program.add_limit(own_star[k].gradient, offset(own_star[k], star[k]));
    }
    while (!program.full() && program.solve()) {
        result.lower = reach * program.value();
        if (best.value - result.lower <= tolerance) break;
        const Vec3 x = start + reach * program.point();
        const Sample own = pair.sample(body, x), down = pair.sample(1 - body, x);
        best.samples += 2;
        if (own.distance > 0) program.add_limit(own.gradient, offset(own, x));
        program.add_under(down.gradient, offset(down, x));
        Vec3 inside = x;
        if (own.distance <= 0)
            consider(x, down);
        else if (move_inside(pair, body, inside, reach, best.samples)) {
            consider(inside, pair.sample(1 - body, inside));
            ++best.samples;
        }
    }
    return result;
}

} // namespace fathom
