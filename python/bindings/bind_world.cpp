// The world of bodies. It has its own lock, since the GIL is not held during calls: one writer or many readers.
#include "bindings.h"
#include "poses.h"
#include "queries.h"
#include "shapes.h"

#include <fathom/detect/world/world.h>

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <shared_mutex>

namespace fathom::python {

namespace {

thread_local bool in_filter = false; // a filter that called its own world would deadlock

class SharedWorld {
public:
    explicit SharedWorld(const WorldOptions& options) : world_(options) {}

    template <class Work>
    auto change(const Work& work) {
        refuse_in_filter();
        const py::gil_scoped_release unlocked;
        const std::unique_lock one(mutex_);
        return work(world_);
    }
    template <class Work>
    auto read(const Work& work) const {
        refuse_in_filter();
        const py::gil_scoped_release unlocked;
        const std::shared_lock many(mutex_);
        return work(std::as_const(world_));
    }

    void set_filter(const py::object& call) {
        if (call.is_none()) return change([](World& w) { w.set_filter({}); });
        if (!PyCallable_Check(call.ptr())) throw py::type_error("filter: expected a callable with two ids, or None");
        // The last reference may be released while the GIL is not held.
        const std::shared_ptr<py::object> kept(new py::object(call), [](py::object* last) {
            const py::gil_scoped_acquire lock;
            delete last;
        });
        change([&](World& w) { w.set_filter([this, kept](Index a, Index b) { return filtered(*kept, a, b); }); });
    }

    std::shared_ptr<WorldStep> update() {
        auto step = change([](World& w) { return std::make_shared<WorldStep>(w.update()); });
        rethrow();
        return step;
    }
    // Rethrows the exception of a filter after the call of the world has ended.
    void rethrow() const {
        const std::exception_ptr thrown = std::exchange(thrown_, nullptr);
        if (thrown) std::rethrow_exception(thrown);
    }

private:
    static void refuse_in_filter() {
        if (in_filter) throw std::runtime_error("a filter must not use the world that calls it");
    }
    bool filtered(const py::object& call, Index a, Index b) const {
        const py::gil_scoped_acquire lock;
        if (thrown_) return true;
        in_filter = true;
        bool answer = true;
        try {
            answer = py::bool_(call(a, b));
        } catch (...) {
            thrown_ = std::current_exception();
        }
        in_filter = false;
        return answer;
    }

