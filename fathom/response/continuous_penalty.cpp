// The integrals of equations 4-11, interval by interval and, in grids, cell by cell.
#include <fathom/response/continuous_penalty.h>

#include <fathom/field/grid/grid_field.h>
#include <fathom/response/wrench.h>

#include <cmath>

namespace fathom {

namespace {

constexpr int size = 9; // force on the shell, torque on the shell, torque of that force about the field's centre
using Values = Eigen::Matrix<double, size, 1>;

// The times at which a chord passes from cell to cell, one after another.
class CellBorders {
public:
    CellBorders(const GridLayout& layout, const ContactPath::Chord& chord)
        : start_((chord.start - layout.origin) / layout.cell), move_((chord.end - chord.start) / layout.cell) {}

    // The first after t, or infinity.
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
        // Rounding may leave the border that was just passed ahead of us: then the one behind it is next.
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
        : path_(role, step, law), law_(law), grid_(dynamic_cast<const GridField*>(&role.field)), output_(output) {}

    ContactResponse operator()(const PointContact& contact, ContactRecord& record) const {
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
        record.normal = state.normal.stableNormalized();
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
        const CellBorders borders(grid_->layout(), chord);
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

    // What is inside now, and the slopes at the end of the contact: the nearest to what comes next.
    void finish(ContactResponse& response, const PointContact& contact, const ContactPath::Chord& chord,
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
    const GridField* grid_;
    const ContactOutput& output_;
};

} // namespace

ContactResponse continuous_penalty(std::span<const PointContact> contacts, const ContactRole& role, double step,
                                   const ContactLaw& law, const ContactOutput& output) {
    if (contacts.empty()) return {};
    const Contacts one(role, step, law, output);
    return contact_sum(contacts, output, [&](const PointContact& contact, ContactRecord& record) {
        record = {};
        return one(contact, record);
    });
}

// The end of the step alone.

ContactResponse discrete_penalty(std::span<const PointContact> contacts, const ContactRole& role, double step,
                                 const ContactLaw& law, const ContactOutput& output) {
    if (contacts.empty()) return {};
    const ContactPath path(role, step, law);
    return contact_sum(contacts, output, [&](const PointContact& contact, ContactRecord& record) {
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
        record = {contact.point, 1, response.deepest, state.position, state.normal.stableNormalized()};
        if (output.slopes && state.depth > 0) {
            response.shell_slope = contact_slope(state, state.shell_handle, law, 1, 1);
            response.field_slope = contact_slope(state, state.field_handle, law, 1, -1);
        }
        return response;
    });
}

} // namespace fathom
