// Python: the one call. One pair of placements gives an object, many give tables; batches run in parallel.
#include "bindings.h"
#include "poses.h"
#include "queries.h"
#include "shapes.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

namespace fathom::python {

QueryOptions query_options(QueryGoal goal, Method method, double margin, std::size_t most_contacts) {
    return {.goal = goal, .method = method, .margin = margin, .most_contacts = most_contacts};
}

namespace {

// Many answers, in the order of the placements.
struct Collisions {
    std::vector<Collision> all;
    Extents shape;

    [[nodiscard]] const Collision& at(py::ssize_t k) const {
        const py::ssize_t count = extent(all.size());
        if (k < -count || k >= count) throw py::index_error(fmt::format("there are {} answers", count));
        return all[static_cast<std::size_t>(k < 0 ? k + count : k)];
    }
    template <class Number, class Value>
    [[nodiscard]] py::array column(const Value& value) const {
        return array_of<Number>(shape, all.size(), [&](std::size_t k) { return value(all[k]); });
    }
};

// Answers for all placements: the shapes are made ready first, since threads that wait for that could not help with it.
template <class Answer, class Ask>
std::vector<Answer> asked(const Shape& a, const Shape& b, std::size_t count, const Ask& ask) {
    std::vector<Answer> answers(count);
    const py::gil_scoped_release unlocked;
    if (count > 1) {
        a.prepare();
        b.prepare();
    }
    parallel_tasks(count, [&](std::size_t k) { answers[k] = ask(k); });
    return answers;
}

py::object collide_any(const py::object& a, const py::object& pose_a, const py::object& b, const py::object& pose_b,
                       QueryGoal goal, Method method, double margin, std::size_t most_contacts) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Poses at = poses_from(pose_a, "pose_a"), bt = poses_from(pose_b, "pose_b");
    const QueryOptions options = query_options(goal, method, margin, most_contacts);
    const Extents shape = common_shape(at.shape, bt.shape);
    auto answers = asked<Collision>(first, second, count_of(shape),
                                    [&](std::size_t k) { return collide(first, at[k], second, bt[k], options); });
    if (shape.empty()) return py::cast(std::move(answers[0]));
    return py::cast(Collisions{std::move(answers), shape});
}

py::object distance_table(const std::vector<Distance>& all, const Extents& shape) {
    const std::size_t n = all.size();
    return table("Distances", array_of<double>(shape, n, [&](std::size_t k) { return all[k].upper; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].lower; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].point_a; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].point_b; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].normal; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].error_bound; }),
                 array_of<bool>(shape, n, [&](std::size_t k) { return all[k].truncated; }));
}

py::object distance_any(const py::object& a, const py::object& pose_a, const py::object& b, const py::object& pose_b,
                        Method method, double tolerance) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Poses at = poses_from(pose_a, "pose_a"), bt = poses_from(pose_b, "pose_b");
    const DistanceOptions options{.method = method, .tolerance = tolerance};
    const Extents shape = common_shape(at.shape, bt.shape);
    auto answers = asked<Distance>(first, second, count_of(shape),
                                   [&](std::size_t k) { return distance(first, at[k], second, bt[k], options); });
    return shape.empty() ? py::cast(std::move(answers[0])) : distance_table(answers, shape);
}

py::object sweep_table(const std::vector<Sweep>& all, const Extents& shape) {
    const std::size_t n = all.size();
    return table("Sweeps", array_of<std::uint8_t>(shape, n, [&](std::size_t k) { return all[k].verdict; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].time; }),
                 array_of<double>(shape, n, [&](std::size_t k) { return all[k].error; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].point; }),
                 vectors_of(shape, n, [&](std::size_t k) { return all[k].normal; }),
                 array_of<bool>(shape, n, [&](std::size_t k) { return all[k].truncated; }));
}

