// Integrals over a piece of time of functions with several components.
// The midpoint rule of Xu & Barbic 2014, and an adaptive rule: Gauss's two points (exact to degree 3) extended by
// Kronrod (1965) to five (7); where those differ, four (7) extended to nine (13); where those differ too, the piece is
// halved. The difference is the error estimate of what the larger rule gives.
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <cstddef>
#include <span>

namespace fathom {

enum class QuadratureRule { midpoint, adaptive };

struct QuadratureOptions {
    QuadratureRule rule = QuadratureRule::adaptive;
    int points = 20;         // midpoint: of each interval; the paper's number
    double tolerance = 1e-4; // adaptive: of the largest component of the same block
    int halvings = 12;       // adaptive: at most
};

// Error{invalid_argument} names the option that is out of range.
void check(const QuadratureOptions& options);

// Components come in blocks of three (a force, a torque): a block is judged by its own size.
template <int Size>
struct Integral {
    Eigen::Matrix<double, Size, 1> value = Eigen::Matrix<double, Size, 1>::Zero();
    Eigen::Matrix<double, Size, 1> error =
        Eigen::Matrix<double, Size, 1>::Zero(); // estimate; 0 for the midpoint rule, which has none

    Integral& operator+=(const Integral& other) {
        value += other.value;
        error += other.error;
        return *this;
    }
};

namespace detail {

struct KronrodNode {
    double place; // in [-1,1], taken on both sides but for the middle
    double gauss; // weight in Gauss's rule, 0 where it does not use the node
    double kronrod;
};
inline constexpr std::array<KronrodNode, 3> small_kronrod = {{{0, 0, 0.62222222222222222222},
                                                              {0.57735026918962576451, 1, 0.49090909090909090909},
                                                              {0.92582009977255146157, 0, 0.19797979797979797980}}};
inline constexpr std::array<KronrodNode, 5> large_kronrod = {
    {{0, 0, 0.34644298189013636168},
     {0.33998104358485626480, 0.65214515486254614263, 0.32694918960145162956},
     {0.64028621749630998240, 0, 0.26679834045228444803},
     {0.86113631159405257522, 0.34785484513745385737, 0.17005360533572272680},
     {0.97656025073757311153, 0, 0.062977373665473014765}}};

template <int Size>
bool close_enough(const Integral<Size>& piece, double tolerance) {
    for (int block = 0; block < Size; block += 3)
        if (piece.error.template segment<3>(block).maxCoeff() >
            tolerance * piece.value.template segment<3>(block).cwiseAbs().maxCoeff())
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
[[nodiscard]] Integral<Size> kronrod_integral(const Function& f, double a, double b,
                                              std::span<const detail::KronrodNode> nodes) {
    Integral<Size> sum;
    const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    Eigen::Matrix<double, Size, 1> gauss = Eigen::Matrix<double, Size, 1>::Zero();
    for (const detail::KronrodNode& node : nodes) {
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
    Integral<Size> whole = kronrod_integral<Size>(f, a, b, detail::large_kronrod);
    if (halvings <= 0 || detail::close_enough(whole, tolerance)) return whole;
    const double middle = 0.5 * (a + b);
    Integral<Size> parts = adaptive_integral<Size>(f, a, middle, tolerance, halvings - 1);
    parts += adaptive_integral<Size>(f, middle, b, tolerance, halvings - 1);
    return parts;
}

// The small rule, where it is enough.
template <int Size, class Function>
[[nodiscard]] bool quick_integral(const Function& f, double a, double b, double tolerance, Integral<Size>& out) {
    out = kronrod_integral<Size>(f, a, b, detail::small_kronrod);
    return detail::close_enough(out, tolerance);
}

} // namespace fathom
