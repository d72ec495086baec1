// A user-defined field in queries with other shapes (docs/extending.md).
#include <fathom/detect/query/query.h>
#include <fathom/geometry/generate/generate.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using fathom::Box, fathom::Interval, fathom::Sample, fathom::Vec3;

class Bumpy final : public fathom::Field {
public:
    double distance(const Vec3& p) const override { return 0.5 * (p.norm() - 1 - 0.1 * std::sin(5 * p.x())); }
    Sample sample(const Vec3& p) const override {
        const double r = std::max(p.norm(), 1e-300);
        return {distance(p), 0.5 * (p / r - 0.5 * std::cos(5 * p.x()) * Vec3::UnitX())};
    }
    Interval range(const Box& box) const override { // bound from the Lipschitz constant: valid for every field
        const double value = distance(box.center()), reach = lipschitz() * 0.5 * box.diagonal();
        return box.empty() ? Interval::none() : Interval{value - reach, value + reach};
    }
    double lipschitz() const override { return 0.75; }
    double error_bound() const override { return std::numeric_limits<double>::infinity(); } // sign and range only
    Box domain() const override { return Box::around(Vec3::Zero(), Vec3::Constant(1e30)); }
    Box bounds() const override { return Box::around(Vec3::Zero(), Vec3::Constant(1.2)); }
};

int main() {
    const fathom::Shape bumpy(std::make_shared<Bumpy>()), box(fathom::make_box());
    const fathom::DistanceResult apart = fathom::distance(bumpy, {}, box, fathom::Pose::from_translation({3, 0, 0}));
    std::printf("distance between %.3f and %.3f m, method %s\n", apart.lower_bound, apart.upper_bound,
                std::string(name(apart.method)).c_str());
    const fathom::CollideResult touch = fathom::collide(bumpy, {}, box, fathom::Pose::from_translation({1.2, 0, 0}));
    std::printf("%s\n", touch.status == fathom::Status::overlapping ? "overlapping" : "not overlapping");
    return touch.status == fathom::Status::overlapping && apart.lower_bound > 0 ? 0 : 1;
}
