// Checks and conversions of numpy arrays.
#include "arrays.h"

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::python {

namespace {

std::string shape_text(const py::array& array) {
    std::string text = "(";
    for (py::ssize_t k = 0; k < array.ndim(); ++k) text += fmt::format("{}{}", k > 0 ? ", " : "", array.shape(k));
    return text + (array.ndim() == 1 ? ",)" : ")");
}

py::array any_array(py::handle given, std::string_view argument) {
    py::array array = py::array::ensure(given);
    if (!array)
        throw py::type_error(
            fmt::format("{}: expected an array of numbers, got {}", argument, Py_TYPE(given.ptr())->tp_name));
    return array;
}

// The array, or a copy that is aligned, C-contiguous and in native byte order.
template <class Number>
py::array laid_out(const py::array& array) {
    constexpr int flags = py::array::c_style | py::array::forcecast | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    return py::array_t<Number, flags>::ensure(array);
}

py::array real_numbers(py::handle given, std::string_view argument) {
    const py::array array = any_array(given, argument);
    const char kind = array.dtype().kind();
    if (kind != 'f' && kind != 'i' && kind != 'u')
        throw py::type_error(fmt::format("{}: expected float32 or float64, got {}", argument,
                                         py::str(array.dtype()).cast<std::string>()));
    return kind == 'f' && array.itemsize() == sizeof(float) ? laid_out<float>(array) : laid_out<double>(array);
}

bool overlap(const py::array& a, const py::array& b) {
    const auto first = [](const py::array& x) { return static_cast<const char*>(x.data()); };
    return first(a) < first(b) + b.nbytes() && first(b) < first(a) + a.nbytes();
}

} // namespace

void refuse(std::string_view argument, const std::string& reason) {
    throw Error(Cause::invalid_argument, reason, {.element = std::string(argument)});
}

Rows::Rows(py::handle given, py::ssize_t width, std::string_view argument)
    : array_(real_numbers(given, argument)), width_(static_cast<std::size_t>(width)) {
    if (array_.ndim() == 0 || array_.shape(array_.ndim() - 1) != width)
        refuse(argument, fmt::format("expected shape (..., {}), got {}", width, shape_text(array_)));
    floats_ = array_.itemsize() == sizeof(float);
    for (py::ssize_t k = 0; k + 1 < array_.ndim(); ++k) {
        leading_.push_back(array_.shape(k));
        count_ *= static_cast<std::size_t>(array_.shape(k));
    }
}

double Rows::at(std::size_t row, std::size_t column) const {
    const std::size_t k = row * width_ + column;
    return floats_ ? static_cast<double>(floats()[k]) : doubles()[k];
}

std::vector<Vec3> Points::vector() const {
    std::vector<Vec3> points(size());
    for (std::size_t k = 0; k < size(); ++k) points[k] = {at(k, 0), at(k, 1), at(k, 2)};
    return points;
}

// Eight partial sums without a branch, which the compiler vectorizes.
bool Points::has_finite_sum(std::span<const Vec3> points) {
    using Eight = Eigen::Array<double, 8, 1>;
    const double* numbers = points.data()->data();
    const std::size_t count = 3 * points.size(), whole = count / 8 * 8;
    Eight sums = Eight::Zero();
    for (std::size_t k = 0; k < whole; k += 8) sums += Eigen::Map<const Eight>(numbers + k);
    for (std::size_t k = whole; k < count; ++k) sums[0] += numbers[k];
    return std::isfinite(sums.sum());
}

bool Points::widen(const float* from, std::size_t count, double* to) {
    using Eight = Eigen::Array<float, 8, 1>;
    const std::size_t whole = count / 8 * 8;
    Eight sums = Eight::Zero();
    for (std::size_t k = 0; k < whole; k += 8) {
        const Eight some = Eigen::Map<const Eight>(from + k);
        sums += some;
        for (int lane = 0; lane < 8; ++lane) to[k + static_cast<std::size_t>(lane)] = static_cast<double>(some[lane]);
    }
    for (std::size_t k = whole; k < count; ++k) {
        sums[0] += from[k];
        to[k] = static_cast<double>(from[k]);
    }
    return std::isfinite(sums.sum());
}

void Points::note_bad(std::span<const Vec3> points, std::size_t first, std::atomic<std::size_t>& bad) {
    const auto found = std::find_if(points.begin(), points.end(), [](const Vec3& p) { return !is_finite(p); });
    if (found == points.end()) return;
    const std::size_t mine = first + static_cast<std::size_t>(found - points.begin());
    std::size_t least = bad;
    while (mine < least && !bad.compare_exchange_weak(least, mine)) {
    }
}

void Points::refuse_bad(std::size_t point) const {
    throw Error(Cause::non_finite, "value is NaN or infinite",
                {.element = argument_, .index = static_cast<std::int64_t>(point)});
}

std::vector<Vec3> finite_points(py::handle given, std::string_view argument) {
    const Points points(given, argument);
    if (points.leading().size() != 1)
        refuse(argument, fmt::format("expected shape (n, 3), got {}", shape_text(points.array())));
    points.require_finite();
    return points.vector();
}

Vec3 vector_from(py::handle given, std::string_view argument) {
    const Points points(given, argument);
    if (!points.leading().empty())
        refuse(argument, fmt::format("expected shape (3,), got {}", shape_text(points.array())));
    points.require_finite();
    return {points.at(0, 0), points.at(0, 1), points.at(0, 2)};
}

Box box_from(py::handle given, std::string_view argument) {
    if (given.is_none()) return {};
    const Points points(given, argument);
    if (points.leading() != Extents{2})
        refuse(argument,
               fmt::format("expected a box [lower, upper] of shape (2, 3), got {}", shape_text(points.array())));
    const std::vector<Vec3> corners = points.vector();
    Box box{corners[0], corners[1]};
    if (!(box.lower.array() <= box.upper.array()).all())
        refuse(argument, "lower must not exceed upper, and neither may be NaN");
    return box;
}

py::array box_array(const Box& box) {
    return vectors_of({2}, 2, [&](std::size_t k) { return k == 0 ? box.lower : box.upper; });
}

py::array vector_array(const Vec3& v) {
    return vectors_of({}, 1, [&](std::size_t) { return v; });
}

template <std::size_t Width>
std::vector<std::array<Index, Width>> indices_from(py::handle given, std::string_view argument) {
    const py::array array = any_array(given, argument);
    if (array.ndim() != 2 || array.shape(1) != static_cast<py::ssize_t>(Width))
        refuse(argument, fmt::format("expected shape (n, {}), got {}", Width, shape_text(array)));
    const char kind = array.dtype().kind();
    if (kind != 'i' && kind != 'u' && array.size() > 0)
        throw py::type_error(
            fmt::format("{}: expected integers, got {}", argument, py::str(array.dtype()).cast<std::string>()));
    const py::array whole = laid_out<std::int64_t>(array);
    const auto* from = static_cast<const std::int64_t*>(whole.data());
    std::vector<std::array<Index, Width>> all(static_cast<std::size_t>(array.shape(0)));
    for (std::size_t k = 0; k < all.size() * Width; ++k) {
        if (from[k] < 0 || from[k] >= no_index)
            throw Error(Cause::index_out_of_range, fmt::format("vertex index {} is out of range", from[k]),
                        {.element = std::string(argument), .index = static_cast<std::int64_t>(k / Width)});
        all[k / Width][k % Width] = static_cast<Index>(from[k]);
    }
    return all;
}
template std::vector<std::array<Index, 3>> indices_from<3>(py::handle, std::string_view);
template std::vector<std::array<Index, 4>> indices_from<4>(py::handle, std::string_view);

Results::Results(const py::object& out, Extents shape, const Rows& input) : given_(!out.is_none()) {
    if (!given_) {
        array_ = py::array_t<double>(std::move(shape));
        doubles_ = static_cast<double*>(array_.mutable_data());
        return;
    }
    if (!py::isinstance<py::array>(out)) throw py::type_error("out: expected a numpy array");
    array_ = py::reinterpret_borrow<py::array>(out);
    const bool doubles = py::isinstance<py::array_t<double>>(array_),
               floats = py::isinstance<py::array_t<float>>(array_);
    if (!doubles && !floats) throw py::type_error("out: expected float32 or float64");
    if (!std::equal(shape.begin(), shape.end(), array_.shape(), array_.shape() + array_.ndim()))
        refuse("out", fmt::format("shape {} does not match the points", shape_text(array_)));
    if ((array_.flags() & py::array::c_style) == 0) refuse("out", "the array must be C-contiguous");
    if (!array_.writeable()) refuse("out", "the array is read-only");
    if (overlap(array_, input.array())) refuse("out", "the array shares memory with the points");
    if (doubles)
        doubles_ = static_cast<double*>(array_.mutable_data());
    else
        floats_ = static_cast<float*>(array_.mutable_data());
}

py::object Results::object() const {
    if (given_ || array_.ndim() > 0) return array_;
    return py::float_(*doubles_);
}

} // namespace fathom::python
