// The pair queries collide(), distance() and sweep(). A single pair of poses gives an object, many give tables; batches
// run in parallel.
#include "bindings.h"
#include "poses.h"
#include "queries.h"
#include "shapes.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

namespace fathom::python {

CollideOptions query_options(CollideGoal goal, Method method, double margin, std::size_t max_contacts, double effort) {
    return {.goal = goal, .method = method, .margin = margin, .max_contacts = max_contacts, .effort = effort};
}

namespace {

// Results for many poses, in the order of the poses.
struct Collisions {
    std::vector<CollideResult> all;
    Extents shape;

    [[nodiscard]] const CollideResult& at(py::ssize_t k) const {
        const py::ssize_t count = extent(all.size());
        if (k < -count || k >= count)
            throw py::index_error(fmt::format("index out of range: there are {} results", count));
        return all[static_cast<std::size_t>(k < 0 ? k + count : k)];
    }
    template <class Number, class Value>
    [[nodiscard]] py::array column(const Value& value) const {
        return array_of<Number>(shape, all.size(), [&](std::size_t k) { return value(all[k]); });
    }
};

// Results for all poses. The shapes are prepared first, since threads that wait for the preparation could not share its
// work.
template <class Answer, class Query>
std::vector<Answer> answers_of(const Shape& a, const Shape& b, std::size_t count, const Query& query) {
    std::vector<Answer> answers(count);
    const py::gil_scoped_release unlocked;
    if (count > 1) {
        a.prepare();
        b.prepare();
    }
    parallel_tasks(count, [&](std::size_t k) { answers[k] = query(k); });
    return answers;
}

py::object collide_any(const py::object& a, const py::object& pose_a, const py::object& b, const py::object& pose_b,
                       CollideGoal goal, Method method, double margin, std::size_t max_contacts, double effort) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Poses at = poses_from(pose_a, "pose_a"), bt = poses_from(pose_b, "pose_b");
    const CollideOptions options = query_options(goal, method, margin, max_contacts, effort);
    const Extents shape = common_shape(at.shape, bt.shape);
    auto answers = answers_of<CollideResult>(
        first, second, count_of(shape), [&](std::size_t k) { return collide(first, at[k], second, bt[k], options); });
    if (shape.empty()) return py::cast(std::move(answers[0]));
    return py::cast(Collisions{std::move(answers), shape});
}

py::object distance_table(const std::vector<DistanceResult>& all, const Extents& shape) {
    const std::size_t n = all.size();
    return table("DistanceResults", array_of<double>(shape, n, [&](std::size_t k) { return all[k].upper_bound; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].lower_bound; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].point_a; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].point_b; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].normal; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].error_bound; }),
                 array_of<bool>(shape, n, [&](std::size_t k) { return all[k].converged; }));
}

py::object distance_any(const py::object& a, const py::object& pose_a, const py::object& b, const py::object& pose_b,
                        Method method, double tolerance, double effort, bool depth) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Poses at = poses_from(pose_a, "pose_a"), bt = poses_from(pose_b, "pose_b");
    const DistanceOptions options{.method = method, .tolerance = tolerance, .effort = effort, .depth = depth};
    const Extents shape = common_shape(at.shape, bt.shape);
    auto answers = answers_of<DistanceResult>(
        first, second, count_of(shape), [&](std::size_t k) { return distance(first, at[k], second, bt[k], options); });
    return shape.empty() ? py::cast(std::move(answers[0])) : distance_table(answers, shape);
}

py::object sweep_table(const std::vector<SweepResult>& all, const Extents& shape) {
    const std::size_t n = all.size();
    return table("SweepResults", array_of<std::uint8_t>(shape, n, [&](std::size_t k) { return all[k].status; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].time; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].error; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].point; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].normal; }),
                 array_of<bool>(shape, n, [&](std::size_t k) { return all[k].budget_exhausted; }));
}

