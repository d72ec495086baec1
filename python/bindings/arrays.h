// Python: arrays of numpy at the border, checked once. C-contiguous float64 and float32 are used where they lie;
// anything else that holds real numbers is copied. Names in messages are those of the caller's arguments.
#pragma once

#include <fathom/base/box.h>
#include <fathom/base/parallel.h>

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

// fathom::Error{invalid_argument} about an argument: fathom.InputError in Python.
[[noreturn]] void refuse(std::string_view argument, const std::string& reason);

// Rows of `width` numbers with any leading shape. TypeError where there are no real numbers, InputError where the last
// axis is another.
class Rows {
public:
    Rows(py::handle given, py::ssize_t width, std::string_view argument);

    [[nodiscard]] const Extents& leading() const { return leading_; } // shape without the last axis
    [[nodiscard]] std::size_t size() const { return count_; }         // rows
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

// Points (..., 3).
class Points : public Rows {
public:
    Points(py::handle given, std::string_view argument) : Rows(given, 3, argument), argument_(argument) {}

    // body(points, first) for pieces of all of them, in parallel; works without the lock of Python. Floats are widened
    // piece by piece. Error{non_finite} names the first point that is not finite.
    template <class Body>
    void in_pieces(Body&& body) const {
        static_assert(sizeof(Vec3) == 3 * sizeof(double));
        std::atomic<std::size_t> bad{no_bad};
        parallel_for(size(), piece, [&](std::size_t begin, std::size_t end) {
            if (doubles() != nullptr) {
                const std::span some(reinterpret_cast<const Vec3*>(doubles()) + begin, end - begin);
                body(some, begin);
                // Afterwards, when they lie in the cache: every query can be asked about NaN, only its answer means
                // nothing.
                if (!has_finite_sum(some)) note_bad(some, begin, bad);
                return;
            }
            std::array<Vec3, 256> wide; // few enough to stay in the first cache beside what the query needs
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

    // Finite only where all terms are: one look for many points. Huge terms may make it infinite too: note_bad() looks
    // at each.
    [[nodiscard]] static bool has_finite_sum(std::span<const Vec3> points);
    static bool widen(const float* from, std::size_t count, double* to); // the same of these
    static void note_bad(std::span<const Vec3> points, std::size_t first, std::atomic<std::size_t>& bad);
    [[noreturn]] void refuse_bad(std::size_t point) const;

    std::string argument_;
};

// (n, 3) exactly, all finite; InputError names the first that is not.
[[nodiscard]] std::vector<Vec3> finite_points(py::handle given, std::string_view argument);
[[nodiscard]] Vec3 vector_from(py::handle given, std::string_view argument);
// [lower, upper] of shape (2, 3); None: the empty box.
[[nodiscard]] Box box_from(py::handle given, std::string_view argument);
[[nodiscard]] py::array box_array(const Box& box);
// (n, width) whole numbers that vertices are named by. InputError for anything else; which vertices exist is checked
// later.
template <std::size_t Width>
[[nodiscard]] std::vector<std::array<Index, Width>> indices_from(py::handle given, std::string_view argument);

// Where results go: `out` itself, checked (float64 or float32, C-contiguous, writable, of this shape, apart from the
// input), or a new float64 array.
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
    [[nodiscard]] double* doubles() const { return doubles_; } // null where floats are wanted
    // The array; a float where there are no axes and no array was given.
    [[nodiscard]] py::object object() const;

private:
    py::array array_;
    double* doubles_ = nullptr;
    float* floats_ = nullptr;
    bool given_ = false;
};

[[nodiscard]] py::array vector_array(const Vec3& v);

// A read-only view of `rows` x `columns` numbers that live as long as `owner`.
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

// A new array of what `value(k)` says, k < count, with this leading shape.
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
