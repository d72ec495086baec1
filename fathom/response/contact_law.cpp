// Borders of the law's options.
#include <fathom/response/contact_law.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

void check_number(double value, bool zero_allowed, const char* name) {
    if (std::isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return;
    throw Error(Cause::invalid_argument,
                fmt::format("{} is not a finite number {} 0", value, zero_allowed ? "from" : "above"),
                {.element = fmt::format("option {}", name)});
}

} // namespace

void check(const ContactLaw& law) {
    check_number(law.stiffness, true, "stiffness");
    check_number(law.damping, true, "damping");
    check_number(law.friction, true, "friction");
    check_number(law.slip_speed, false, "slip_speed");
    check(law.quadrature);
}

} // namespace fathom
