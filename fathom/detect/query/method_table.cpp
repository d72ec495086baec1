// The table of methods: one row per method, in order of preference, and the selection of a row for a query.
#include <fathom/detect/query/methods.h>

#include <fathom/base/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom {

namespace query {

namespace {

constexpr std::array rows = {&compound_row,  &convex_row,     &closed_form_row,   &point_field_row,
                             &mesh_mesh_row, &mesh_field_row, &field_field_row,   &conservative_advancement_row,
                             &octree_row,    &tetrahedra_row, &dual_gradient_row, &depth_maps_row};
static_assert(rows.size() == all_methods.size());

bool fits(Fits accepts, ShapeKind a, ShapeKind b) { return accepts && (accepts(a, b) || accepts(b, a)); }

bool accepts(const MethodRow& row, ShapeKind a, ShapeKind b, Question question) {
    switch (question) {
    case Question::collide:
        return fits(row.collide.fits, a, b);
    case Question::distance:
        return fits(row.distance.fits, a, b);
    case Question::sweep_first:
    case Question::sweep_all:
        return fits(row.sweep.fits, a, b);
    }
    return false;
}

// Whether Method::automatic may select the row.
bool prefers(const MethodRow& row, ShapeKind a, ShapeKind b, Question question) {
    const bool moving = question == Question::sweep_first || question == Question::sweep_all;
    return accepts(row, a, b, question) && (!moving || !row.sweep.preferred || fits(row.sweep.preferred, a, b));
}

std::string_view guarantee(const MethodRow& row, Question question) {
    switch (question) {
    case Question::collide:
        return row.collide.guarantee;
    case Question::distance:
        return row.distance.guarantee;
    case Question::sweep_first:
        return row.sweep.guarantee;
    case Question::sweep_all:
        return row.sweep.guarantee_all;
    }
    return {};
}

[[noreturn]] void throw_unsupported(ShapeKind a, ShapeKind b, Question question, Method requested) {
    std::vector<std::string_view> supported;
    for (const PairMethod& m : methods_for(a, b, question)) supported.push_back(name(m.method));
    throw Error(Cause::unsupported,
                fmt::format("method '{}' does not support {} for {} and {}; supported methods: {}", name(requested),
                            name(question), name(a), name(b), fmt::join(supported, ", ")));
}

// The forced method, or the first row that is preferred for the pair and supports the options.
template <class Supports>
const MethodRow& select(ShapeKind a, ShapeKind b, Question question, Method requested, const Supports& supports) {
    for (const MethodRow* row : rows) {
        if (requested != Method::automatic ? row->method == requested && accepts(*row, a, b, question)
                                           : prefers(*row, a, b, question) && supports(*row))
            return *row;
    }
    throw_unsupported(a, b, question, requested);
}

} // namespace

std::span<const MethodRow* const> all_rows() { return rows; }

const MethodRow& row_of(Method method) {
    return **std::find_if(rows.begin(), rows.end(), [&](const MethodRow* row) { return row->method == method; });
}

const MethodRow& row_for(const Pair& pair, const CollideOptions& options) {
    const auto supports = [&](const MethodRow& row) { return !(options.margin > 0) || row.collide.margin; };
    const MethodRow& row = select(pair.a.kind(), pair.b.kind(), Question::collide, options.method, supports);
    if (!supports(row))
        throw Error(Cause::unsupported, fmt::format("method '{}' does not support a margin in collide()", row.name));
    return row;
}

const MethodRow& row_for(const Pair& pair, const DistanceOptions& options) {
    return select(pair.a.kind(), pair.b.kind(), Question::distance, options.method,
                  [](const MethodRow&) { return true; });
}

const MethodRow& row_for(const Moving& a, const Moving& b, const SweepOptions& options) {
    const Question question = options.goal == SweepGoal::all ? Question::sweep_all : Question::sweep_first;
    const auto margin = [&](const MethodRow& row) { return !(options.margin > 0) || row.sweep.margin; };
    const auto path = [&](const MethodRow& row) { return options.path != Path::straight || row.sweep.straight; };
    const MethodRow& row = select(a.shape->kind(), b.shape->kind(), question, options.method, margin);
    if (!margin(row))
        throw Error(Cause::unsupported, fmt::format("method '{}' does not support a margin in sweep(); use '{}'",
                                                    row.name, conservative_advancement_row.name));
    if (!path(row))
        throw Error(Cause::unsupported,
                    fmt::format("straight paths are supported only by method '{}'; for these shapes "
                                "it must be forced if it accepts them",
                                point_field_row.name));
    return row;
}

} // namespace query

std::string_view name(Method method) { return method == Method::automatic ? "automatic" : query::row_of(method).name; }

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

std::vector<PairMethod> methods_for(ShapeKind a, ShapeKind b, Question question) {
    std::vector<PairMethod> found;
    for (const bool preferred : {true, false})
        for (const query::MethodRow* row : query::all_rows())
            if (query::accepts(*row, a, b, question) && query::prefers(*row, a, b, question) == preferred)
                found.push_back({row->method, query::guarantee(*row, question)});
    return found;
}

Method choose(ShapeKind a, ShapeKind b, Question question, Method requested) {
    return query::select(a, b, question, requested, [](const query::MethodRow&) { return true; }).method;
}

} // namespace fathom