    mutable std::shared_mutex mutex_;
    mutable std::exception_ptr thrown_; // accessed only while the GIL is held
    World world_;
};

void move(SharedWorld& world, const py::object& ids, const py::object& given) {
    const Poses poses = poses_from(given, "pose");
    // numpy arrays also pass PyIndex_Check().
    if (PyIndex_Check(ids.ptr()) != 0 && !py::isinstance<py::array>(ids)) {
        if (!poses.single()) refuse("pose", "expected a single pose for one body");
        return world.change([&, id = ids.cast<Index>()](World& w) { w.move(id, poses.poses[0]); });
    }
    const auto all = ids.cast<std::vector<Index>>();
    if (poses.shape.size() != 1 || poses.poses.size() != all.size())
        refuse("pose", fmt::format("expected {} poses of shape (n, 4, 4)", all.size()));
    world.change([&](World& w) { w.move(all, poses.poses); });
}

py::array pairs_array(const std::vector<IdPair>& pairs) {
    return array_of<Index>({extent(pairs.size()), 2}, 2 * pairs.size(),
                           [&](std::size_t k) { return pairs[k / 2][k % 2]; });
}

py::object body_or_none(Index id) { return id == no_index ? py::object(py::none()) : py::int_(id); }

WorldFilter filter_of(std::uint32_t category, std::uint32_t mask) { return {.category = category, .mask = mask}; }

// NOLINTNEXTLINE(readability-function-size): the arguments of the Python function
py::list collide_shape(const SharedWorld& world, const py::object& shape, const py::object& pose, CollideGoal goal,
                       Method method, double margin, std::size_t max_contacts, std::uint32_t category,
                       std::uint32_t mask) {
    const Shape query = shape_from(shape, "shape");
    const Pose at = pose_from(pose, "pose");
    const auto pairs = world.read([&](const World& w) {
        return w.collide(query, at, query_options(goal, method, margin, max_contacts), filter_of(category, mask));
    });
    py::list all;
    for (const WorldPair& pair : pairs) all.append(py::make_tuple(pair.b, pair.collision));
    return all;
}

py::tuple nearest(const SharedWorld& world, const py::object& shape, const py::object& pose, double limit,
                  Method method, double tolerance, std::uint32_t category, std::uint32_t mask) {
    const Shape query = shape_from(shape, "shape");
    const Pose at = pose_from(pose, "pose");
    const auto found = world.read([&](const World& w) {
        return w.nearest(query, at, limit, {.method = method, .tolerance = tolerance}, filter_of(category, mask));
    });
    return py::make_tuple(body_or_none(found.body),
                          found.body == no_index ? py::object(py::none()) : py::cast(found.distance));
}

py::tuple sweep_shape(const SharedWorld& world, const py::object& shape, const py::object& motion, double tolerance,
                      double margin, std::uint32_t category, std::uint32_t mask) {
    const Shape query = shape_from(shape, "shape");
    const Motions motions = motions_from(motion, "motion");
    if (!motions.shape.empty()) refuse("motion", "expected a single motion");
    const auto found = world.read([&](const World& w) {
        return w.sweep(query, motions[0], {.tolerance = tolerance, .margin = margin}, filter_of(category, mask));
    });
    return py::make_tuple(body_or_none(found.body), found.sweep);
}

py::object hits_table(const Extents& shape, const std::vector<RayHit>& hits) {
    const std::size_t n = hits.size();
    const auto id = [](Index index) { return index == no_index ? -1 : static_cast<std::int64_t>(index); };
    return table("RayHits", column<std::int64_t>(shape, n, [&](std::size_t k) { return id(hits[k].body); }),
                 column<std::int64_t>(shape, n, [&](std::size_t k) { return id(hits[k].part); }),
                 column<double>(shape, n, [&](std::size_t k) { return hits[k].distance; }),
                 column<double>(shape, n, [&](std::size_t k) { return hits[k].error; }),
                 vectors_of(shape, n, [&](std::size_t k) { return hits[k].point; }),
                 vectors_of(shape, n, [&](std::size_t k) { return hits[k].normal; }),
                 column<std::uint8_t>(shape, n, [&](std::size_t k) { return hits[k].status; }));
}

py::object cast_all(const SharedWorld& world, const py::object& origin, const py::object& direction, double limit,
                    std::uint32_t category, std::uint32_t mask) {
    const Ray ray{vector_from(origin, "origin"), vector_from(direction, "direction")};
    const auto hits = world.read([&](const World& w) { return w.cast_all(ray, limit, filter_of(category, mask)); });
    return hits_table({extent(hits.size())}, hits);
}

py::list overlapping_box(const SharedWorld& world, const py::object& box, std::uint32_t category, std::uint32_t mask) {
    const Box query = box_from(box, "box");
    py::list all;
    for (const Index id :
         world.read([&](const World& w) { return w.overlapping_box(query, filter_of(category, mask)); }))
        all.append(py::int_(id));
    return all;
}

py::list containing(const SharedWorld& world, const py::object& point, std::uint32_t category, std::uint32_t mask) {
    const Vec3 query = vector_from(point, "point");
    py::list all;
    for (const PointHit& hit :
         world.read([&](const World& w) { return w.containing(query, filter_of(category, mask)); }))
        all.append(py::make_tuple(hit.body, body_or_none(hit.part), hit.distance));
    return all;
}

py::object cast(const SharedWorld& world, const py::object& origin, const py::object& direction, double limit, bool any,
                std::uint32_t category, std::uint32_t mask) {
    const Points origins(origin, "origin"), directions(direction, "direction");
    origins.require_finite();
    directions.require_finite();
    const Extents shape = common_shape(origins.leading(), directions.leading());
    const std::vector<Vec3> from = origins.vector(), to = directions.vector();
    std::vector<RayHit> hits(count_of(shape));
    const WorldFilter filter = filter_of(category, mask);
    world.read([&](const World& w) {
        parallel_for(hits.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const Ray ray{from[from.size() == 1 ? 0 : k], to[to.size() == 1 ? 0 : k]};
                hits[k] = any ? w.cast_any(ray, limit, filter) : w.cast(ray, limit, filter);
            }
        });
    });
    return hits_table(shape, hits);
}
py::object check_poses(const SharedWorld& world, Index id, const py::object& given) {
    const Poses poses = poses_from(given, "poses");
    const auto statuses = world.read([&](const World& w) { return w.check_poses(id, poses.poses); });
    world.rethrow();
    return column<std::uint8_t>(poses.shape, statuses.size(), [&](std::size_t k) { return statuses[k]; });
}

