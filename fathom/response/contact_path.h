// A point of one body in the field of another at any time of a step: where, how deep, which way out, how
// fast. One object for a pair of bodies; const calls are thread-safe and free of allocation.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/base/vec.h>
#include <fathom/field/field.h>

#include <array>
#include <cstddef>
#include <span>

namespace fathom {

// How a point of one body feels the field of another: penalty, damping, friction.
// Signs: depth >= 0 is how far the point is inside; n is unit, in world axes, and points out of the field's body. The
// force on the shell's body is + stiffness * depth * n, so it pushes that body out; the field's body feels the
// opposite.

// Integrals over a piece of time of functions with several components.
// The midpoint rule of Xu & Barbic 2014, and an adaptive rule: Gauss's two points (exact to degree 3) extended by
// Kronrod (1965) to five (7); where those differ, four (7) extended to nine (13); where those differ too, the piece is
// halved. The difference is the error estimate of what the larger rule gives.

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

enum class ContactNormal {
    unit_gradient, // of the field, made unit
    gradient, // of the field as it is: of length 1 only where the field is a distance, but a polynomial in each grid
              // cell
    shell // against the point's own outward normal (Xu & Barbic 2014); safe where a thin wall turns the gradient round
};

enum class DampedPart {
    all,   // of the relative velocity (equation 10)
    normal // only along n: sliding is left to friction
};

// How bodies move between the start and the end of a step.
enum class PathInTime {
    chord,       // constant velocity: each point straight, as the field sees it; velocities are those at the end
    screw,       // constant velocity too, along the rigid screw of each body
    acceleration // constant acceleration: an Euler step from the start to each time; velocities go from start to end
};

// What angular impulses are measured from: the centre of mass where the impulse is applied, so that the pair keeps its
// angular momentum, or the centre at each time, as in the paper.
enum class HandleCenter { start, end, moving };

struct ContactLaw {
    double stiffness = 1e4;   // k (N/m), of one point
    double damping = 0;       // k_D (N s/m), of one point
    double friction = 0;      // mu: the tangential force is mu * k * depth * s / sqrt(s^2 + slip_speed^2) at slip s
    double slip_speed = 0.01; // m/s; explicit stepping stays calm where this is above mu * acceleration * step
    ContactNormal normal = ContactNormal::unit_gradient;
    DampedPart damped = DampedPart::all;
    PathInTime path = PathInTime::chord;
    HandleCenter handle = HandleCenter::end;
    QuadratureOptions quadrature{};
};

// Error{invalid_argument} names the option that is not finite or out of range.
void check(const ContactLaw& law);

// Turned on by a turn about the world axis `turn`, by its length (rad).
[[nodiscard]] Quat turned(const Quat& rotation, const Vec3& turn);

// A rigid body over one step.
struct MovingBody {
    Motion motion;                      // of the frame in which its points or its field are given
    Vec3 center = Vec3::Zero();         // of mass, in that frame (m)
    Vec3 velocity_start = Vec3::Zero(); // of the centre (m/s, world)
    Vec3 velocity_end = Vec3::Zero();
    Vec3 spin_start = Vec3::Zero(); // rad/s, world
    Vec3 spin_end = Vec3::Zero();

    [[nodiscard]] static MovingBody still(const Pose& pose) { return {Motion::stationary(pose)}; }
};

// One role of a pair: the points of one body, the field of the other. Spans and references outlive the call they are
// passed to.
struct ContactRole {
    std::span<const Vec3> points;  // in the frame of `shell` (m)
    std::span<const Vec3> normals; // unit, outward; may be empty unless the law asks for ContactNormal::shell
    const MovingBody& shell;
    const Field& field;
    const MovingBody& field_body;
};

struct ContactState {
    Vec3 position = Vec3::Zero();     // m, world
    Vec3 normal = Vec3::Zero();       // world, out of the field's body
    Vec3 velocity = Vec3::Zero();     // of the shell's point less that of the field's (m/s, world)
    Vec3 shell_handle = Vec3::Zero(); // from the centres of mass to the position (m, world)
    Vec3 field_handle = Vec3::Zero();
    double depth = 0; // below 0 where the point is outside (m)
};

class ContactPath {
public:
    ContactPath(const ContactRole& role, double step, const ContactLaw& law);

    // The point as the field sees it at both ends of the step: its chord.
    struct Chord {
        Vec3 start, end;
    };
    [[nodiscard]] Chord chord(Index point) const;

    [[nodiscard]] ContactState at(Index point, const Chord& chord, double t) const; // t in [0,1]

private:
    struct Placement {
        Pose pose;
        Vec3 center, velocity, spin;
    };
    class Body {
    public:
        Body(const MovingBody& body, double step, PathInTime path);
        [[nodiscard]] Placement at(double t,
                                   bool turned) const; // chords: without the rotation where it is not asked for
        [[nodiscard]] const Vec3& center(HandleCenter at) const {
            return at == HandleCenter::start ? center_start_ : center_end_;
        }

    private:
        [[nodiscard]] Placement accelerated(double t) const;

        const MovingBody& body_;
        double step_;
        PathInTime path_;
        Mover mover_;
        Vec3 center_start_, center_end_;
        bool turns_;
    };

    const ContactRole& role_;
    const ContactLaw& law_;
    Body shell_, field_;
};

// The force on the shell's body (N, world): penalty, damping and friction; none where the point is outside.
[[nodiscard]] Vec3 contact_force(const ContactState& state, const ContactLaw& law);

} // namespace fathom
