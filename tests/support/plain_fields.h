// Fields with a closed form, and grids of given samples: truths for the tests of what works on fields.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/grid/grid_field.h>

#include <cmath>

namespace fathom::testing {

// A field from its exact distance; range by the Lipschitz bound alone.
class ExactField : public Field {
public:
    double distance(const Vec3& p) const override = 0;
    Sample sample(const Vec3& p) const override {
        Sample s{distance(p), {}};
        const double step = 1e-6 * bounds().diagonal();
        for (int k = 0; k < 3; ++k)
            s.gradient[k] = (distance(p + step * Vec3::Unit(k)) - distance(p - step * Vec3::Unit(k))) / (2 * step);
        return s;
    }
    Interval range(const Box& box) const override {
        if (box.empty()) return Interval::none();
        const double rounding =
            4e-16 * (box.center().norm() + box.diagonal() + bounds().center().norm() + bounds().diagonal());
        const double middle = distance(box.center()), reach = box.half().norm() * (1 + 1e-12) + 4 * rounding;
        return {middle - reach, middle + reach};
    }
    double lipschitz() const override { return 1; }
    double error_bound() const override { return 0; }
    Box domain() const override { return {Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)}; }
};

class BallField final : public ExactField {
public:
    BallField(const Vec3& center, double radius) : center_(center), radius_(radius) {}
    double distance(const Vec3& p) const override { return (p - center_).norm() - radius_; }
    Box bounds() const override { return Box::around(center_, Vec3::Constant(radius_)); }

private:
    Vec3 center_;
    double radius_;
};

// About the z axis.
class TorusField final : public ExactField {
public:
    TorusField(double ring, double tube) : ring_(ring), tube_(tube) {}
    double distance(const Vec3& p) const override {
        return std::hypot(std::hypot(p.x(), p.y()) - ring_, p.z()) - tube_;
    }
    Box bounds() const override { return Box::around(Vec3::Zero(), Vec3(ring_ + tube_, ring_ + tube_, tube_)); }

private:
    double ring_, tube_;
};

class BlockField final : public ExactField {
public:
    BlockField(const Vec3& center, const Vec3& half) : center_(center), half_(half) {}
    double distance(const Vec3& p) const override {
        const Vec3 q = (p - center_).cwiseAbs() - half_;
        return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
    }
    Box bounds() const override { return Box::around(center_, half_); }

private:
    Vec3 center_, half_;
};

// A grid whose samples are value(i, j, k), counted in cells; `stored(brick index)` selects the bricks that keep them.
template <class Value, class Stored>
[[nodiscard]] GridField grid_of(const GridLayout& layout, GridStorage storage, const Value& value,
                                const Stored& stored) {
    std::vector<float> corners(layout.corner_count());
    for (std::size_t c = 0; c < corners.size(); ++c) {
        const auto p = layout.corner_position(c);
        corners[c] = static_cast<float>(value(8 * p[0], 8 * p[1], 8 * p[2]));
    }
    std::vector<bool> kept(layout.brick_count());
    for (std::size_t b = 0; b < kept.size(); ++b) kept[b] = stored(b);
    GridAssembler assembler(layout, storage, corners, kept);
    for (std::size_t b = 0; b < kept.size(); ++b) {
        if (!kept[b]) continue;
        const auto p = layout.brick_position(b);
        std::array<double, brick_size> samples;
        for (int s = 0; s < static_cast<int>(brick_size); ++s)
            samples[static_cast<std::size_t>(s)] = value(8 * p[0] + s % 9, 8 * p[1] + s / 9 % 9, 8 * p[2] + s / 81);
        assembler.set(b, samples);
    }
    return GridField(std::move(assembler).finish(0, {HUGE_VAL, HUGE_VAL}));
}

} // namespace fathom::testing
