// The table of methods: each row names a method, its guarantee and the pairs of kinds that it accepts. The order of the
// rows is the order of preference.
#include <fathom/detect/query/query.h>

#include <fathom/base/error.h>
#include <fathom/detect/query/query_pair.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom {

std::string_view name(Method method) {
    switch (method) {
    case Method::automatic:
        return "automatic";
    case Method::closed_form:
        return "closed_form";
    case Method::field_field:
        return "field_field";
    case Method::octree:
        return "octree";
    case Method::mesh_field:
        return "mesh_field";
    case Method::point_field:
        return "point_field";
    case Method::mesh_mesh:
        return "mesh_mesh";
    case Method::tetrahedra:
        return "tetrahedra";
    case Method::depth_maps:
        return "depth_maps";
    case Method::conservative_advancement:
        return "conservative_advancement";
    }
    return "unknown";
}

std::string_view name(Question question) {
    switch (question) {
    case Question::collide:
        return "collide";
    case Question::distance:
        return "distance";
    case Question::sweep_first:
        return "sweep_first";
    case Question::sweep_all:
        return "sweep_all";
    }
    return "unknown";
}

namespace {

using query::is_plane;
using query::is_point_shell;

struct Row {
    Method method;
    std::string_view guarantee;
    bool (*fits)(ShapeKind a, ShapeKind b); // tested in both orders
};

bool is_drawn(ShapeKind k) { return has_surface(k) && !is_point_shell(k); }

bool both_planes(ShapeKind a, ShapeKind b) { return is_plane(a) && is_plane(b); }
bool plane_and_surface(ShapeKind a, ShapeKind b) { return is_plane(a) && has_surface(b); }
bool planes_or_surface(ShapeKind a, ShapeKind b) { return both_planes(a, b) || plane_and_surface(a, b); }
// A point shell and a solid are excluded: every point would need its own containment test, which costs less in the
// field.
bool two_surfaces(ShapeKind a, ShapeKind b) {
    return has_surface(a) && has_surface(b) && !(is_point_shell(a) && !is_surface(b)) &&
           !(is_point_shell(b) && !is_surface(a));
}
bool surface_and_solid(ShapeKind a, ShapeKind b) { return is_surface(a) && has_field(b); }
bool points_and_solid(ShapeKind a, ShapeKind b) { return is_point_shell(a) && has_field(b); }
bool two_solids(ShapeKind a, ShapeKind b) { return has_field(a) && has_field(b) && !both_planes(a, b); }
bool two_solids_by_field(ShapeKind a, ShapeKind b) {
    return two_solids(a, b) && !(has_surface(a) && has_surface(b)) && !plane_and_surface(a, b) &&
           !plane_and_surface(b, a);
}
bool two_tetrahedra(ShapeKind a, ShapeKind b) { return a == ShapeKind::tetrahedra && b == ShapeKind::tetrahedra; }
bool drawn_solid(ShapeKind a, ShapeKind b) { return is_drawn(a) && has_field(a) && is_drawn(b); }
bool all_but_planes(ShapeKind a, ShapeKind b) { return !both_planes(a, b); }

constexpr std::array collide_rows = {
    Row{Method::closed_form, "exact up to rounding", planes_or_surface},
    Row{Method::mesh_mesh, "status by exact predicates; depth by descent", two_surfaces},
    Row{Method::mesh_field, "proof or witness, else undecided; depth by descent", surface_and_solid},
    Row{Method::field_field,
        "proof or witness, else undecided; depth by descent, for convex analytic shapes the global maximum",
        two_solids},
    Row{Method::octree, "proof or witness, else undecided; no contacts", two_solids},
    Row{Method::tetrahedra, "status by exact predicates, also for inverted tetrahedra", two_tetrahedra},
    Row{Method::depth_maps, "accurate to a pixel; not a proof", drawn_solid},
};
constexpr std::array distance_rows = {
    Row{Method::closed_form, "exact up to rounding", planes_or_surface},
    Row{Method::mesh_mesh, "exact up to rounding; depth by descent", two_surfaces},
    Row{Method::mesh_field, "between proven bounds; depth by descent", surface_and_solid},
    Row{Method::field_field, "between proven bounds; depth by descent", two_solids},
};
constexpr std::array first_rows = {
    Row{Method::closed_form, "exact up to rounding", both_planes},
    Row{Method::point_field, "lower bound on the time of impact, proven; contact point found", points_and_solid},
    Row{Method::field_field, "lower bound on the time of impact, proven; witness point found", two_solids_by_field},
    Row{Method::conservative_advancement, "lower bound on the time of impact, proven by distances; contact found",
        all_but_planes},
    Row{Method::field_field, "lower bound on the time of impact, proven; witness point found", two_solids},
};
constexpr std::array all_rows = {
    Row{Method::closed_form, "exact up to rounding", both_planes},
    Row{Method::point_field, "all contact intervals of every point", points_and_solid},
    Row{Method::field_field, "no contact outside the intervals, proven; gaps shorter than the resolution may be merged",
        two_solids_by_field},
    Row{Method::conservative_advancement,
        "no contact outside the intervals, proven; gaps shorter than the resolution may be merged", all_but_planes},
    Row{Method::field_field, "no contact outside the intervals, proven; gaps shorter than the resolution may be merged",
        two_solids},
};

std::span<const Row> rows_of(Question question) {
    switch (question) {
    case Question::collide:
        return collide_rows;
    case Question::distance:
        return distance_rows;
    case Question::sweep_first:
        return first_rows;
    case Question::sweep_all:
        return all_rows;
    }
    return {};
}

} // namespace

std::vector<PairMethod> methods_for(ShapeKind a, ShapeKind b, Question question) {
    std::vector<PairMethod> found;
    for (const Row& row : rows_of(question)) {
        const bool known =
            std::any_of(found.begin(), found.end(), [&](const PairMethod& m) { return m.method == row.method; });
        if (!known && (row.fits(a, b) || row.fits(b, a))) found.push_back({row.method, row.guarantee});
    }
    return found;
}

Method choose(ShapeKind a, ShapeKind b, Question question, Method requested) {
    const auto first = [](const Row& row, ShapeKind p, ShapeKind q) { return row.fits(p, q) || row.fits(q, p); };
    for (const Row& row : rows_of(question))
        if ((requested == Method::automatic || requested == row.method) && first(row, a, b)) return row.method;
    std::vector<std::string_view> fitting;
    for (const PairMethod& m : methods_for(a, b, question)) fitting.push_back(name(m.method));
    throw Error(Cause::unsupported,
                fmt::format("method '{}' does not support {} for {} and {}; supported methods: {}", name(requested),
                            name(question), name(a), name(b), fmt::join(fitting, ", ")));
}

} // namespace fathom
