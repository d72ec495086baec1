// Evaluates the integrals of equations 4-11 for each contact interval and, in grids, for each cell.
#include <fathom/response/continuous_penalty.h>

#include <fathom/base/parallel.h>

#include <fathom/field/grid/grid_field.h>

#include <cmath>

namespace fathom {

namespace {

// ---- Sum over contacts, in a fixed order for any number of threads.

// Linearisation of a contact about the centre of mass of one body with lever arm `handle`. `side` is 1 for the shell's
// body, -1 for the field's body.
[[nodiscard]] ContactSlope contact_slope(const ContactState& state, const Vec3& handle, const ContactLaw& law,
                                         double weight, double side) {
    Mat3 cross;
    cross << 0, -handle.z(), handle.y(), handle.z(), 0, -handle.x(), -handle.y(), handle.x(), 0;
    Eigen::Matrix<double, 3, 6> reach; // from linear and angular velocity to the velocity of the point
    reach << Mat3::Identity(), -cross;
    const Vec3 unit = state.separating_direction.stableNormalized();
    const Mat3 along = unit * unit.transpose(), across = Mat3::Identity() - along;
    const Vec3 slip = across * state.velocity;
    const double rub = law.friction * law.stiffness * std::max(state.depth, 0.0) /
                       std::sqrt(slip.squaredNorm() + law.slip_speed * law.slip_speed);
    const Mat3 damping = law.damping * (law.damped == DampedPart::all ? Mat3(Mat3::Identity()) : along) + rub * across;
    const Mat6 stiffness = weight * law.stiffness * reach.transpose() * along * reach;
    return {stiffness, weight * reach.transpose() * damping * reach,
            -side * weight * law.stiffness * reach.transpose() * along * state.velocity};
}

void add(ContactResponse& sum, const ContactResponse& part, bool slopes) {
    sum.on_shell += part.on_shell;
    sum.on_field += part.on_field;
    sum.force_error += part.force_error;
    sum.torque_error += part.torque_error;
    sum.deepest = std::max(sum.deepest, part.deepest);
    sum.deepest_now = std::max(sum.deepest_now, part.deepest_now);
    sum.stored += part.stored;
    if (!slopes) return;
    sum.shell_slope += part.shell_slope;
    sum.field_slope += part.field_slope;
}

// `one(contact, record)` returns the ContactResponse of a contact.
template <class One>
[[nodiscard]] ContactResponse contact_sum(std::span<const point_field::PointContact> contacts,
                                          const ContactOutput& output, const One& one) {
    constexpr std::size_t chunk = 256;
    const std::size_t first = output.records ? output.records->size() : 0;
    if (output.records) output.records->resize(first + contacts.size());
    const auto some = [&](std::size_t begin, std::size_t end) {
        ContactResponse sum;
        ContactRecord ignored;
        for (std::size_t k = begin; k < end; ++k)
            add(sum, one(contacts[k], output.records ? (*output.records)[first + k] : ignored), output.slopes);
        return sum;
    };
    if (contacts.size() <= chunk) return some(0, contacts.size());
    return parallel_reduce(contacts.size(), chunk, ContactResponse{}, some,
                           [&](ContactResponse sum, const ContactResponse& part) {
                               add(sum, part, output.slopes);
                               return sum;
                           });
}

// Force on the shell, torque on the shell, torque of that force about the field's centre of mass.
constexpr int size = 9;
using Values = Eigen::Matrix<double, size, 1>;

// The times at which a chord crosses cell boundaries, in order.
class CellBorders {
public:
    CellBorders(const GridLayout& layout, const ContactPath::Chord& chord)
        : start_((chord.start - layout.origin) / layout.cell), move_((chord.end - chord.start) / layout.cell) {}

    // The first time after t, or infinity.
    [[nodiscard]] double next(double t) const {
        double first = std::numeric_limits<double>::infinity();
        for (int axis = 0; axis < 3; ++axis) first = std::min(first, next(axis, t));
        return first;
    }

private:
    [[nodiscard]] double next(int axis, double t) const {
        if (move_[axis] == 0) return std::numeric_limits<double>::infinity();
        const double place = start_[axis] + t * move_[axis];
        double border = move_[axis] > 0 ? std::floor(place) : std::ceil(place);
        // Because of rounding, the boundary just crossed may still be the next one; then the boundary after it is used.
        for (int tries = 0; tries < 3; ++tries, border += std::copysign(1.0, move_[axis])) {
            const double time = (border - start_[axis]) / move_[axis];
            if (time > t + 1e-12) return time;
        }
        return std::numeric_limits<double>::infinity();
    }

    Vec3 start_, move_;
};

class Contacts {
public:
    Contacts(const ContactRole& role, double step, const ContactLaw& law, const ContactOutput& output)
        : path_(role, step, law), law_(law), grid_(role.field.grid_data()), output_(output) {}

