// The table of methods behind collide(), distance() and sweep(). A method is one row: its name, and for each query
// which pairs of kinds it accepts, what it guarantees, whether it supports a margin, and the function that runs it. The
// row is defined in method_<name>.cpp and listed in method_table.cpp. Private to this folder.
#pragma once

#include <fathom/detect/query/query.h>
#include <fathom/detect/query/query_pair.h>

#include <algorithm>
#include <span>

namespace fathom::query {

// A predicate on the kinds of a pair. It is tested in both orders. Null: the method does not support the query.
using Fits = bool (*)(ShapeKind a, ShapeKind b);

struct CollideMethod {
    Fits fits = nullptr;
    std::string_view guarantee{};
    bool margin = false; // supports CollideOptions::margin
    CollideResult (*run)(const Pair& pair, const CollideOptions& options) = nullptr;
};

struct DistanceMethod {
    Fits fits = nullptr;
    std::string_view guarantee{};
    DistanceResult (*run)(const Pair& pair, const DistanceOptions& options) = nullptr;
};

struct Moving {
    const Shape* shape;
    Motion motion;
};

struct SweepMethod {
    Fits fits = nullptr;
    Fits preferred = nullptr; // pairs for which Method::automatic may select it; null: all that it fits
    std::string_view guarantee{}, guarantee_all{}; // of SweepGoal::first, and of SweepGoal::all
    bool margin = false;                           // supports SweepOptions::margin
    bool straight = false;                         // supports Path::straight
    SweepResult (*run)(const Moving& a, const Moving& b, const SweepOptions& options) = nullptr;
};

struct MethodRow {
    Method method;
    std::string_view name;
    CollideMethod collide{};
    DistanceMethod distance{};
    SweepMethod sweep{};
};

// One row per method, in order of preference.
extern const MethodRow convex_row, closed_form_row, point_field_row, mesh_mesh_row, mesh_field_row, field_field_row,
    conservative_advancement_row, octree_row, tetrahedra_row, dual_gradient_row, depth_maps_row, compound_row;

[[nodiscard]] std::span<const MethodRow* const> all_rows();
[[nodiscard]] const MethodRow& row_of(Method method); // not for Method::automatic

// The row that is used for a query. Error{unsupported} as choose(); also if a forced method does not support the margin
// or the path.
[[nodiscard]] const MethodRow& row_for(const Pair& pair, const CollideOptions& options);
[[nodiscard]] const MethodRow& row_for(const Pair& pair, const DistanceOptions& options);
[[nodiscard]] const MethodRow& row_for(const Moving& a, const Moving& b, const SweepOptions& options);

// ---- Predicates on pairs of kinds that several rows share.

[[nodiscard]] inline bool both_half_spaces(ShapeKind a, ShapeKind b) { return is_half_space(a) && is_half_space(b); }
[[nodiscard]] inline bool half_space_and_surface(ShapeKind a, ShapeKind b) {
    return is_half_space(a) && has_surface(b);
}
[[nodiscard]] inline bool two_solids(ShapeKind a, ShapeKind b) {
    return has_field(a) && has_field(b) && !both_half_spaces(a, b);
}

// ---- Conversions and limits that several methods share.

// A limit on evaluations, multiplied by the effort of the options.
[[nodiscard]] inline std::size_t scaled(std::size_t limit, double effort) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(limit) * effort));
}
inline constexpr std::size_t max_status_evaluations = 5'000; // of fields, for each of many overlap tests

[[nodiscard]] inline DistanceResult between(const Vec3& point_a, const Vec3& point_b, double lower, double upper) {
    return {.lower_bound = lower,
            .upper_bound = upper,
            .point_a = point_a,
            .point_b = point_b,
            .normal = (point_b - point_a).stableNormalized()};
}
inline void set_overlapping(CollideResult& result, const Vec3& witness) {
    result.status = Status::overlapping;
    result.witness = witness;
}
// The signed distance of shapes that overlap, from their contacts.
[[nodiscard]] DistanceResult penetration(const Pair& pair, const CollideResult& found);
// options.tolerance, or its default.
[[nodiscard]] double tolerance_of(const Pair& pair, const DistanceOptions& options);

} // namespace fathom::query
