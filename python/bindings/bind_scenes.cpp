// Scenes from TOML files, their simulation, and their recordings as arrays.
#include "arrays.h"
#include "bindings.h"
#include "poses.h"
#include "progress.h"

#include <fathom/show/simulation_results.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <mutex>

namespace fathom::python {

namespace {

// A mutex admits one caller at a time, since the GIL is not held during the simulation.
struct Running {
    explicit Running(Simulation made) : simulation(std::move(made)) {}

    template <class Work>
    auto locked(const Work& work) {
        const std::scoped_lock one(mutex);
        return work(simulation);
    }
    template <class Work>
    auto alone(const Work& work) {
        const py::gil_scoped_release unlocked;
        return locked(work);
    }

    std::mutex mutex;
    Simulation simulation;
};
using RunningHandle = std::shared_ptr<Running>;

std::vector<std::string> names_of(const Scene& scene) {
    std::vector<std::string> names;
    for (const SceneBody& body : scene.bodies) names.push_back(body.name);
    return names;
}

void run(Running& running, const py::object& progress) {
    watched(progress,
            [&](Progress* watcher) { running.locked([&](Simulation& simulation) { simulation.run(watcher); }); });
}

// A copy of the recording at the time of the call, so that further steps do not change it. It is shared so that arrays
// of bodies need no copies of meshes.
struct Recorded {
    Recording recording;