    ContactResponse operator()(const point_field::PointContact& contact, ContactRecord& record) const {
        const ContactPath::Chord chord = path_.chord(contact.point);
        record.point = contact.point;
        const auto values = [&](double t) {
            const ContactState state = path_.at(contact.point, chord, t);
            remember(record, state, t);
            const Vec3 force = contact_force(state, law_);
            Values v;
            v << force, state.shell_handle.cross(force), state.field_handle.cross(force);
            return v;
        };
        ContactResponse response = summed(over_interval(values, contact.time, chord));
        finish(response, contact, chord, record);
        return response;
    }

private:
    static void remember(ContactRecord& record, const ContactState& state, double t) {
        if (!(state.depth > record.depth)) return;
        record.time = t;
        record.depth = state.depth;
        record.position = state.position;
        record.normal = -state.separating_direction.stableNormalized();
    }

    template <class Function>
    Integral<size> over_interval(const Function& f, const ContactInterval& time,
                                 const ContactPath::Chord& chord) const {
        const QuadratureOptions& q = law_.quadrature;
        if (q.rule == QuadratureRule::midpoint) return midpoint_integral<size>(f, time.start, time.end, q.points);
        Integral<size> sum;
        if (quick_integral<size>(f, time.start, time.end, q.tolerance, sum)) return sum;
        if (!grid_ || law_.path != PathInTime::chord)
            return adaptive_integral<size>(f, time.start, time.end, q.tolerance, q.halvings);
        const CellBorders borders(grid_->layout, chord);
        sum = {};
        for (double a = time.start; a < time.end;) {
            const double b = std::min(borders.next(a), time.end);
            sum += adaptive_integral<size>(f, a, b, q.tolerance, q.halvings);
            a = b;
        }
        return sum;
    }

    static ContactResponse summed(const Integral<size>& integral) {
        ContactResponse response;
        response.on_shell = {integral.value.head<3>(), integral.value.segment<3>(3)};
        response.on_field = {-integral.value.head<3>(), -integral.value.tail<3>()};
        response.force_error = integral.error.head<3>();
        response.torque_error = integral.error.segment<3>(3);
        return response;
    }

    // Sets the depth and energy at ContactOutput::now, and the slopes at the end of the contact, which is closest to
    // the next step.
    void finish(ContactResponse& response, const point_field::PointContact& contact, const ContactPath::Chord& chord,
                ContactRecord& record) const {
        if (contact.time.start <= output_.now && output_.now <= contact.time.end) {
            const ContactState state = path_.at(contact.point, chord, output_.now);
            remember(record, state, output_.now);
            response.deepest_now = std::max(state.depth, 0.0);
            response.stored = 0.5 * law_.stiffness * response.deepest_now * response.deepest_now;
        }
        response.deepest = record.depth;
        if (!output_.slopes) return;
        const ContactState last = path_.at(contact.point, chord, contact.time.end);
        const double share = contact.time.end - contact.time.start;
        response.shell_slope = contact_slope(last, last.shell_handle, law_, share, 1);
        response.field_slope = contact_slope(last, last.field_handle, law_, share, -1);
    }

    ContactPath path_;
    const ContactLaw& law_;
    const GridData* grid_;
    const ContactOutput& output_;
};

} // namespace

ContactResponse continuous_penalty(std::span<const point_field::PointContact> contacts, const ContactRole& role,
                                   double step, const ContactLaw& law, const ContactOutput& output) {
    if (contacts.empty()) return {};
    const Contacts one(role, step, law, output);
    return contact_sum(contacts, output, [&](const point_field::PointContact& contact, ContactRecord& record) {
        record = {};
        return one(contact, record);
    });
}

// ---- Discrete penalty.

ContactResponse discrete_penalty(std::span<const point_field::PointContact> contacts, const ContactRole& role,
                                 double step, const ContactLaw& law, const ContactOutput& output) {
    if (contacts.empty()) return {};
    const ContactPath path(role, step, law);
    return contact_sum(contacts, output, [&](const point_field::PointContact& contact, ContactRecord& record) {
        record = {};
        record.point = contact.point;
        ContactResponse response;
        if (contact.time.end < 1) return response;
        const ContactState state = path.at(contact.point, path.chord(contact.point), 1);
        const Vec3 force = contact_force(state, law);
        response.on_shell = {force, state.shell_handle.cross(force)};
        response.on_field = {-force, -state.field_handle.cross(force)};
        response.deepest = response.deepest_now = std::max(state.depth, 0.0);
        response.stored = 0.5 * law.stiffness * response.deepest * response.deepest;
        record = {contact.point, 1, response.deepest, state.position, -state.separating_direction.stableNormalized()};
        if (output.slopes && state.depth > 0) {
            response.shell_slope = contact_slope(state, state.shell_handle, law, 1, 1);
            response.field_slope = contact_slope(state, state.field_handle, law, 1, -1);
        }
        return response;
    });
}

} // namespace fathom