py::object clearances(const SharedWorld& world, Index id, const py::object& given) {
    const Poses poses = poses_from(given, "poses");
    const auto metres = world.read([&](const World& w) { return w.clearances(id, poses.poses); });
    world.rethrow();
    return column<double>(poses.shape, metres.size(), [&](std::size_t k) { return metres[k]; });
}

py::object clearance_derivatives(const SharedWorld& world, Index id, const py::object& given) {
    const Poses poses = poses_from(given, "poses");
    const auto found = world.read([&](const World& w) { return w.clearance_derivatives(id, poses.poses); });
    world.rethrow();
    const std::size_t n = found.size();
    const auto vectors = [&](Vec3 PoseDerivative::*part) {
        return vectors_of(poses.shape, n, [&](std::size_t k) { return found[k].derivative.*part; });
    };
    const auto nearest = [&](std::size_t k) {
        return found[k].nearest == no_index ? std::int64_t{-1} : std::int64_t{found[k].nearest};
    };
    return table("PoseClearances", column<double>(poses.shape, n, [&](std::size_t k) { return found[k].distance; }),
                 column<std::int64_t>(poses.shape, n, nearest), vectors(&PoseDerivative::translation),
                 vectors(&PoseDerivative::rotation),
                 column<bool>(poses.shape, n, [&](std::size_t k) { return found[k].unique; }));
}

std::vector<Index> ids_of(const World& world) {
    std::vector<Index> ids;
    for (Index id = 0; id < world.id_limit(); ++id)
        if (world.contains(id)) ids.push_back(id);
    return ids;
}

using WorldClass = py::class_<SharedWorld, std::shared_ptr<SharedWorld>>;

void bind_changes(WorldClass& c) {
    c.def(
         "add",
         [](SharedWorld& world, const py::object& shape, const py::object& pose, const std::string& name,
            std::uint32_t category, std::uint32_t mask, bool is_static, std::uint64_t user) {
             Shape made = shape_from(shape, "shape");
             const Pose at = pose_from(pose, "pose");
             return world.change([&](World& w) {
                 return w.add(std::move(made), at,
                              {.name = name, .category = category, .mask = mask, .is_static = is_static, .user = user});
             });
         },
         py::arg("shape"), py::arg("pose") = py::none(), py::kw_only(), py::arg("name") = "", py::arg("category") = 1,
         py::arg("mask") = 0xffff'ffffu, py::arg("is_static") = false, py::arg("user") = 0,
         "Adds a body and returns its id, which does not change. category: bits of the categories of the body; mask: "
         "bits of the categories that it may touch; pairs of two static bodies are not tested. user: any number of "
         "the caller.")
        .def("move", &move, py::arg("id"), py::arg("pose"),
             "Sets the pose of a body, or of many: ids and poses (n, 4, 4).")
        .def(
            "deform",
            [](SharedWorld& world, Index id, const py::object& vertices) {
                const std::vector<Vec3> points = finite_points(vertices, "vertices");
                world.change([&](World& w) { w.deform(id, points); });
            },
            py::arg("id"), py::arg("vertices"),
            "Sets the vertices (n, 3) of a mesh, point shell or tetrahedral mesh, in the frame of the body, metres.")
        .def(
            "replace",
            [](SharedWorld& world, Index id, const py::object& shape) {
                Shape made = shape_from(shape, "shape");
                world.change([&](World& w) { w.replace(id, std::move(made)); });
            },
            py::arg("id"), py::arg("shape"), "Replaces the shape of a body.")
        .def(
            "remove", [](SharedWorld& world, Index id) { world.change([&](World& w) { w.remove(id); }); },
            py::arg("id"), "Removes a body. Its id may be reused after the next update().")
        .def(
            "set_category",
            [](SharedWorld& world, Index id, std::uint32_t category, std::uint32_t mask) {
                world.change([&](World& w) { w.set_category(id, category, mask); });
            },
            py::arg("id"), py::arg("category"), py::arg("mask"), "Sets the category and the mask of a body.")
        .def(
            "set_user",
            [](SharedWorld& world, Index id, std::uint64_t user) {
                world.change([&](World& w) { w.set_user(id, user); });
            },
            py::arg("id"), py::arg("user"), "Sets the number of the caller of a body.")
        .def("set_filter", &SharedWorld::set_filter, py::arg("filter"),
             "filter(a, b) -> bool decides whether a pair is tested. It must be symmetric, and must not use this "
             "world. None removes the filter.")
        .def("update", &SharedWorld::update,
             "Finds all overlapping pairs, and the contacts that began and ended since the last update.");
}

