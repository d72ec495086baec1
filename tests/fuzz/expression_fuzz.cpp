// Any text: refused with an Error, or a shape that prints and reads back the same and answers soundly.
#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/tape.h>

#include <cmath>
#include <cstdlib>

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void ask(const fathom::AnalyticExpression& shape) {
    const fathom::AnalyticField field(shape);
    const fathom::Vec3 points[] = {{0, 0, 0}, {0.3, -0.2, 0.7}, {-1e3, 2e3, 5e2}, {1e15, -1e200, 1e-200}};
    for (const fathom::Vec3& p : points) {
        const fathom::Sample sample = field.sample(p);
        require(std::isfinite(sample.distance) && sample.gradient.allFinite());
        require(sample.distance == field.distance(p));
        const fathom::Box box{p - fathom::Vec3::Constant(0.5), p + fathom::Vec3::Constant(0.5)};
        require(field.range(box).contains(sample.distance));
        fathom::Tape part;
        field.tape().shorten(box, part);
        double value = 0;
        part.distances({&p, 1}, {&value, 1});
        require(value == sample.distance);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const fathom::AnalyticExpression shape = fathom::parse_shape({reinterpret_cast<const char*>(data), size});
        require(fathom::parse_shape(shape.text()) == shape);
        if (shape.dimension() == 3 && shape.weight() < 3000) ask(shape);
    } catch (const fathom::Error&) {
    }
    return 0;
}
