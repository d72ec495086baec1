// Penalty contact of a point of one body with the field of another: the state of the contact (position, depth, normal,
// velocity) at any time of a step, the force law, and quadrature over time.
// Const calls are thread-safe and do not allocate.
// Signs: depth >= 0 is the penetration depth of the point; n is a unit vector in world axes that points out of the
// field's body. The force on the shell's body is + stiffness * depth * n, so it pushes that body out; the opposite
// force acts on the field's body.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/base/vec.h>
#include <fathom/field/field.h>

#include <array>
#include <cstddef>
#include <span>

namespace fathom {

// ---- Quadrature: integrals of vector-valued functions over a time interval.
// The midpoint rule of Xu & Barbic 2014, and an adaptive rule: the two-point Gauss rule (exact to degree 3) is extended
// by Kronrod (1965) to five points (degree 7). If the two differ, the four-point Gauss rule (7) extended to nine points
// (13) is used; if these differ too, the interval is halved. The difference is the error estimate of the larger rule.

enum class QuadratureRule { midpoint, adaptive };

struct QuadratureOptions {
    QuadratureRule rule = QuadratureRule::adaptive;
    int points = 20;         // midpoint: number of points in each interval; value of the paper
    double tolerance = 1e-4; // adaptive: relative to the largest component of the same block
    int halvings = 12;       // adaptive: maximum number of halvings
};

// Error{invalid_argument} names the option that is out of range.
void check(const QuadratureOptions& options);

// Components are grouped in blocks of three (a force, a torque). The error of a block is relative to its own magnitude.
template <int Size>
struct Integral {
    Eigen::Matrix<double, Size, 1> value = Eigen::Matrix<double, Size, 1>::Zero();
    // Error estimate; 0 for the midpoint rule, which has none.
    Eigen::Matrix<double, Size, 1> error = Eigen::Matrix<double, Size, 1>::Zero();

    Integral& operator+=(const Integral& other) {
        value += other.value;
        error += other.error;
        return *this;
    }
};

namespace detail {

struct KronrodNode {
    double place;   // in [0,1]; also used at -place unless it is 0
    double gauss;   // weight in the Gauss rule; 0 if that does not use the node
    double kronrod; // weight in the Kronrod rule
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

// Applies the small rule. Returns true if it meets the tolerance.
template <int Size, class Function>
[[nodiscard]] bool quick_integral(const Function& f, double a, double b, double tolerance, Integral<Size>& out) {
    out = kronrod_integral<Size>(f, a, b, detail::small_kronrod);
    return detail::close_enough(out, tolerance);
}

// ---- Force law: penalty, damping and friction.

enum class ContactNormal {
    unit_gradient, // normalised gradient of the field
    // Gradient of the field, not normalised. It has length 1 only if the field is a distance, but it is a polynomial in
    // each grid cell.
    gradient,
    // Opposite of the point's own outward normal (Xu & Barbic 2014). Safe in thin walls, where the gradient reverses.
    shell
};

enum class DampedPart {
    all,   // the whole relative velocity (equation 10)
    normal // only the component along n; friction acts on sliding
};

// Motion of the bodies between the start and the end of a step.
enum class PathInTime {
    chord,       // constant velocity: straight lines of the points in the field's frame; velocities as at the end
    screw,       // constant velocity along the screw motion of each body
    acceleration // constant acceleration: an Euler step from the start to each time; velocities change linearly
};

// Reference point of angular impulses: the centre of mass at the time when the impulse is applied (start or end), so
// that the pair conserves angular momentum, or the centre at each time, as in the paper.
enum class HandleCenter { start, end, moving };

struct ContactLaw {
    double stiffness = 1e4;   // k (N/m), of one point
    double damping = 0;       // k_D (N s/m), of one point
    double friction = 0;      // mu; the tangential force is mu * k * depth * s / sqrt(s^2 + slip_speed^2) at slip s
    double slip_speed = 0.01; // m/s; explicit steps do not oscillate if this is above mu * acceleration * step
    ContactNormal normal = ContactNormal::unit_gradient;
    DampedPart damped = DampedPart::all;
    PathInTime path = PathInTime::chord;
    HandleCenter handle = HandleCenter::end;
    QuadratureOptions quadrature{};
};

// Error{invalid_argument} names the option that is not finite or out of range.
void check(const ContactLaw& law);

// `rotation` followed by a rotation about the world axis `turn` by the angle |turn| (rad).
[[nodiscard]] Quat turned(const Quat& rotation, const Vec3& turn);

// ---- State of a contact.

// Motion of a rigid body over one step.
struct MovingBody {
    Motion motion;                      // of the frame of its points or its field
    Vec3 center = Vec3::Zero();         // centre of mass in that frame (m)
    Vec3 velocity_start = Vec3::Zero(); // of the centre of mass (m/s, world)
    Vec3 velocity_end = Vec3::Zero();
    Vec3 spin_start = Vec3::Zero(); // angular velocity (rad/s, world)
    Vec3 spin_end = Vec3::Zero();

    [[nodiscard]] static MovingBody still(const Pose& pose) { return {Motion::stationary(pose)}; }
};

// The points of one body and the field of the other. Spans and references must remain valid during the call they are
// passed to.
struct ContactRole {
    std::span<const Vec3> points;  // in the frame of `shell` (m)
    std::span<const Vec3> normals; // unit, outward; may be empty unless the law uses ContactNormal::shell
    const MovingBody& shell;
    const Field& field;
    const MovingBody& field_body;
};

struct ContactState {
    Vec3 position = Vec3::Zero();             // m, world
    Vec3 separating_direction = Vec3::Zero(); // of the shell's point: world, out of the field's body
    Vec3 velocity = Vec3::Zero();             // of the shell's point relative to the field's body (m/s, world)
    Vec3 shell_handle = Vec3::Zero();         // lever arm: from the shell's reference point to the position (m, world)
    Vec3 field_handle = Vec3::Zero();         // the same for the field's body
    double depth = 0;                         // penetration depth (m); negative if the point is outside
};

// Evaluates contact states of a pair of bodies over one step. Use one object for a pair.
class ContactPath {
public:
    ContactPath(const ContactRole& role, double step, const ContactLaw& law);

    // Positions of a point in the field's frame at the start and the end of the step (m).
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
        // For PathInTime::chord the pose is computed only if `turned` is true.
        [[nodiscard]] Placement at(double t, bool turned) const;
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

// Force on the shell's body (N, world): penalty, damping and friction; zero if the point is outside.
[[nodiscard]] Vec3 contact_force(const ContactState& state, const ContactLaw& law);

} // namespace fathom