void bind_questions(WorldClass& c) {
    const double no_limit = std::numeric_limits<double>::infinity();
    c.def("__len__", [](const SharedWorld& world) { return world.read([](const World& w) { return w.size(); }); })
        .def(
            "__contains__",
            [](const SharedWorld& world, Index id) {
                return world.read([&](const World& w) { return w.contains(id); });
            },
            py::arg("id"))
        .def_property_readonly(
            "ids", [](const SharedWorld& world) { return world.read(ids_of); }, "The ids of all bodies, ascending.")
        .def_property_readonly(
            "last",
            [](const SharedWorld& world) {
                return world.read([](const World& w) { return std::make_shared<WorldStep>(w.last()); });
            },
            "The result of the last update().")
        .def(
            "shape",
            [](const SharedWorld& world, Index id) {
                return world.read([&](const World& w) { return Shape(w.shape(id)); });
            },
            py::arg("id"), "Returns the shape of a body.")
        .def(
            "pose",
            [](const SharedWorld& world, Index id) {
                return pose_array(world.read([&](const World& w) { return Pose(w.pose(id)); }));
            },
            py::arg("id"), "Returns the pose of a body (4, 4).")
        .def(
            "name",
            [](const SharedWorld& world, Index id) {
                return world.read([&](const World& w) { return std::string(w.name(id)); });
            },
            py::arg("id"), "Returns the name of a body.")
        .def(
            "user",
            [](const SharedWorld& world, Index id) {
                return world.read([&](const World& w) { return w.body_options(id).user; });
            },
            py::arg("id"), "Returns the number of the caller of a body.")
        .def(
            "collide", &collide_shape, py::arg("shape"), py::arg("pose") = py::none(), py::kw_only(),
            py::arg("goal") = CollideGoal::status, py::arg("method") = Method::automatic, py::arg("margin") = 0.0,
            py::arg("max_contacts") = 16, py::arg("category") = 0xffff'ffffu, py::arg("mask") = 0xffff'ffffu,
            "Returns the bodies that a shape overlaps: [(id, CollideResult)], where the shape is A. category, mask: as "
            "those of a body, for this query.")
        .def("nearest", &nearest, py::arg("shape"), py::arg("pose") = py::none(), py::kw_only(),
             py::arg("limit") = no_limit, py::arg("method") = Method::automatic, py::arg("tolerance") = 0.0,
             py::arg("category") = 0xffff'ffffu, py::arg("mask") = 0xffff'ffffu,
             "Returns the nearest body within a limit (m): (id, DistanceResult), or (None, None).")
        .def("cast", &cast, py::arg("origin"), py::arg("direction"), py::arg("limit") = no_limit, py::kw_only(),
             py::arg("any") = false, py::arg("category") = 0xffff'ffffu, py::arg("mask") = 0xffff'ffffu,
             "Returns the first hit of each ray as RayHits, or any hit. origin and direction: (..., 3), metres.")
        .def("cast_all", &cast_all, py::arg("origin"), py::arg("direction"), py::arg("limit") = no_limit, py::kw_only(),
             py::arg("category") = 0xffff'ffffu, py::arg("mask") = 0xffff'ffffu,
             "Returns the first hit of one ray on every body that it hits, nearest first, as RayHits.")
        .def("overlapping_box", &overlapping_box, py::arg("box"), py::kw_only(), py::arg("category") = 0xffff'ffffu,
             py::arg("mask") = 0xffff'ffffu,
             "Returns the ids of the bodies whose bounding boxes overlap a box [lower, upper] (2, 3), metres.")
        .def("containing", &containing, py::arg("point"), py::kw_only(), py::arg("category") = 0xffff'ffffu,
             py::arg("mask") = 0xffff'ffffu,
             "Returns the solids that contain a point (3,): [(id, part or None, signed distance)].")
        .def("sweep", &sweep_shape, py::arg("shape"), py::arg("motion"), py::kw_only(), py::arg("tolerance") = 1e-6,
             py::arg("margin") = 0.0, py::arg("category") = 0xffff'ffffu, py::arg("mask") = 0xffff'ffffu,
             "Returns the first body that a moving shape hits: (id or None, SweepResult).")
        .def("check_poses", &check_poses, py::arg("id"), py::arg("poses"),
             R"(Tests whether a body would overlap any other body at each of these poses (..., 4, 4), in parallel.

Returns values of Status, (...,) uint8: `== Status.disjoint` marks the poses that are proven free.)")
        .def("clearances", &clearances, py::arg("id"), py::arg("poses"),
             "Returns a proven lower bound on the distance of a body to the nearest other body at each pose, (...,), "
             "metres; 0 where they may overlap.")
        .def("clearance_derivatives", &clearance_derivatives, py::arg("id"), py::arg("poses"),
             "Returns the signed distance of a body to the nearest other body at each pose, and its derivative with "
             "respect to a displacement of the body, as PoseClearances.");
}

} // namespace

