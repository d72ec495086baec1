// The table of keys. The reader enforces the ranges; defaults are checked against the code
// whenever a scene is read.
#include <fathom/simulate/scene/scene_keys.h>

#include <algorithm>
#include <array>

namespace fathom {

namespace {

using enum KeyType;
using K = ForKinds;
constexpr double huge = 1e15, max_whole = 9e15;
constexpr unsigned soft = K::surface | K::solid | K::membrane, scripted = K::obstacle | K::moved;

} // namespace

const SceneKey* SceneTable::find(std::string_view key) const {
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const SceneKey& k) { return k.name == key; });
    return found == keys.end() ? nullptr : &*found;
}

const SceneTable& spring_contact_keys() {
    static const SceneTable table{
        "[contact]",
        "Contact of surfaces and solids",
        "In a scene without rigid bodies, or as `[springs.contact]` and `[solids.contact]`. A separate law for "
        "contacts between deformable bodies of one kind.",
        {{"scaling",
          choice,
          "factor of `stiffness`: `mass` (1/s^2), `area` (N/m^3: independent of the mesh resolution) or `none` (N/m)",
          "",
          0,
          0,
          "mass",
          {"mass", "area", "none"}},
         {"stiffness", number, "stiffness of a contact", "1/s^2, N/m^3 or N/m", 0, huge, "1e4"},
         {"damping_ratio", number, "fraction of critical damping", "", 0, 1e3, "0"},
         {"friction", number, "Coulomb friction coefficient", "", 0, 1e3, "0"},
         {"slip_speed", number, "slip speed below which friction decreases to zero", "m/s", 1e-12, huge, "0.01"}}};
    return table;
}