py::object sweep_any(const py::object& a, const py::object& motion_a, const py::object& b, const py::object& motion_b,
                     SweepGoal goal, Method method, Path path, double tolerance, double resolution, double margin) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Motions at = motions_from(motion_a, "motion_a"), bt = motions_from(motion_b, "motion_b");
    const MotionOptions options{.goal = goal,
                                .method = method,
                                .path = path,
                                .tolerance = tolerance,
                                .resolution = resolution,
                                .margin = margin};
    const Extents shape = common_shape(at.shape, bt.shape);
    auto answers = asked<Sweep>(first, second, count_of(shape),
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

py::object element(const Feature& feature) {
    return feature.element == no_index ? py::object(py::none()) : py::int_(feature.element);
}

template <class Value>
py::array of_contacts(const Collision& c, const Value& value) {
    return vectors_of({extent(c.contacts.size())}, c.contacts.size(),
                      [&](std::size_t k) { return value(c.contacts[k]); });
}

void bind_collision(py::module_& m) {
    py::class_<Contact>(m, "Contact", "Where two shapes touch; metres, world frame.")
        .def_property_readonly(
            "point_a", [](const Contact& c) { return vector_array(c.point_a); }, "(3,)")
        .def_property_readonly(
            "point_b", [](const Contact& c) { return vector_array(c.point_b); }, "(3,)")
        .def_property_readonly(
            "normal", [](const Contact& c) { return vector_array(c.normal); }, "(3,), unit, from A to B")
        .def_readonly("depth", &Contact::depth, "m, >= 0; with a margin down to -margin")
        .def_readonly("region", &Contact::region, "Contacts of one region of overlap share it.")
        .def_property_readonly(
            "element_a", [](const Contact& c) { return element(c.feature_a); },
            "The triangle of a mesh, the brick of a grid; None where it is not known.")
        .def_property_readonly("element_b", [](const Contact& c) { return element(c.feature_b); })
        .def("__repr__", [](const Contact& c) { return fmt::format("<fathom.Contact: depth {:.6g} m>", c.depth); });
    py::class_<Collision>(m, "Collision", "Whether two shapes touch, where and how deep. True where they may.")
        .def_readonly("verdict", &Collision::verdict)
        .def_property_readonly(
            "touching", [](const Collision& c) { return c.verdict != Verdict::disjoint; }, "Not proven apart.")
        .def("__bool__", [](const Collision& c) { return c.verdict != Verdict::disjoint; })
        .def_readonly("proven", &Collision::proven, "Of 'disjoint': nothing was left to chance.")
        .def_readonly("method", &Collision::method, "That answered.")
        .def_property_readonly(
            "common", [](const Collision& c) { return vector_array(c.common); },
            "Overlapping: a point of both, (3,), metres, world.")
        .def_readonly("depth", &Collision::depth, "Of the deepest contact found (m).")
        .def_readonly("error_bound", &Collision::error_bound, "Of depths (m).")
        .def_readonly("truncated", &Collision::truncated, "There are more contacts.")
        .def_readonly("contacts", &Collision::contacts, "Deepest first.")
        .def_property_readonly(
            "points_a", [](const Collision& c) { return of_contacts(c, [](const Contact& k) { return k.point_a; }); },
            "Of the contacts, (n, 3)")
        .def_property_readonly(
            "points_b", [](const Collision& c) { return of_contacts(c, [](const Contact& k) { return k.point_b; }); },
            "(n, 3)")
        .def_property_readonly(
            "normals", [](const Collision& c) { return of_contacts(c, [](const Contact& k) { return k.normal; }); },
            "(n, 3), unit, from A to B")
        .def_property_readonly(
            "depths",
            [](const Collision& c) {
                return array_of<double>({extent(c.contacts.size())}, c.contacts.size(),
                                        [&](std::size_t k) { return c.contacts[k].depth; });
            },
            "(n,), m")
        .def("__repr__", [](const Collision& c) {
            return fmt::format("<fathom.Collision: {}, {} contacts, depth {:.6g} m, by {}>",
                               Choices<Verdict>::names[static_cast<std::size_t>(c.verdict)], c.contacts.size(), c.depth,
                               name(c.method));
        });
    py::class_<Collisions>(
        m, "Collisions",
        "Answers for many placements: columns have their leading shape, [k] is one answer, counted over all.")
        .def("__len__", [](const Collisions& c) { return c.all.size(); })
        .def("__getitem__", &Collisions::at, py::arg("k"))
        .def_property_readonly(
            "verdict",
            [](const Collisions& c) { return c.column<std::uint8_t>([](const Collision& k) { return k.verdict; }); },
            "(...,) uint8: numbers of Verdict.")
        .def_property_readonly(
            "touching",
            [](const Collisions& c) {
                return c.column<bool>([](const Collision& k) { return k.verdict != Verdict::disjoint; });
            },
            "(...,) bool: not proven apart.")
        .def_property_readonly(
            "proven", [](const Collisions& c) { return c.column<bool>([](const Collision& k) { return k.proven; }); },
            "(...,) bool")
        .def_property_readonly(
            "depth", [](const Collisions& c) { return c.column<double>([](const Collision& k) { return k.depth; }); },
            "(...,), m")
        .def_property_readonly(
            "error_bound",
            [](const Collisions& c) { return c.column<double>([](const Collision& k) { return k.error_bound; }); },
            "(...,), m")
        .def_property_readonly(
            "contact_count",
            [](const Collisions& c) {
                return c.column<std::int64_t>([](const Collision& k) { return k.contacts.size(); });
            },
            "(...,)")
        .def_property_readonly(
            "common",
            [](const Collisions& c) {
                return vectors_of(c.shape, c.all.size(), [&](std::size_t k) { return c.all[k].common; });
            },
            "(..., 3), m, world");
}

void bind_others(py::module_& m) {
    py::class_<Distance>(m, "Distance",
                         "How far two shapes are apart, signed: minus the depth where they overlap. Metres, world "
                         "frame; float() is `upper`.")
        .def_readonly("lower", &Distance::lower, "Not less than this, but for error_bound; -inf where they overlap.")
        .def_readonly("upper", &Distance::upper, "Not more than this: what the two points are apart.")
        .def("__float__", [](const Distance& d) { return d.upper; })
        .def_property_readonly(
            "point_a", [](const Distance& d) { return vector_array(d.point_a); }, "(3,)")
        .def_property_readonly(
            "point_b", [](const Distance& d) { return vector_array(d.point_b); }, "(3,)")
        .def_property_readonly(
            "normal", [](const Distance& d) { return vector_array(d.normal); }, "(3,), unit, from A to B")
        .def_readonly("method", &Distance::method)
        .def_readonly("error_bound", &Distance::error_bound, "m")
        .def_readonly("truncated", &Distance::truncated, "The bounds are farther apart than asked.")
        .def("__repr__", [](const Distance& d) {
            return fmt::format("<fathom.Distance: {:.9g} m, by {}>", d.upper, name(d.method));
        });
    py::class_<Sweep>(m, "Sweep", "When two moving shapes touch; time runs in [0, 1].")
        .def_readonly("verdict", &Sweep::verdict, "Over the whole motion.")
        .def("__bool__", [](const Sweep& s) { return s.verdict != Verdict::disjoint; })
        .def_readonly("time", &Sweep::time, "No contact is before this; one was seen at time + error.")
        .def_readonly("error", &Sweep::error)
        .def_property_readonly(
            "point", [](const Sweep& s) { return vector_array(s.point); }, "Of that contact, (3,), metres, world.")
        .def_property_readonly(
            "normal", [](const Sweep& s) { return vector_array(s.normal); }, "(3,), unit, from A to B")
        .def_property_readonly(
            "intervals",
            [](const Sweep& s) {
                return array_of<double>({extent(s.intervals.size()), 2}, 2 * s.intervals.size(), [&](std::size_t k) {
                    return k % 2 == 0 ? s.intervals[k / 2].start : s.intervals[k / 2].end;
                });
            },
            "goal='all': (n, 2), start and end; every contact is in one of these.")
        .def_property_readonly(
            "intervals_proven",
            [](const Sweep& s) {
                return array_of<bool>({extent(s.intervals.size())}, s.intervals.size(),
                                      [&](std::size_t k) { return s.intervals[k].proven; });
            },
            "(n,) bool: a contact was seen in it.")
        .def_readonly("method", &Sweep::method)
        .def_readonly("error_bound", &Sweep::error_bound, "Of the shapes (m).")
        .def_readonly("truncated", &Sweep::truncated)
        .def("__repr__", [](const Sweep& s) {
            return fmt::format("<fathom.Sweep: {}, time {:.9g}, by {}>",
                               Choices<Verdict>::names[static_cast<std::size_t>(s.verdict)], s.time, name(s.method));
        });
}

} // namespace