void bind_world(py::module_& m) {
    py::class_<WorldPair>(m, "WorldPair", "Two bodies that overlap or are not proven disjoint; a < b.")
        .def_readonly("a", &WorldPair::a, "The id of the first body.")
        .def_readonly("b", &WorldPair::b, "The id of the second body.")
        .def_readonly("collision", &WorldPair::collision, "The CollideResult of the pair.")
        .def("__repr__", [](const WorldPair& p) {
            return fmt::format("<fathom.WorldPair: {} and {}, depth {:.6g} m>", p.a, p.b, p.collision.depth);
        });
    py::class_<WorldStep, std::shared_ptr<WorldStep>>(m, "WorldStep", "The result of World.update(); pairs are sorted.")
        .def_readonly("pairs", &WorldStep::pairs, "The pairs that overlap or are undecided.")
        .def_property_readonly(
            "began", [](const WorldStep& s) { return pairs_array(s.began); },
            "The pairs whose contact began: ids (n, 2).")
        .def_property_readonly(
            "stayed", [](const WorldStep& s) { return pairs_array(s.stayed); },
            "The pairs whose contact continues: ids (n, 2).")
        .def_property_readonly(
            "ended", [](const WorldStep& s) { return pairs_array(s.ended); },
            "The pairs whose contact ended: ids (n, 2).")
        .def_readonly("tested", &WorldStep::tested, "The number of pairs that the narrow phase tested.")
        .def_readonly("cached", &WorldStep::cached, "The number of pairs whose result was taken from the pair cache.");
    WorldClass world(
        m, "World",
        R"(A set of bodies of any shape, with queries for overlapping pairs and for contacts that begin and end. It has no forces and no time.

Threads may share it: it has its own lock. Metres, world frame.)");
    world.def(py::init([](CollideGoal goal, Method method, double margin, std::size_t max_contacts, BroadMethod broad,
                          bool warm_start) {
                  WorldOptions options{.query = query_options(goal, method, margin, max_contacts)};
                  options.broad.method = broad;
                  options.warm_start = warm_start;
                  return std::make_shared<SharedWorld>(options);
              }),
              py::kw_only(), py::arg("goal") = CollideGoal::status, py::arg("method") = Method::automatic,
              py::arg("margin") = 0.0, py::arg("max_contacts") = 16, py::arg("broad") = BroadMethod::automatic,
              py::arg("warm_start") = true,
              "goal, method, margin and max_contacts apply to every pair; see collide(). broad: the broad-phase "
              "method. warm_start: pairs that cannot have come into contact since the last test are not tested again.");
    bind_changes(world);
    bind_questions(world);
}

} // namespace fathom::python