// NOLINTNEXTLINE(readability-function-size): the arguments of the Python function
py::object sweep_any(const py::object& a, const py::object& motion_a, const py::object& b, const py::object& motion_b,
                     SweepGoal goal, Method method, Path path, double tolerance, double resolution, double margin,
                     double effort) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Motions at = motions_from(motion_a, "motion_a"), bt = motions_from(motion_b, "motion_b");
    const SweepOptions options{.goal = goal,
                               .method = method,
                               .path = path,
                               .tolerance = tolerance,
                               .resolution = resolution,
                               .margin = margin,
                               .effort = effort};
    const Extents shape = common_shape(at.shape, bt.shape);
    auto answers = answers_of<SweepResult>(first, second, count_of(shape),
                                           [&](std::size_t k) { return sweep(first, at[k], second, bt[k], options); });
    return shape.empty() ? py::cast(std::move(answers[0])) : sweep_table(answers, shape);
}

py::list matrix() {
    py::list rows;
    for (const ShapeKind a : all_shape_kinds)
        for (const ShapeKind b : all_shape_kinds)
            for (const Question question : all_questions)
                for (const PairMethod& method : methods_for(a, b, question))
                    rows.append(table("MatrixRow", a, b, question, method.method,
                                      py::str(method.guarantee.data(), method.guarantee.size())));
    return rows;
}

py::object number_or_none(Index number) { return number == no_index ? py::object(py::none()) : py::int_(number); }

template <class Value>
py::array of_contacts(const CollideResult& c, const Value& value) {
    return vectors_of({extent(c.contacts.size())}, c.contacts.size(),
                      [&](std::size_t k) { return value(c.contacts[k]); });
}

