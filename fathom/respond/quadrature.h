// Room: respond. Integrals over a piece of time of functions with several components.
// The midpoint rule of Xu & Barbic 2014, and an adaptive rule: Gauss's four points, exact to degree 7, extended by Kronrod
// (1965) to nine, exact to degree 13; their difference is the error estimate, and a piece is halved until it is small.
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <cstddef>

namespace fathom {

enum class QuadratureRule { midpoint, adaptive };

struct QuadratureOptions {
    QuadratureRule rule = QuadratureRule::adaptive;
    int points = 20;          // midpoint: of each interval; the paper's number
    double tolerance = 1e-6;  // adaptive: of the largest component of the same block
    int halvings = 12;        // adaptive: at most
};

// Error{invalid_argument} names the option that is out of range.
void check(const QuadratureOptions& options);

// Components come in blocks of three (a force, a torque): a block is judged by its own size.
template <int Size>
struct Integral {
    Eigen::Matrix<double, Size, 1> value = Eigen::Matrix<double, Size, 1>::Zero();
    Eigen::Matrix<double, Size, 1> error = Eigen::Matrix<double, Size, 1>::Zero(); // estimate; 0 for the midpoint rule, which has none

    Integral& operator+=(const Integral& other) {
        value += other.value;
        error += other.error;
        return *this;
    }
};

namespace detail {

struct KronrodNode {
    double place;  // in [-1,1], taken on both sides but for the middle
    double gauss;  // weight in Gauss's rule, 0 where it does not use the node
    double kronrod;
};
inline constexpr std::array<KronrodNode, 5> kronrod_nodes = {{{0, 0, 0.34644298189013636168},
                                                             {0.33998104358485626480, 0.65214515486254614263, 0.32694918960145162956},
                                                             {0.64028621749630998240, 0, 0.26679834045228444803},
                                                             {0.86113631159405257522, 0.34785484513745385737, 0.17005360533572272680},
                                                             {0.97656025073757311153, 0, 0.062977373665473014765}}};

template <int Size>
bool close_enough(const Integral<Size>& piece, double tolerance) {
    for (int block = 0; block < Size; block += 3)
        if (piece.error.template segment<3>(block).maxCoeff() > tolerance * piece.value.template segment<3>(block).cwiseAbs().maxCoeff())
            return false;
    return true;
}

} // namespace detail

template <int Size, class Function>
[[nodiscard]] Integral<Size> midpoint_integral(const Function& f, double a, double b, int points) {
    Integral<Size> sum;
    const double width = (b - a) / points;
    for (int k = 0; k < points; ++k) sum.value += f(a + (k + 0.5) * width);
    sum.value *= width;
    return sum;
}

template <int Size, class Function>
[[nodiscard]] Integral<Size> kronrod_integral(const Function& f, double a, double b) {
    Integral<Size> sum;
    const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    Eigen::Matrix<double, Size, 1> gauss = Eigen::Matrix<double, Size, 1>::Zero();
    for (const detail::KronrodNode& node : detail::kronrod_nodes) {
        Eigen::Matrix<double, Size, 1> value = f(middle - half * node.place);
        if (node.place > 0) value += f(middle + half * node.place);
        gauss += node.gauss * value;
        sum.value += node.kronrod * value;
    }
    sum.error = half * (sum.value - gauss).cwiseAbs();
    sum.value *= half;
    return sum;
}

template <int Size, class Function>
[[nodiscard]] Integral<Size> adaptive_integral(const Function& f, double a, double b, double tolerance, int halvings) {
    Integral<Size> whole = kronrod_integral<Size>(f, a, b);
    if (halvings <= 0 || detail::close_enough(whole, tolerance)) return whole;
    const double middle = 0.5 * (a + b);
    Integral<Size> parts = adaptive_integral<Size>(f, a, middle, tolerance, halvings - 1);
    parts += adaptive_integral<Size>(f, middle, b, tolerance, halvings - 1);
    return parts;
}

template <int Size, class Function>
[[nodiscard]] Integral<Size> integral(const Function& f, double a, double b, const QuadratureOptions& options) {
    if (options.rule == QuadratureRule::midpoint) return midpoint_integral<Size>(f, a, b, options.points);
    return adaptive_integral<Size>(f, a, b, options.tolerance, options.halvings);
}

} // namespace fathom
