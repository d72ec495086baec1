// Borders of the quadrature's options.
#include <fathom/response/quadrature.h>

#include <fathom/base/error.h>

namespace fathom {

void check(const QuadratureOptions& options) {
    const auto refuse = [](const char* reason, const char* option) {
        throw Error(Cause::invalid_argument, reason, {.element = option});
    };
    if (options.points < 1 || options.points > 100'000) refuse("must be from 1 to 100000", "option points");
    if (!(options.tolerance > 0 && options.tolerance <= 1)) refuse("must be above 0 and at most 1", "option tolerance");
    if (options.halvings < 0 || options.halvings > 40) refuse("must be from 0 to 40", "option halvings");
}

} // namespace fathom