// NOLINTNEXTLINE(readability-function-size): one definition per attribute
void bind_collision(py::module_& m) {
    py::class_<Contact>(m, "Contact", "A contact of two shapes; metres, world frame.")
        .def_property_readonly(
            "point_a", [](const Contact& c) { return vector_array(c.point_a); }, "The point on A (3,).")
        .def_property_readonly(
            "point_b", [](const Contact& c) { return vector_array(c.point_b); }, "The point on B (3,).")
        .def_property_readonly(
            "normal", [](const Contact& c) { return vector_array(c.normal); }, "The unit normal (3,), from A to B.")
        .def_readonly("depth", &Contact::depth, "Penetration depth (m), >= 0; with a margin >= -margin.")
        .def_readonly("region", &Contact::region, "The index of the region of overlap that the contact belongs to.")
        .def_property_readonly(
            "element_a", [](const Contact& c) { return number_or_none(c.feature_a.element); },
            "The triangle of a mesh or the brick of a grid; None if it is not known.")
        .def_property_readonly(
            "element_b", [](const Contact& c) { return number_or_none(c.feature_b.element); }, "The same of B.")
        .def_property_readonly(
            "part_a", [](const Contact& c) { return number_or_none(c.feature_a.part); },
            "The part of a compound shape, an index into Shape.parts; None for other shapes.")
        .def_property_readonly(
            "part_b", [](const Contact& c) { return number_or_none(c.feature_b.part); }, "The same of B.")
        .def("__repr__", [](const Contact& c) { return fmt::format("<fathom.Contact: depth {:.6g} m>", c.depth); });
    py::class_<CollideResult>(
        m, "CollideResult",
        "Whether two shapes overlap, with contacts and penetration depth. It is true unless they are proven disjoint.")
        .def_readonly("status", &CollideResult::status, "Whether the shapes overlap.")
        .def_property_readonly("touching", &CollideResult::touching, "Whether the shapes are not proven disjoint.")
        .def("__bool__", &CollideResult::touching)
        .def_readonly("proven", &CollideResult::proven, "Whether the status is proven.")
        .def_readonly("method", &CollideResult::method, "The method that was used.")
        .def_property_readonly(
            "note", [](const CollideResult& r) { return std::string(r.note); },
            "What the result does not say about a mesh whose interior is not certain; see Shape.interior. Often empty.")
        .def_property_readonly(
            "witness", [](const CollideResult& c) { return vector_array(c.witness); },
            "If overlapping, the witness point: a point of both shapes (3,), metres, world frame.")
        .def_readonly(
            "depth", &CollideResult::depth,
            "Penetration depth (m): B moved by depth * normal is disjoint from A. The shortest such translation "
            "found. NaN if the goal is not 'separation' and the method does not know it.")
        .def_property_readonly(
            "normal", [](const CollideResult& c) { return vector_array(c.normal); },
            "Direction of the separating translation (3,): unit, from A to B.")
        .def_readonly("separates", &CollideResult::separates, "Whether the moved pair was proven disjoint.")
        .def_readonly("unique", &CollideResult::unique,
                      "Whether no other direction was found that separates by a translation as short.")
        .def_readonly("local_depth_bound", &CollideResult::local_depth_bound,
                      "With goal='separation', for two solids by their fields: no point of one shape is deeper in the "
                      "other (m, up to error_bound). inf: unknown.")
        .def_readonly("local_depth", &CollideResult::local_depth,
                      "Depth of the deepest contact found (m): how far a point of one shape is inside the other.")
        .def_readonly("error_bound", &CollideResult::error_bound, "Error bound of the depths (m).")
        .def_readonly("more_contacts", &CollideResult::more_contacts, "Whether more contacts exist than were returned.")
        .def_readonly("budget_exhausted", &CollideResult::budget_exhausted,
                      "Whether the limit on evaluations was reached before the status was decided.")
        .def_readonly("contacts", &CollideResult::contacts, "The contacts, deepest first.")
        .def_property_readonly(
            "points_a",
            [](const CollideResult& c) { return of_contacts(c, [](const Contact& k) { return k.point_a; }); },
            "The points of the contacts on A (n, 3), metres, world frame.")
        .def_property_readonly(
            "points_b",
            [](const CollideResult& c) { return of_contacts(c, [](const Contact& k) { return k.point_b; }); },
            "The points of the contacts on B (n, 3), metres, world frame.")
        .def_property_readonly(
            "normals", [](const CollideResult& c) { return of_contacts(c, [](const Contact& k) { return k.normal; }); },
            "The unit normals of the contacts (n, 3), from A to B.")
        .def_property_readonly(
            "depths",
            [](const CollideResult& c) {
                return array_of<double>({extent(c.contacts.size())}, c.contacts.size(),
                                        [&](std::size_t k) { return c.contacts[k].depth; });
            },
            "The depths of the contacts (n,), metres.")
        .def("__repr__", [](const CollideResult& c) {
            return fmt::format("<fathom.CollideResult: {}, {} contacts, depth {:.6g} m, by {}>",
                               Choices<Status>::names[static_cast<std::size_t>(c.status)], c.contacts.size(), c.depth,
                               name(c.method));
        });
    py::class_<Collisions>(m, "CollideResults",
                           "The results for many poses. Columns have the leading shape of the poses; [k] is the result "
                           "of pose k in C order.")
        .def("__len__", [](const Collisions& c) { return c.all.size(); })
        .def("__getitem__", &Collisions::at, py::arg("k"))
        .def_property_readonly(
            "status",
            [](const Collisions& c) { return c.column<std::uint8_t>([](const CollideResult& k) { return k.status; }); },
            "(...,) uint8: values of Status.")
        .def_property_readonly(
            "touching",
            [](const Collisions& c) {
                return c.column<bool>([](const CollideResult& k) { return k.status != Status::disjoint; });
            },
            "(...,) bool: not proven disjoint.")
        .def_property_readonly(
            "proven",
            [](const Collisions& c) { return c.column<bool>([](const CollideResult& k) { return k.proven; }); },
            "(...,) bool: whether the status is proven.")
        .def_property_readonly(
            "depth",
            [](const Collisions& c) { return c.column<double>([](const CollideResult& k) { return k.depth; }); },
            "(...,), m: penetration depths, NaN if not computed.")
        .def_property_readonly(
            "normal",
            [](const Collisions& c) {
                return vectors_of(c.shape, c.all.size(), [&](std::size_t k) { return c.all[k].normal; });
            },
            "(..., 3): directions of the separating translations, from A to B.")
        .def_property_readonly(
            "local_depth",
            [](const Collisions& c) { return c.column<double>([](const CollideResult& k) { return k.local_depth; }); },
            "(...,), m: depths of the deepest contacts.")
        .def_property_readonly(
            "error_bound",
            [](const Collisions& c) { return c.column<double>([](const CollideResult& k) { return k.error_bound; }); },
            "(...,), m")
        .def_property_readonly(
            "contact_count",
            [](const Collisions& c) {
                return c.column<std::int64_t>([](const CollideResult& k) { return k.contacts.size(); });
            },
            "(...,)")
        .def_property_readonly(
            "witness",
            [](const Collisions& c) {
                return vectors_of(c.shape, c.all.size(), [&](std::size_t k) { return c.all[k].witness; });
            },
            "(..., 3): witness points, metres, world frame.");
}

