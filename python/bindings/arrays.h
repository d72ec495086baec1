// Conversions between numpy arrays and C++, with all checks of the input. C-contiguous arrays of float64 and float32
// are used in place; other arrays of real numbers are copied. Error messages use the names of the caller's arguments.
#pragma once

#include <fathom/base/parallel.h>
#include <fathom/base/primitives.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::python {

namespace py = pybind11;
using Extents = std::vector<py::ssize_t>;
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Throws fathom::Error{invalid_argument} about an argument, which Python sees as fathom.InputError.
[[noreturn]] void refuse(std::string_view argument, const std::string& reason);

// Rows of `width` numbers with any leading shape. TypeError if the array does not hold real numbers, InputError if its
// last axis has another length.
class Rows {
public:
    Rows(py::handle given, py::ssize_t width, std::string_view argument);

    [[nodiscard]] const Extents& leading() const { return leading_; } // shape without the last axis
    [[nodiscard]] std::size_t size() const { return count_; }         // number of rows
    [[nodiscard]] const double* doubles() const {
        return floats_ ? nullptr : static_cast<const double*>(array_.data());
    }
    [[nodiscard]] const float* floats() const { return floats_ ? static_cast<const float*>(array_.data()) : nullptr; }
    [[nodiscard]] const py::array& array() const { return array_; }
    [[nodiscard]] double at(std::size_t row, std::size_t column) const;

private:
    py::array array_;
    Extents leading_;
    std::size_t count_ = 1, width_;
    bool floats_ = false;
};

// Points, an array of shape (..., 3).
class Points : public Rows {
public:
    Points(py::handle given, std::string_view argument) : Rows(given, 3, argument), argument_(argument) {}

    // Calls body(points, first) for consecutive blocks of the points, in parallel; does not need the GIL. float32
    // points are widened block by block. Throws Error{non_finite} with the index of the first point that is not finite.
    template <class Body>
    void in_pieces(Body&& body) const {
        static_assert(sizeof(Vec3) == 3 * sizeof(double));
        std::atomic<std::size_t> bad{no_bad};
        parallel_for(size(), piece, [&](std::size_t begin, std::size_t end) {
            if (doubles() != nullptr) {
                const std::span some(reinterpret_cast<const Vec3*>(doubles()) + begin, end - begin);
                body(some, begin);
                // Checked afterwards, when the points are in the cache: queries accept NaN, but return
                // meaningless values.
                if (!has_finite_sum(some)) note_bad(some, begin, bad);
                return;
            }
            std::array<Vec3, 256> wide; // small enough for the L1 cache, beside the data of the query
            for (std::size_t first = begin; first < end; first += wide.size()) {
                const std::span<const Vec3> some(wide.data(), std::min(wide.size(), end - first));
                const bool finite = widen(floats() + 3 * first, 3 * some.size(), wide.data()->data());
                body(some, first);
                if (!finite) note_bad(some, first, bad);
            }
        });
        if (bad != no_bad) refuse_bad(bad);
    }
    void require_finite() const {
        in_pieces([](std::span<const Vec3>, std::size_t) {});
    }
    [[nodiscard]] std::vector<Vec3> vector() const;

    static constexpr std::size_t piece = 1024;

private:
    static constexpr std::size_t no_bad = ~std::size_t{0};

    // Whether the sum of all coordinates is finite, which it is only if all of them are: one test for many points. Huge
    // coordinates may overflow too; note_bad() tests each point.
    [[nodiscard]] static bool has_finite_sum(std::span<const Vec3> points);
    static bool widen(const float* from, std::size_t count, double* to); // also returns whether the sum is finite
    static void note_bad(std::span<const Vec3> points, std::size_t first, std::atomic<std::size_t>& bad);
    [[noreturn]] void refuse_bad(std::size_t point) const;

    std::string argument_;
};

// An array of shape (n, 3) with finite values; InputError names the first point that is not finite.
[[nodiscard]] std::vector<Vec3> finite_points(py::handle given, std::string_view argument);
[[nodiscard]] Vec3 vector_from(py::handle given, std::string_view argument);
// A box [lower, upper] of shape (2, 3); None gives the empty box.
[[nodiscard]] Box box_from(py::handle given, std::string_view argument);
[[nodiscard]] py::array box_array(const Box& box);
// Vertex indices, an array of integers of shape (n, Width). TypeError for other numbers, InputError for another shape
// or a negative index. Whether the vertices exist is checked later.
template <std::size_t Width>
[[nodiscard]] std::vector<std::array<Index, Width>> indices_from(py::handle given, std::string_view argument);

// The destination of results: `out` if it passes the checks (float64 or float32, C-contiguous, writable, of this shape,
// no memory shared with the input), or a new float64 array.
class Results {
public:
    Results(const py::object& out, Extents shape, const Rows& input);

    template <class Value>
    void put(std::size_t first, std::span<const Value> values) const {
        if (floats_ == nullptr)
            std::copy(values.begin(), values.end(), doubles_ + first);
        else
            std::transform(values.begin(), values.end(), floats_ + first,
                           [](double v) { return static_cast<float>(v); });
    }
    [[nodiscard]] double* doubles() const { return doubles_; } // null if the destination is float32
    // The array, or a Python float if it has no axes and `out` was not given.
    [[nodiscard]] py::object object() const;

private:
    py::array array_;
    double* doubles_ = nullptr;
    float* floats_ = nullptr;
    bool given_ = false;
};

[[nodiscard]] py::array vector_array(const Vec3& v);

// A read-only view of `rows` x `columns` numbers of `owner`, which the view keeps alive.
template <class Number>
[[nodiscard]] py::array view_of(const Number* data, std::size_t rows, std::size_t columns, py::handle owner) {
    py::array_t<Number> view({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)}, data, owner);
    py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return view;
}
template <class Number>
[[nodiscard]] py::array view_of(std::span<const Number> data, py::handle owner) {
    py::array_t<Number> view({static_cast<py::ssize_t>(data.size())}, data.data(), owner);
    py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return view;
}
[[nodiscard]] inline py::array view_of(std::span<const Vec3> points, py::handle owner) {
    return view_of(reinterpret_cast<const double*>(points.data()), points.size(), 3, owner);
}

// A new array of this shape that holds value(k) for k < count.
template <class Number, class Value>
[[nodiscard]] py::array array_of(Extents shape, std::size_t count, const Value& value) {
    py::array_t<Number> array(std::move(shape));
    Number* out = array.mutable_data();
    for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<Number>(value(k));
    return array;
}
template <class Value>
[[nodiscard]] py::array vectors_of(Extents shape, std::size_t count, const Value& value) {
    shape.push_back(3);
    py::array_t<double> array(std::move(shape));
    double* out = array.mutable_data();
    for (std::size_t k = 0; k < count; ++k) Eigen::Map<Vec3>(out + 3 * k) = value(k);
    return array;
}
[[nodiscard]] inline py::ssize_t extent(std::size_t count) { return static_cast<py::ssize_t>(count); }

} // namespace fathom::python