const SceneTable& rigid_contact_keys() {
    static const SceneTable table{
        "[contact]",
        "Contact of rigid bodies",
        "In a scene with rigid bodies: the penalty law of Xu & Barbic 2014 (docs/rigid-bodies.md).",
        {{"stiffness", number, "stiffness of a shell point", "N/m, or N/m^3 per area", 0, huge, "1e4"},
         {"damping", number, "damping of a shell point", "N s/m, or N s/m^3", 0, huge, "10"},
         {"per_area", flag, "stiffness and damping are per square metre, independent of the number of shell points", "",
          0, 0, "false"},
         {"friction", number, "Coulomb friction coefficient; a pair uses the geometric mean", "", 0, 1e3, "0.3"},
         {"slip_speed", number, "slip speed below which friction decreases to zero", "m/s", 1e-12, huge, "0.01"},
         {"normal",
          choice,
          "direction of the contact force: unit gradient or gradient of the field, or the normal of the `shell` point "
          "as in the paper",
          "",
          0,
          0,
          "unit_gradient",
          {"unit_gradient", "gradient", "shell"}},
         {"damped",
          choice,
          "damp `all` of the relative velocity (the paper), or only its component along the `normal`",
          "",
          0,
          0,
          "all",
          {"all", "normal"}},
         {"path",
          choice,
          "motion of points within a step: straight, along a screw, or with constant acceleration",
          "",
          0,
          0,
          "chord",
          {"chord", "screw", "acceleration"}},
         {"handle",
          choice,
          "reference point of torques: the centre of mass where the impulse is `applied`, or the `moving` centre at "
          "each time (the paper)",
          "",
          0,
          0,
          "applied",
          {"applied", "moving"}},
         {"quadrature",
          choice,
          "integration of forces over the contact time; `midpoint` as in the paper",
          "",
          0,
          0,
          "adaptive",
          {"adaptive", "midpoint"}},
         {"quadrature_points", whole, "`midpoint`: quadrature points per contact interval", "", 1, 100'000, "20"},
         {"quadrature_tolerance", number, "`adaptive`: relative tolerance", "", 1e-15, 1, "1e-4"}}};
    return table;
}

const SceneTable& coupling_keys() {
    static const SceneTable table{
        "[coupling]",
        "Contact between kinds",
        "Between rigid bodies, surfaces, solids and membranes in a scene that mixes them "
        "(fathom/simulate/world/coupling.h). The coupling is explicit: a stiff one needs a small `step`.",
        {{"scaling", choice, "as in `[contact]`", "", 0, 0, "mass", {"mass", "area", "none"}},
         {"stiffness", number, "stiffness of a contact", "1/s^2, N/m^3 or N/m", 0, huge, "1e4"},
         {"damping_ratio", number, "fraction of critical damping", "", 0, 1e3, "0"},
         {"friction", number, "Coulomb friction coefficient", "", 0, 1e3, "0"},
         {"slip_speed", number, "slip speed below which friction decreases to zero", "m/s", 1e-12, huge, "0.01"},
         {"recovery_time", number, "time over which a contact that is first found deep reaches its full force", "s",
          1e-9, huge, "0.5"}}};
    return table;
}

namespace {

// The keys that surfaces and solids have in common.
std::vector<SceneKey> with_spring_keys(std::vector<SceneKey> keys) {
    const std::vector<SceneKey> common{
        {"stepping", choice, "time integration of the springs", "", 0, 0, "verlet", {"verlet", "backward_euler"}},
        {"unstable", choice, "handling of an unstable step", "", 0, 0, "refuse", {"refuse", "divide", "allow"}},
        {"air_friction", number, "viscous drag per mass", "1/s", 0, huge, "0"},
        {"yield_strain", number, "strain above which rest lengths creep; 0: elastic", "", 0, huge, "0"},
        {"creep_rate", number, "creep rate of rest lengths", "1/s", 0, huge, "10"},
        {"largest_change", number, "largest change of a rest length, as a fraction of its initial value", "", 0, 0.999,
         "0.5"},
        {"environment", box, "box at whose sides bodies are reflected: lower and upper corner", "m", -1e9, 1e9,
         "(none)"},
        {"reflection",
         choice,
         "velocity that is reflected there: of the whole `object` or of each `point`",
         "",
         0,
         0,
         "object",
         {"object", "point"}},
        {"self", flag, "detect contacts of a body with itself", "", 0, 0, "false"},
        {"recovery_time", number, "time over which a contact that is first found deep reaches its full force", "s",
         1e-9, huge, "0.5"},
        {"contact",
         table,
         "contacts among these bodies; replaces `[contact]`",
         "",
         0,
         0,
         "(as `[contact]`)",
         {},
         K::all,
         {&spring_contact_keys()}}};
    keys.insert(keys.end(), common.begin(), common.end());
    return keys;
}

} // namespace

const SceneTable& springs_keys() {
    static const SceneTable table{
        "[springs]", "Mass-spring surfaces",
        "Bodies of kind `surface` (docs/deforming-objects.md). Values of a body take precedence.",
        with_spring_keys(
            {{"density", number, "mass per area of a surface", "kg/m^2", 1e-9, huge, "1"},
             {"stretch", number, "Young's modulus times thickness", "N/m", 0, huge, "100"},
             {"bending", number, "stiffness of springs across edges", "N/m", 0, huge, "10"},
             {"area", number, "stiffness against changes of area", "N/m", 0, huge, "100"},
             {"damping_time", number, "damping of a spring divided by its stiffness", "s", 0, huge, "0"},
             {"min_mass", number, "smallest mass of a point, as a fraction of the mean: slivers would need tiny steps",
              "", 1e-9, 1, "0.01"},
             {"drift", number, "random initial speed of each object", "m/s", 0, huge, "0"},
             {"deformation", number, "random initial speed of each point relative to its object", "m/s", 0, huge, "0"},
             {"seed", whole, "random seed of `drift` and `deformation`", "", 0, max_whole, "1"},
             {"respond", flag, "contacts apply forces; `false`: they are only detected", "", 0, 0, "true"},
             {"thickness", number, "distance below which features of surfaces repel each other", "m", 0, 1e9, "0"}})};
    return table;
}

const SceneTable& solids_keys() {
    static const SceneTable table{
        "[solids]", "Tetrahedral solids",
        "Bodies of kind `solid` and `membrane` (docs/breaking-bodies.md). Shapes `tet_ball`, `tet_box`, "
        "`tet_cylinder`, "
        "`tet_ellipsoid`, `tet_torus`, files of tetrahedra, or models `\"tet/NAME\"`.",
        with_spring_keys(
            {{"density", number, "mass density of a solid", "kg/m^3", 1e-9, huge, "1000"},
             {"stretch", number, "spring stiffness as Young's modulus", "Pa", 0, huge, "1e5"},
             {"volume", number, "stiffness against changes of volume", "Pa", 0, huge, "1e5"},
             {"damping_time", number, "damping of a spring divided by its stiffness", "s", 0, huge, "0"},
             {"min_mass", number, "smallest mass of a point, as a fraction of the mean: slivers would need tiny steps",
              "", 1e-9, 1, "0.01"},
             {"response",
              choice,
              "contacts that apply forces: vertices inside, edges inside, or none",
              "",
              0,
              0,
              "segments",
              {"points", "segments", "none"}},
             {"depth",
              choice,
              "depth of nodes: `exact`, or by lazy fast marching (`closest_point` as in the paper)",
              "",
              0,
              0,
              "exact",
              {"exact", "closest_feature", "closest_point"}},
             {"push_depth",
              choice,
              "depth of a contact: measured at the point itself, or interpolated between nodes (the paper)",
              "",
              0,
              0,
              "measured",
              {"measured", "interpolated"}},
             {"separating_direction",
              choice,
              "direction of the force: to the nearest surface point, or against the gradient of the depth (the paper)",
              "",
              0,
              0,
              "nearest",
              {"nearest", "gradient"}},
             {"strain_limit", number, "strain above which bodies break", "", 1e-6, 1e6, "(never)"},
             {"break_rule", choice, "break at springs, or across faces", "", 0, 0, "springs", {"springs", "faces"}},
             {"max_broken", whole, "largest number of breaks in a step", "", 1, max_whole, "(all)"}})};
    return table;
}

const SceneTable& particles_keys() {
    static const SceneTable table{
        "[particles]",
        "Particles",
        "Particles collide with all bodies through depth maps that are drawn in each step, and push none "
        "(docs/depth-maps.md). They do not collide with analytic fields nor with the `ground`.",
        {{"drag", number, "drag of the air", "1/s", 0, 1e9, "0"},
         {"turbulence", number, "acceleration by turbulent wind", "m/s^2", 0, 1e9, "0"},
         {"turbulence_size", number, "period of the turbulence in space", "m", 1e-9, 1e9, "0.5"},
         {"turbulence_drift", vector, "velocity of the turbulence pattern", "m/s", -1e9, 1e9, "[0, 0, 0]"},
         {"impact", choice, "response to an impact", "", 0, 0, "bounce", {"bounce", "slide", "die"}},
         {"restitution", number, "coefficient of restitution", "", 0, 1, "0.3"},
         {"friction", number, "Coulomb friction coefficient", "", 0, 1e3, "0"},
         {"max_impacts", whole, "largest number of impacts of a particle in a step", "", 1, 100, "4"},
         {"max_particles", whole, "largest number of particles alive at once", "", 1, 100'000'000, "1000000"},
         {"mass", number, "mass of a particle", "kg", 0, 1e9, "1e-6"},
         {"seed", whole, "random seed of the turbulence", "", 0, max_whole, "1"},
         {"gravity", vector, "gravity of particles only; upward for hot gas", "m/s^2", -1e9, 1e9, "(the scene's)"},
         {"view_direction", vector, "viewing direction of the map", "", -1e9, 1e9, "[0, 0, 1]"},
         {"around", flag, "use six maps around the centre of all particles instead", "", 0, 0, "false"},
         {"region", box, "region that the maps cover: lower and upper corner", "m", -1e9, 1e9, "(around all bodies)"},
         {"pixels", whole, "pixels along the longer side of a map", "", 1, 16384, "1024"},
         {"layers", whole, "number of bodies behind one another that are resolved; more than 1 needs `exits`", "", 1,
          16, "1"},
         {"exits", flag, "also draw the exits from bodies; `false`: everything behind the first surface is solid", "",
          0, 0, "true"},
         {"tested_maps",
          choice,
          "maps that are tested: all, or the one of the main axis of the motion",
          "",
          0,
          0,
          "every",
          {"every", "main_axis"}}}};
    return table;
}

const SceneTable& emitter_keys() {
    static const SceneTable table{
        "[[emitter]]",
        "Emitters",
        "Sources of particles: discs. One or more in a scene with `[particles]`.",
        {{"position", vector, "centre of the disc", "m", -1e9, 1e9, "[0, 0, 0]"},
         {"direction", vector, "normal of the disc and mean direction of the particles; any length except 0", "", -1e9,
          1e9, "[0, 0, 1]"},
         {"radius", number, "radius of the disc", "m", 0, 1e9, "0"},
         {"rate", number, "births per second", "1/s", 0, 1e12, "10000"},
         {"burst", whole, "number of particles born at `start`", "", 0, 1'000'000'000, "0"},
         {"start", number, "time of the first births", "s", 0, 1e30, "0"},
         {"end", number, "time of the last births; not before `start`", "s", 0, 1e30, "1e30"},
         {"speed", number, "speed at birth", "m/s", 0, 1e9, "1"},
         {"speed_spread", number, "random variation of the speed, as a fraction", "", 0, 1, "0"},
         {"spread_degrees", number, "half-angle of the cone of directions", "degrees", 0, 180, "0"},
         {"life", number, "lifetime of a particle", "s", 1e-9, 1e9, "1"},
         {"life_spread", number, "random variation of the lifetime, as a fraction", "", 0, 1, "0"},
         {"seed", whole, "random seed of births", "", 0, max_whole, "1"}}};
    return table;
}

// "automatic", and the names of the table.
std::vector<std::string_view> method_names() {
    std::vector<std::string_view> names{name(Method::automatic)};
    for (const Method method : all_methods) names.push_back(name(method));
    return names;
}

const SceneTable& motion_keys() {
    static const SceneTable table{
        "[motion]",
        "Kinematic bodies",
        "Bodies of kind `moved` follow prescribed motions and pass through each other; each step asks about the pairs "
        "that may touch and records status, depth and contacts (fathom/simulate/kinematic/scripted_world.h).",
        {{"method", choice,
          "method of the table (docs/matrix.md), asked by `collide` at the end of a step, or by `sweep` over the step. "
          "`field_field`, `octree`, `dual_gradient`, `mesh_field` and `point_field` use the grids of meshes "
          "(`resolution`), `mesh_mesh` and `depth_maps` the triangles of fields; `mesh_field` tests the triangles and "
          "`point_field` the shell points of each body in the field of the other",
          "", 0, 0, "automatic", method_names()},
         {"max_contacts", whole, "largest number of contacts of a pair in a frame", "", 1, 1'000'000, "64"},
         {"objects", whole,
          "number of first bodies, including copies, that form one object: only pairs of one of them and another body "
          "are tested; 0: all pairs",
          "", 0, 1000, "0"}}};
    return table;
}

// NOLINTNEXTLINE(readability-function-size): a table of all keys
const SceneTable& body_keys() {
    static const SceneTable table{
        "[[body]]",
        "Bodies",
        "One or more. Exactly one of `shape`, `mesh`, `field` and `network` gives the shape; a `model` or `network` "
        "file that exists replaces `shape` or `field`.",
        {{"kind",
          choice,
          "kind of the body",
          "",
          0,
          0,
          "(`moved` with `[motion]`, else `solid` with `[solids]`, `surface` with `[springs]`, `obstacle` with "
          "`[particles]`, `rigid`)",
          {std::begin(kind_names), std::end(kind_names)}},
         {"name", text, "unique name", "", 0, 0, "(its number)"},
         {"shape", text, "shape of the catalogue (`fathom make --list`)"},
         {"parameters", numbers, "parameters of the shape", "", -1e15, 1e15, "(the catalogue's)"},
         {"mesh", text, "mesh file, relative to the scene file"},
         {"field",
          text,
          "analytic expression (docs/analytic-fields.md), for `fixed` bodies and bodies of kind `moved`",
          "",
          0,
          0,
          "",
          {},
          K::rigid | K::surface | K::solid | K::obstacle | K::moved},
         {"network",
          text,
          "neural network file, relative to the scene file or in the model folder; if it is absent, `field` is used",
          "",
          0,
          0,
          "",
          {},
          K::moved},
         {"model", text, "file of the model folder; if it is absent, `shape` is used"},
         {"up", choice, "upward axis of a model or mesh", "", 0, 0, "z", {"y", "z"}},
         {"size", number, "length of the longest side", "m", 1e-9, 1e9, "(unchanged)"},
         {"resolution", whole, "cells of its field along the longest side", "", 8, 4096, "64"},
         {"points", whole, "points of its shell; 0: the vertices", "", 0, 100'000'000, "0"},
         {"position", vector, "position of its centre of mass (of analytic and neural fields: of the origin)", "m",
          -1e9, 1e9, "[0, 0, 0]"},
         {"rotation", quaternion, "unit quaternion w, x, y, z", "", -1e9, 1e9, "[1, 0, 0, 0]"},
         {"turn_axis", vector, "axis of a further rotation after `rotation`", "", -1e9, 1e9, "[0, 0, 1]"},
         {"turn_degrees", number, "angle of that rotation", "degrees", -1e6, 1e6, "0"},
         {"velocity", vector, "initial velocity, or velocity of a scripted body", "m/s", -1e9, 1e9, "[0, 0, 0]"},
         {"spin", vector, "initial angular velocity, or that of a scripted body", "rad/s", -1e9, 1e9, "[0, 0, 0]"},
         {"density", number, "mass density; of surfaces and membranes in kg/m^2", "kg/m^3", 1e-9, huge,
          "(1000, or that of `[springs]` or `[solids]`; of a membrane 1)"},
         {"fixed", flag, "the body never moves", "", 0, 0, "false"},
         {"copies", vector, "number of copies along x, y, z: integers, at most 100,000 in total", "", 1, 1000,
          "[1, 1, 1]"},
         {"spacing", vector, "distance between copies", "m", -1e9, 1e9, "[0, 0, 0]"},
         {"turn_seed", whole, "random seed; gives each copy a random rotation", "", 0, max_whole, "(no rotation)"},
         {"stiffness", number, "contact stiffness of this body", "N/m", 0, huge, "(the scene's)", {}, K::rigid},
         {"damping", number, "contact damping of this body", "N s/m", 0, huge, "(the scene's)", {}, K::rigid},
         {"friction", number, "friction coefficient of this body", "", 0, 1e3, "(the scene's)", {}, K::rigid},
         {"stretch",
          number,
          "stretch stiffness of this body",
          "N/m or Pa",
          0,
          huge,
          "(that of `[springs]` or `[solids]`; of a membrane 100)",
          {},
          soft},
         {"bending",
          number,
          "bending stiffness of this body",
          "N/m",
          0,
          huge,
          "(that of `[springs]`; of a membrane 10)",
          {},
          K::surface | K::membrane},
         {"area",
          number,
          "area stiffness of this body",
          "N/m",
          0,
          huge,
          "(that of `[springs]`; of a membrane 100)",
          {},
          K::surface | K::membrane},
         {"volume", number, "volume stiffness of this body", "Pa", 0, huge, "(that of `[solids]`)", {}, K::solid},
         {"damping_time",
          number,
          "damping time of this body",
          "s",
          0,
          huge,
          "(that of `[springs]` or `[solids]`)",
          {},
          soft},
         {"hold_above",
          number,
          "vertices that start above this height are held fixed",
          "m",
          -1e9,
          1e9,
          "(none)",
          {},
          soft},
         {"hold_border", flag, "vertices at open edges are held fixed", "", 0, 0, "false", {}, K::membrane},
         {"strain_limit", number, "strain above which the membrane tears", "", 1e-6, 1e6, "(never)", {}, K::membrane},
         {"sway",
          vector,
          "amplitude of a sinusoidal oscillation about its motion",
          "m",
          -1e9,
          1e9,
          "[0, 0, 0]",
          {},
          scripted},
         {"sway_period", number, "period of that oscillation", "s", 1e-9, 1e9, "1", {}, scripted},
         {"path",
          KeyType::path,
          "key frames: time (s), position (m) and optionally rotation w, x, y, z; uniform straight motion between "
          "them; times increase",
          "",
          -1e9,
          1e9,
          "(motion by `position` and `velocity`)",
          {},
          K::moved},
         {"wander",
          number,
          "in each step a new random pose, within this distance of `position` along each axis; 0: off",
          "m",
          0,
          1e9,
          "0",
          {},
          K::moved},
         {"wander_seed", whole, "random seed of `wander`", "", 0, max_whole, "1", {}, K::moved}}};
    return table;
}

// NOLINTNEXTLINE(readability-function-size): a table of all keys
const SceneTable& scene_file_keys() {
    static const SceneTable table{
        "",
        "The scene",
        "Metres, seconds, kilograms; z is up.",
        {{"name", text, "name of the scene", "", 0, 0, "(the file's name)"},
         {"step", number, "time step of all bodies", "s", 1e-9, 10, "0.001"},
         {"duration", number, "simulated time; at most a billion steps", "s", 0, 1e6, "1"},
         {"gravity", vector, "gravitational acceleration", "m/s^2", -1e9, 1e9, "[0, 0, -9.81]"},
         {"ground", number, "height of an infinite floor", "m", -1e9, 1e9, "(no floor)"},
         {"mode",
          choice,
          "rigid contact over the step, or at its end only",
          "",
          0,
          0,
          "continuous",
          {"continuous", "discrete"}},
         {"span",
          choice,
          "continuous contact over the coming step, predicted, or over the last step, as in the paper",
          "",
          0,
          0,
          "coming",
          {"coming", "last"}},
         {"stepping",
          choice,
          "time integration of rigid bodies: explicit, or linearly implicit for stiff contact",
          "",
          0,
          0,
          "symplectic",
          {"symplectic", "implicit"}},
         {"energy_limit", number,
          "energy guard: the simulation stops if the energy grows by more than this factor of the initial energy", "",
          1e-9, huge, "10"},
         {"sleep_speed", number, "rigid bodies slower than this for `sleep_steps` steps fall asleep; 0: never", "m/s",
          0, huge, "0"},
         {"sleep_steps", whole, "number of slow steps before a body falls asleep", "", 1, 1'000'000'000, "100"},
         {"record_every", whole, "steps between frames", "", 1, 1'000'000'000, "1"},
         {"record_most", whole, "largest number of frames; beyond it every second one is dropped", "", 2, 10'000'000,
          "10000"},
         {"record_contacts", flag, "record each contact, not only their number", "", 0, 0, "true"},
         {"cached", flag, "store fields in the field cache", "", 0, 0, "false"},
         {"contact",
          KeyType::table,
          "contacts among bodies of one kind",
          "",
          0,
          0,
          "(defaults)",
          {},
          K::all,
          {&rigid_contact_keys(), &spring_contact_keys()}},
         {"coupling",
          KeyType::table,
          "contacts between bodies of different kinds",
          "",
          0,
          0,
          "(defaults)",
          {},
          K::all,
          {&coupling_keys()}},
         {"springs", KeyType::table, "settings of surfaces", "", 0, 0, "(defaults)", {}, K::all, {&springs_keys()}},
         {"solids",
          KeyType::table,
          "settings of solids and membranes",
          "",
          0,
          0,
          "(defaults)",
          {},
          K::all,
          {&solids_keys()}},
         {"particles", KeyType::table, "settings of particles", "", 0, 0, "(none)", {}, K::all, {&particles_keys()}},
         {"motion",
          KeyType::table,
          "settings of kinematic bodies",
          "",
          0,
          0,
          "(defaults)",
          {},
          K::all,
          {&motion_keys()}},
         {"emitter", list, "sources of particles", "", 0, 0, "(none)", {}, K::all, {&emitter_keys()}},
         {"body", list, "the bodies", "", 0, 0, "(allowed only with particles)", {}, K::all, {&body_keys()}}}};
    return table;
}

std::span<const SceneTable* const> scene_tables() {
    static const std::array<const SceneTable*, 10> tables = {
        &scene_file_keys(),     &body_keys(),     &rigid_contact_keys(), &springs_keys(), &solids_keys(),
        &spring_contact_keys(), &coupling_keys(), &particles_keys(),     &emitter_keys(), &motion_keys()};
    return tables;
}

} // namespace fathom