void bind_others(py::module_& m) {
    py::class_<DistanceResult>(
        m, "DistanceResult",
        "The signed distance of two shapes: minus the penetration depth if they overlap. Metres, "
        "world frame. float() gives upper_bound.")
        .def_readonly("status", &DistanceResult::status, "Of the bounds: disjoint, overlapping or undecided.")
        .def_property_readonly("touching", &DistanceResult::touching, "Whether the shapes are not proven disjoint.")
        .def_readonly(
            "proven", &DistanceResult::proven,
            "Whether the status is proven, and the bound that it rests on is not below the error of the shapes.")
        .def_readonly("lower_bound", &DistanceResult::lower_bound,
                      "Lower bound of the distance, up to error_bound; -inf if the shapes overlap.")
        .def_readonly("upper_bound", &DistanceResult::upper_bound,
                      "Upper bound of the distance: the distance of the two closest points found.")
        .def("__float__", [](const DistanceResult& d) { return d.upper_bound; })
        .def_property_readonly(
            "point_a", [](const DistanceResult& d) { return vector_array(d.point_a); },
            "The closest point found on A (3,).")
        .def_property_readonly(
            "point_b", [](const DistanceResult& d) { return vector_array(d.point_b); },
            "The closest point found on B (3,).")
        .def_property_readonly(
            "normal", [](const DistanceResult& d) { return vector_array(d.normal); },
            "The unit direction (3,), from A to B.")
        .def_readonly("method", &DistanceResult::method, "The method that was used.")
        .def_property_readonly(
            "note", [](const DistanceResult& r) { return std::string(r.note); },
            "What the result does not say about a mesh whose interior is not certain; see Shape.interior. Often empty.")
        .def_readonly("error_bound", &DistanceResult::error_bound, "Error bound of the distance (m).")
        .def_readonly("converged", &DistanceResult::converged, "Whether the bounds are within the tolerance.")
        .def("__repr__", [](const DistanceResult& d) {
            return fmt::format("<fathom.DistanceResult: {:.9g} m, by {}>", d.upper_bound, name(d.method));
        });
    py::class_<SweepResult>(m, "SweepResult", "The time of impact of two moving shapes; time runs in [0, 1].")
        .def_readonly("status", &SweepResult::status, "The status over the whole motion.")
        .def_readonly("proven", &SweepResult::proven, "False: undecided, or the time holds only for the vertices.")
        .def_property_readonly("touching", &SweepResult::touching, "Whether the shapes are not proven disjoint.")
        .def("__bool__", &SweepResult::touching)
        .def_readonly("time", &SweepResult::time,
                      "Lower bound of the time of impact. If overlapping, contact occurs in [time, time + error].")
        .def_readonly("error", &SweepResult::error, "Width of the interval of the time of impact; see `time`.")
        .def_property_readonly(
            "point", [](const SweepResult& s) { return vector_array(s.point); },
            "The point of the first contact (3,), metres, world frame.")
        .def_property_readonly(
            "normal", [](const SweepResult& s) { return vector_array(s.normal); },
            "The unit normal of the first contact (3,), from A to B.")
        .def_property_readonly(
            "intervals",
            [](const SweepResult& s) {
                return array_of<double>({extent(s.intervals.size()), 2}, 2 * s.intervals.size(), [&](std::size_t k) {
                    return k % 2 == 0 ? s.intervals[k / 2].start : s.intervals[k / 2].end;
                });
            },
            "With goal='all': the contact intervals (n, 2), start and end. Every contact is in one of them.")
        .def_property_readonly(
            "intervals_proven",
            [](const SweepResult& s) {
                return array_of<bool>({extent(s.intervals.size())}, s.intervals.size(),
                                      [&](std::size_t k) { return s.intervals[k].proven; });
            },
            "(n,) bool: whether a contact was found in the interval.")
        .def_readonly("method", &SweepResult::method, "The method that was used.")
        .def_property_readonly(
            "note", [](const SweepResult& r) { return std::string(r.note); },
            "What the result does not say about a mesh whose interior is not certain; see Shape.interior. Often empty.")
        .def_readonly("error_bound", &SweepResult::error_bound, "Error bound of the shapes (m).")
        .def_readonly("budget_exhausted", &SweepResult::budget_exhausted,
                      "Whether the budget was exhausted, so that the error or the intervals are wider than requested.")
        .def("__repr__", [](const SweepResult& s) {
            return fmt::format("<fathom.SweepResult: {}, time {:.9g}, by {}>",
                               Choices<Status>::names[static_cast<std::size_t>(s.status)], s.time, name(s.method));
        });
}

} // namespace

