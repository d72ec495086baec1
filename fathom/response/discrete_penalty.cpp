// The end of the step alone.
#include <fathom/response/discrete_penalty.h>

#include <fathom/response/contact_sum.h>

namespace fathom {

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