    [[nodiscard]] std::size_t frames() const { return recording.frames().size(); }
    [[nodiscard]] const RecordedFrame& frame(py::ssize_t k) const {
        const auto count = extent(frames());
        if (k < -count || k >= count)
            throw py::index_error(fmt::format("index out of range: there are {} frames", count));
        return recording.frames()[static_cast<std::size_t>(k < 0 ? k + count : k)];
    }
    [[nodiscard]] std::size_t body(std::size_t k) const {
        if (k >= recording.bodies().size())
            throw py::index_error(fmt::format("index out of range: there are {} bodies", recording.bodies().size()));
        return k;
    }
};

template <class Number, class Value>
py::array of_frames(const Recorded& all, const Value& value) {
    return array_of<Number>({extent(all.frames())}, all.frames(),
                            [&](std::size_t k) { return value(all.recording.frames()[k]); });
}

// (frames, bodies, 3); NaN where a frame does not contain a body.
template <class Value>
py::array of_bodies(const Recorded& all, const Value& value) {
    const std::size_t bodies = all.recording.bodies().size();
    return vectors_of({extent(all.frames()), extent(bodies)}, all.frames() * bodies, [&](std::size_t k) -> Vec3 {
        const std::vector<BodyFrame>& some = all.recording.frames()[k / bodies].bodies;
        if (k % bodies >= some.size()) return Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
        return value(some[k % bodies], all.recording.bodies()[k % bodies]);
    });
}

py::array poses(const Recorded& all) {
    const std::size_t bodies = all.recording.bodies().size();
    py::array_t<double> array(Extents{extent(all.frames()), extent(bodies), 4, 4});
    std::fill_n(array.mutable_data(), array.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t f = 0; f < all.frames(); ++f)
        for (std::size_t b = 0; b < std::min(bodies, all.recording.frames()[f].bodies.size()); ++b)
            put_matrix(array.mutable_data() + 16 * (f * bodies + b), all.recording.frames()[f].bodies[b].pose);
    return array;
}

py::array vertices(const Recorded& all, std::size_t body, py::ssize_t frame) {
    const RecordedFrame& at = all.frame(frame);
    const TriangleMesh& mesh = *all.recording.bodies()[all.body(body)].mesh;
    const std::size_t count = at.vertex_count(body, mesh);
    return vectors_of({extent(count)}, count, [&](std::size_t k) { return at.vertex(body, mesh, k); });
}

py::array triangles(const Recorded& all, std::size_t body, py::ssize_t frame) {
    const std::span<const Triangle> some =
        all.frame(frame).triangles(all.body(body), *all.recording.bodies()[body].mesh);
    return array_of<Index>({extent(some.size()), 3}, 3 * some.size(),
                           [&](std::size_t k) { return some[k / 3][k % 3]; });
}

py::dict contacts(const Recorded& all, py::ssize_t frame) {
    const std::vector<BodyContact>& some = all.frame(frame).contacts;
    const Extents shape = {extent(some.size())};
    // Unknown indices are -1.
    const auto number = [](Index id) { return id == no_index ? -1 : static_cast<std::int64_t>(id); };
    py::dict table;
    const auto indices = [&](Index BodyContact::*member) {
        return array_of<std::int64_t>(shape, some.size(), [&](std::size_t k) { return number(some[k].*member); });
    };
    table["a"] = indices(&BodyContact::a);
    table["b"] = indices(&BodyContact::b);
    table["feature_a"] = indices(&BodyContact::feature_a);
    table["feature_b"] = indices(&BodyContact::feature_b);
    table["position"] = vectors_of(shape, some.size(), [&](std::size_t k) { return some[k].position; });
    table["normal"] = vectors_of(shape, some.size(), [&](std::size_t k) { return some[k].normal; });
    table["depth"] = array_of<double>(shape, some.size(), [&](std::size_t k) { return some[k].depth; });
    return table;
}

// The pairs of scenes with kinematic bodies.
py::dict pairs(const Recorded& all, py::ssize_t frame) {
    const std::vector<RecordedPair>& some = all.frame(frame).pairs;
    const Extents shape = {extent(some.size())};
    py::dict table;
    table["a"] = array_of<std::int64_t>(shape, some.size(), [&](std::size_t k) { return some[k].a; });
    table["b"] = array_of<std::int64_t>(shape, some.size(), [&](std::size_t k) { return some[k].b; });
    table["status"] = array_of<std::uint8_t>(shape, some.size(), [&](std::size_t k) { return some[k].status; });
    table["depth"] = array_of<double>(shape, some.size(), [&](std::size_t k) { return some[k].depth; });
    return table;
}

void write_html(const Recorded& all, const std::filesystem::path& path, const std::string& name) {
    const py::gil_scoped_release unlocked;
    write_viewer_html(path, recording_document(name, all.recording));
}

// NOLINTNEXTLINE(readability-function-size): one definition per attribute
void bind_recording(py::module_& m) {
    py::class_<Recorded, std::shared_ptr<Recorded>>(
        m, "Recording", "The frames of a simulation as arrays. Metres, seconds, joules, world frame.")
        .def("__len__", &Recorded::frames)
        .def_property_readonly(
            "bodies",
            [](const Recorded& all) {
                std::vector<std::string> names;
                for (const RecordedBody& body : all.recording.bodies()) names.push_back(body.name);
                return names;
            },
            "The names of the bodies, in the order of all arrays.")
        .def_property_readonly(
            "time",
            [](const Recorded& all) { return of_frames<double>(all, [](const RecordedFrame& f) { return f.time; }); },
            "(frames,), simulated time (s)")
        .def_property_readonly(
            "step",
            [](const Recorded& all) {
                return of_frames<std::int64_t>(all, [](const RecordedFrame& f) { return f.step; });
            },
            "(frames,), number of the step")
        .def_property_readonly(
            "kinetic",
            [](const Recorded& all) {
                return of_frames<double>(all, [](const RecordedFrame& f) { return f.energy.kinetic; });
            },
            "(frames,), kinetic energy (J)")
        .def_property_readonly(
            "potential",
            [](const Recorded& all) {
                return of_frames<double>(all, [](const RecordedFrame& f) { return f.energy.potential; });
            },
            "(frames,), potential energy of gravity (J)")
        .def_property_readonly(
            "stored",
            [](const Recorded& all) {
                return of_frames<double>(all, [](const RecordedFrame& f) { return f.energy.stored; });
            },
            "(frames,), energy stored in contact springs (J)")
        .def_property_readonly(
            "energy",
            [](const Recorded& all) {
                return of_frames<double>(all, [](const RecordedFrame& f) { return f.energy.total(); });
            },
            "(frames,), total energy (J)")
        .def_property_readonly(
            "deepest",
            [](const Recorded& all) {
                return of_frames<double>(all, [](const RecordedFrame& f) { return f.deepest; });
            },
            "(frames,), largest penetration depth (m)")
        .def_property_readonly(
            "contact_count",
            [](const Recorded& all) {
                return of_frames<std::int64_t>(all, [](const RecordedFrame& f) { return f.contact_count; });
            },
            "(frames,), number of contacts")
        .def_property_readonly("poses", &poses, "(frames, bodies, 4, 4)")
        .def_property_readonly(
            "centers",
            [](const Recorded& all) {
                return of_bodies(all, [](const BodyFrame& f, const RecordedBody& b) { return f.pose * b.center; });
            },
            "(frames, bodies, 3), centres of mass (m)")
        .def_property_readonly(
            "velocities",
            [](const Recorded& all) {
                return of_bodies(all, [](const BodyFrame& f, const RecordedBody&) { return f.velocity; });
            },
            "(frames, bodies, 3), linear velocities (m/s)")
        .def_property_readonly(
            "spins",
            [](const Recorded& all) {
                return of_bodies(all, [](const BodyFrame& f, const RecordedBody&) { return f.spin; });
            },
            "(frames, bodies, 3), angular velocities (rad/s)")
        .def_property_readonly(
            "worst_penetration", [](const Recorded& all) { return all.recording.worst_penetration(); },
            "The largest penetration depth of all steps, recorded or not (m).")
        .def_property_readonly(
            "highest_energy", [](const Recorded& all) { return all.recording.highest_energy(); },
            "The largest total energy of all steps, recorded or not (J).")
        .def("vertices", &vertices, py::arg("body"), py::arg("frame") = -1,
             "Returns the vertices (or points) of a body in a frame: (n, 3), metres, world frame.")
        .def("triangles", &triangles, py::arg("body"), py::arg("frame") = -1,
             "Returns the triangles (m, 3) of a body in a frame, which index vertices(); they change if the body "
             "breaks.")
        .def(
            "contacts", &contacts, py::arg("frame") = -1,
            "Returns {a, b, feature_a, feature_b, position, normal, depth} of the contacts of a frame: one array each, "
            "one row per contact. a and b are bodies, the normal is unit and points from a to b, and a feature is a "
            "vertex, point, edge or triangle of its body, -1 if unknown.")
        .def("pairs", &pairs, py::arg("frame") = -1,
             "Returns {a, b, status, depth}: the query results of a scene with kinematic bodies; statuses are "
             "values of Status.")
        .def("write_html", &write_html, py::arg("path"), py::arg("name") = "recording",
             "Writes a viewer page, a self-contained HTML file. Raises Unsupported if has_viewer() is False.");
}

} // namespace

void bind_scenes(py::module_& m) {
    py::class_<Scene, std::shared_ptr<Scene>>(
        m, "Scene", "Bodies, motions, materials and simulation options, read from TOML (scenes/README.md).")
        .def_readonly("name", &Scene::name)
        .def_readonly("file", &Scene::file)
        .def_readonly("duration", &Scene::duration, "Simulated time (s).")
        .def_property_readonly("step_count", &Scene::step_count, "The number of steps of the whole duration.")
        .def_property_readonly("bodies", &names_of, "The names of the bodies; one entry may stand for several copies.");
    m.def(
        "read_scene",
        [](const std::filesystem::path& path, const std::vector<std::string>& overrides,
           const std::filesystem::path& model_folder) {
            const py::gil_scoped_release unlocked;
            return std::make_shared<Scene>(read_scene(path, {.model_folder = model_folder, .overrides = overrides}));
        },
        py::arg("path"), py::arg("overrides") = std::vector<std::string>{}, py::arg("model_folder") = "",
        "Reads a scene. overrides: lines as in the file, 'step = 0.002'. model_folder: the folder of the mesh files; "
        "generated shapes replace the files that are missing.");
    m.def(
        "parse_scene",
        [](const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
            const py::gil_scoped_release unlocked;
            return std::make_shared<Scene>(parse_scene(text, name, {.overrides = overrides}));
        },
        py::arg("text"), py::arg("name") = "scene.toml", py::arg("overrides") = std::vector<std::string>{},
        "Reads a scene from text. name: the name of the text in error messages.");
    bind_recording(m);
    py::class_<Running, RunningHandle>(m, "Simulation", "The simulation of a scene: its world and its recording.")
        .def(py::init([](const std::shared_ptr<Scene>& scene, const py::object& progress) {
                 return watched(progress, [&](Progress* watcher) {
                     return std::make_shared<Running>(Simulation(*scene, watcher));
                 });
             }),
             py::arg("scene").none(false), py::arg("progress") = py::none(), "Builds the bodies.")
        .def(
            "step",
            [](Running& r, std::size_t count) {
                r.alone([&](Simulation& s) {
                    for (std::size_t k = 0; k < count; ++k) s.step();
                });
            },
            py::arg("count") = 1, "Advances the simulation by `count` steps.")
        .def("run", &run, py::arg("progress") = py::none(),
             "Runs to the end of the duration of the scene. progress(stage, fraction) is called during the run, and "
             "cancels it by returning False; Ctrl-C cancels it too.")
        .def_property_readonly("finished",
                               [](Running& r) { return r.alone([](Simulation& s) { return s.finished(); }); })
        .def_property_readonly("steps",
                               [](Running& r) { return r.alone([](Simulation& s) { return s.world().steps(); }); })
        .def_property_readonly(
            "time", [](Running& r) { return r.alone([](Simulation& s) { return s.world().time(); }); },
            "Simulated time (s).")
        .def_property_readonly(
            "state_hash",
            [](Running& r) { return r.alone([](Simulation& s) { return s.world().state_hash().text(); }); },
            "A hash of the whole state that the next step depends on; it is the same on every run.")
        .def_property_readonly(
            "recording",
            [](Running& r) {
                return r.alone([](Simulation& s) { return std::make_shared<Recorded>(Recorded{s.recording()}); });
            },
            "A copy of the recording so far.")
        .def(
            "write_results",
            [](Running& r, const std::filesystem::path& folder, const py::object& progress) {
                watched(progress, [&](Progress* watcher) {
                    r.locked([&](Simulation& s) { write_results(s, ResultsFolder(folder), watcher); });
                });
            },
            py::arg("folder"), py::arg("progress") = py::none(),
            "Writes all results to a folder, as `fathom simulate` does: summary.json, tables, frames.pvd for ParaView, "
            "animation.glb, film.png, plots, and recording.fathomview for `fathom view`.");
}

} // namespace fathom::python