void bind_query(py::module_& m) {
    bind_collision(m);
    bind_others(m);
    m.def(
        "collide", &collide_any, py::arg("a"), py::arg("pose_a"), py::arg("b"), py::arg("pose_b"), py::kw_only(),
        py::arg("goal") = CollideGoal::status, py::arg("method") = Method::automatic, py::arg("margin") = 0.0,
        py::arg("max_contacts") = 16, py::arg("effort") = 1.0,
        R"(Tests whether two shapes overlap, and finds contacts and penetration depth. Shapes of any kinds, in either order. 'disjoint' is a proof.

a, b: shapes, or geometry that a Shape can be made of. pose_a, pose_b: 4x4 matrices, tuples (translation, quaternion w x y z), one translation, or None. With a leading
shape (..., 4, 4) the queries run in parallel, and the result is a CollideResults. goal: 'status', 'contacts' or 'separation'; each includes those before it. effort: factor on the limit on evaluations before 'undecided'. margin: shapes closer than this count as overlapping (m).)");
    m.def(
        "distance", &distance_any, py::arg("a"), py::arg("pose_a"), py::arg("b"), py::arg("pose_b"), py::kw_only(),
        py::arg("method") = Method::automatic, py::arg("tolerance") = 0.0, py::arg("effort") = 1.0,
        py::arg("depth") = false,
        "Computes the signed distance of two shapes (m): minus the penetration depth if they overlap. tolerance: the "
        "allowed difference of the bounds (m). depth: find the separating translation of overlapping shapes too, which "
        "bounds the distance from below. Many poses give a DistanceResults.");
    m.def("sweep", &sweep_any, py::arg("a"), py::arg("motion_a"), py::arg("b"), py::arg("motion_b"), py::kw_only(),
          py::arg("goal") = SweepGoal::first, py::arg("method") = Method::automatic, py::arg("path") = Path::screw,
          py::arg("tolerance") = 1e-6, py::arg("resolution") = 1.0 / 512, py::arg("margin") = 0.0,
          py::arg("effort") = 1.0,
          "Computes the time of impact of two moving shapes. motion: a Motion, or a constant pose. goal: 'any' "
          "contact, the 'first' one, or 'all' contact intervals. Many motions give a SweepResults.");
    m.def(
        "methods_for",
        [](ShapeKind a, ShapeKind b, Question question) {
            py::list all;
            for (const PairMethod& k : methods_for(a, b, question))
                all.append(py::make_tuple(k.method, py::str(k.guarantee.data(), k.guarantee.size())));
            return all;
        },
        py::arg("a"), py::arg("b"), py::arg("question"),
        "Returns the methods for a query on a pair of shape kinds, best first: [(Method, guarantee)].");
    m.def("matrix", &matrix,
          "Returns the table of all methods: a MatrixRow for each pair of kinds, query and method, best first.");
}

} // namespace fathom::python