void bind_query(py::module_& m) {
    bind_collision(m);
    bind_others(m);
    m.def("collide", &collide_any, py::arg("a"), py::arg("pose_a"), py::arg("b"), py::arg("pose_b"), py::kw_only(),
          py::arg("goal") = QueryGoal::contacts, py::arg("method") = Method::automatic, py::arg("margin") = 0.0,
          py::arg("most_contacts") = 16,
          R"(Do two shapes touch, where and how deep? Any kinds, in either order. 'disjoint' is a proof.

a, b: shapes, or what they are made of. pose_a, pose_b: 4x4 matrices, tuples (translation, quaternion w x y z), one translation, or None; with a leading shape (..., 4, 4)
all of them are asked in parallel, and the answer is a Collisions. goal: 'verdict', 'contacts' or 'proof'. margin: shapes nearer than this count as touching (m).)");
    m.def("distance", &distance_any, py::arg("a"), py::arg("pose_a"), py::arg("b"), py::arg("pose_b"), py::kw_only(),
          py::arg("method") = Method::automatic, py::arg("tolerance") = 0.0,
          "How far apart are two shapes, or how deep in each other (m)? tolerance: between the bounds (m). Many "
          "placements give a Distances.");
    m.def("sweep", &sweep_any, py::arg("a"), py::arg("motion_a"), py::arg("b"), py::arg("motion_b"), py::kw_only(),
          py::arg("goal") = SweepGoal::first, py::arg("method") = Method::automatic, py::arg("path") = Path::screw,
          py::arg("tolerance") = 1e-6, py::arg("resolution") = 1.0 / 512, py::arg("margin") = 0.0,
          "When do two moving shapes touch? motion: a Motion, or a placement that is kept. goal: 'any', 'first' or "
          "'all' intervals. Many motions give a Sweeps.");
    m.def(
        "methods_for",
        [](ShapeKind a, ShapeKind b, Question question) {
            py::list all;
            for (const PairMethod& k : methods_for(a, b, question))
                all.append(py::make_tuple(k.method, py::str(k.guarantee.data(), k.guarantee.size())));
            return all;
        },
        py::arg("a"), py::arg("b"), py::arg("question"),
        "What can answer a question about a pair of kinds, best first: [(Method, guarantee)].");
    m.def("matrix", &matrix,
          "The whole table of methods: a MatrixRow for each pair of kinds, question and method, best first.");
}

} // namespace fathom::python
