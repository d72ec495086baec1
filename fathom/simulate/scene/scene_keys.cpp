// The table of keys. Ranges are those that the reader keeps; defaults are checked against the code
// whenever a scene is read.
#include <fathom/simulate/scene/scene_keys.h>

#include <algorithm>
#include <array>

namespace fathom {

namespace {

using enum KeyType;
using K = ForKinds;
constexpr double huge = 1e15, whole_most = 9e15;
constexpr unsigned soft = K::surface | K::solid | K::membrane, told = K::obstacle | K::moved;

} // namespace

const SceneKey* SceneTable::find(std::string_view key) const {
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const SceneKey& k) { return k.name == key; });
    return found == keys.end() ? nullptr : &*found;
}

const SceneTable& spring_contact_keys() {
    static const SceneTable table{
        "[contact]",
        "Contact of surfaces and solids",
        "In a scene without rigid bodies, or as `[springs.contact]` and `[solids.contact]`. A law of its own for "
        "contacts between bodies of one kind that deform.",
        {{"scaling",
          choice,
          "what `stiffness` is multiplied with: `mass` (then in 1/s^2), `area` (N/m^3: meshes of any density act "
          "alike) or `none` (N/m)",
          "",
          0,
          0,
          "mass",
          {"mass", "area", "none"}},
         {"stiffness", number, "of a contact", "1/s^2, N/m^3 or N/m", 0, huge, "1e4"},
         {"damping_ratio", number, "share of critical damping", "", 0, 1e3, "0"},
         {"friction", number, "Coulomb's coefficient", "", 0, 1e3, "0"},
         {"slip_speed", number, "speed below which friction fades", "m/s", 1e-12, huge, "0.01"}}};
    return table;
}

const SceneTable& rigid_contact_keys() {
    static const SceneTable table{
        "[contact]",
        "Contact of rigid bodies",
        "In a scene with rigid bodies: the penalty law of Xu & Barbic 2014 (docs/rigid-bodies.md).",
        {{"stiffness", number, "of a point of a shell", "N/m, or N/m^3 per area", 0, huge, "1e4"},
         {"damping", number, "of a point of a shell", "N s/m, or N s/m^3", 0, huge, "10"},
         {"per_area", flag, "stiffness and damping are for each square metre, so that shells of any density act alike",
          "", 0, 0, "false"},
         {"friction", number, "Coulomb's coefficient; of a pair: the geometric mean", "", 0, 1e3, "0.3"},
         {"slip_speed", number, "speed below which friction fades", "m/s", 1e-12, huge, "0.01"},
         {"normal",
          choice,
          "the way a contact pushes; `shell` as in the paper",
          "",
          0,
          0,
          "unit_gradient",
          {"unit_gradient", "gradient", "shell"}},
         {"damped",
          choice,
          "`all` of the relative velocity (the paper), or the part along the `normal`",
          "",
          0,
          0,
          "all",
          {"all", "normal"}},
         {"path", choice, "of points within a step", "", 0, 0, "chord", {"chord", "screw", "acceleration"}},
         {"handle",
          choice,
          "torques about the centre where they are `applied`, or as it is `moving` (the paper)",
          "",
          0,
          0,
          "applied",
          {"applied", "moving"}},
         {"quadrature",
          choice,
          "of forces over the time in contact; `midpoint` as in the paper",
          "",
          0,
          0,
          "adaptive",
          {"adaptive", "midpoint"}},
         {"quadrature_points", whole, "at most", "", 1, 100'000, "20"},
         {"quadrature_tolerance", number, "relative", "", 1e-15, 1, "1e-4"}}};
    return table;
}

const SceneTable& coupling_keys() {
    static const SceneTable table{
        "[coupling]",
        "Contact between kinds",
        "Between rigid bodies, surfaces, solids and membranes where a scene mixes them "
        "(fathom/simulate/world/coupling.h). "
        "Explicit: `step` must follow it.",
        {{"scaling", choice, "as of `[contact]`", "", 0, 0, "mass", {"mass", "area", "none"}},
         {"stiffness", number, "of a contact", "1/s^2, N/m^3 or N/m", 0, huge, "1e4"},
         {"damping_ratio", number, "share of critical damping", "", 0, 1e3, "0"},
         {"friction", number, "Coulomb's coefficient", "", 0, 1e3, "0"},
         {"slip_speed", number, "speed below which friction fades", "m/s", 1e-12, huge, "0.01"},
         {"recovery_time", number, "in which contacts that were found deep come to push fully", "s", 1e-9, huge,
          "0.5"}}};
    return table;
}

namespace {

// What surfaces and solids have in common.
std::vector<SceneKey> with_spring_keys(std::vector<SceneKey> keys) {
    const std::vector<SceneKey> common{
        {"stepping", choice, "how springs are stepped", "", 0, 0, "verlet", {"verlet", "backward_euler"}},
        {"unstable",
         choice,
         "what to do about a step that is not stable",
         "",
         0,
         0,
         "refuse",
         {"refuse", "divide", "allow"}},
        {"air_friction", number, "over the mass", "1/s", 0, huge, "0"},
        {"yield_strain", number, "strain past which rest lengths creep; 0: elastic", "", 0, huge, "0"},
        {"creep_rate", number, "of rest lengths", "1/s", 0, huge, "10"},
        {"largest_change", number, "of a rest length, as a share of the first", "", 0, 0.999, "0.5"},
        {"environment", box, "that bodies turn back in: lower and upper corner", "m", -1e9, 1e9, "(none)"},
        {"reflection",
         choice,
         "the velocity that turns there: of the whole `object` or of each `point`",
         "",
         0,
         0,
         "object",
         {"object", "point"}},
        {"self", flag, "bodies may touch themselves", "", 0, 0, "false"},
        {"recovery_time", number, "in which contacts that were found deep come to push fully", "s", 1e-9, huge, "0.5"},
        {"contact",
         table,
         "contacts among these bodies; takes the place of `[contact]`",
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
        "[springs]", "Surfaces of springs",
        "Bodies of kind `surface` (docs/deforming-objects.md). A body's own values count more.",
        with_spring_keys({{"density", number, "mass of a surface", "kg/m^2", 1e-9, huge, "1"},
                          {"stretch", number, "Young's modulus times thickness", "N/m", 0, huge, "100"},
                          {"bending", number, "of springs across edges", "N/m", 0, huge, "10"},
                          {"area", number, "against change of area", "N/m", 0, huge, "100"},
                          {"damping_time", number, "damping of a spring over its stiffness", "s", 0, huge, "0"},
                          {"least_mass", number, "of a point, as a share of the mean one: slivers ask for tiny steps",
                           "", 1e-9, 1, "0.01"},
                          {"drift", number, "random speed of each object at the start", "m/s", 0, huge, "0"},
                          {"deformation", number, "random speed of each point about it", "m/s", 0, huge, "0"},
                          {"seed", whole, "of those speeds", "", 0, whole_most, "1"},
                          {"respond", flag, "contacts push; `false`: they are only found", "", 0, 0, "true"},
                          {"thickness", number, "features of surfaces nearer than this push", "m", 0, 1e9, "0"}})};
    return table;
}

const SceneTable& solids_keys() {
    static const SceneTable table{
        "[solids]", "Solids of tetrahedra",
        "Bodies of kind `solid` and `membrane` (docs/breaking-bodies.md). Shapes `tet_ball`, `tet_box`, "
        "`tet_cylinder`, "
        "`tet_ellipsoid`, `tet_torus`, files of tetrahedra, or models `\"tet/NAME\"`.",
        with_spring_keys(
            {{"density", number, "mass of a solid", "kg/m^3", 1e-9, huge, "1000"},
             {"stretch", number, "of Young's modulus", "Pa", 0, huge, "1e5"},
             {"volume", number, "against change of volume", "Pa", 0, huge, "1e5"},
             {"damping_time", number, "damping of a spring over its stiffness", "s", 0, huge, "0"},
             {"least_mass", number, "of a point, as a share of the mean one: slivers ask for tiny steps", "", 1e-9, 1,
              "0.01"},
             {"response",
              choice,
              "what pushes: vertices inside, edges inside, or nothing",
              "",
              0,
              0,
              "segments",
              {"points", "segments", "none"}},
             {"depth",
              choice,
              "of nodes: `exact`, or marched lazily (`closest_point` is the paper's)",
              "",
              0,
              0,
              "exact",
              {"exact", "closest_feature", "closest_point"}},
             {"push_depth",
              choice,
              "at the point itself, or between nodes (the paper)",
              "",
              0,
              0,
              "measured",
              {"measured", "interpolated"}},
             {"push_direction",
              choice,
              "to the nearest surface, or against the gradient of the depth (the paper)",
              "",
              0,
              0,
              "nearest",
              {"nearest", "gradient"}},
             {"strain_limit", number, "bodies break where stretched beyond", "", 1e-6, 1e6, "(never)"},
             {"break_rule", choice, "at springs, or across faces", "", 0, 0, "springs", {"springs", "faces"}},
             {"max_broken", whole, "in a step", "", 1, whole_most, "(all)"}})};
    return table;
}

const SceneTable& particles_keys() {
    static const SceneTable table{
        "[particles]",
        "Particles",
        "They meet all bodies through depth maps drawn anew each step, and push none (docs/depth-maps.md). They see "
        "neither formulas nor the `ground`.",
        {{"drag", number, "of the air", "1/s", 0, 1e9, "0"},
         {"turbulence", number, "of a wind that shakes particles", "m/s^2", 0, 1e9, "0"},
         {"turbulence_size", number, "its period", "m", 1e-9, 1e9, "0.5"},
         {"turbulence_drift", vector, "how it moves as a whole", "m/s", -1e9, 1e9, "[0, 0, 0]"},
         {"impact", choice, "what an impact does", "", 0, 0, "bounce", {"bounce", "slide", "die"}},
         {"restitution", number, "share of the speed that comes back", "", 0, 1, "0.3"},
         {"friction", number, "Coulomb's coefficient", "", 0, 1e3, "0"},
         {"max_impacts", whole, "in a step", "", 1, 100, "4"},
         {"most", whole, "alive at once", "", 1, 100'000'000, "1000000"},
         {"mass", number, "of a particle", "kg", 0, 1e9, "1e-6"},
         {"seed", whole, "of the wind", "", 0, whole_most, "1"},
         {"gravity", vector, "of particles alone; upward for what is hot", "m/s^2", -1e9, 1e9, "(the scene's)"},
         {"look", vector, "direction that the map looks", "", -1e9, 1e9, "[0, 0, 1]"},
         {"around", flag, "six maps about the middle of all particles instead", "", 0, 0, "false"},
         {"region", box, "that maps are drawn of: lower and upper corner", "m", -1e9, 1e9, "(around all bodies)"},
         {"pixels", whole, "along the longer side of a map", "", 1, 16384, "1024"},
         {"layers", whole, "bodies one behind the other; more than 1 need `exits`", "", 1, 16, "1"},
         {"exits", flag, "draw also where bodies are left; `false`: all behind the first surface is solid", "", 0, 0,
          "true"},
         {"ask",
          choice,
          "of several maps: all, or the one of the motion's main axis",
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
        "Where particles come from: a disc. One or more in a scene with `[particles]`.",
        {{"position", vector, "of the middle of the disc", "m", -1e9, 1e9, "[0, 0, 0]"},
         {"direction", vector, "across the disc; any length but 0", "", -1e9, 1e9, "[0, 0, 1]"},
         {"radius", number, "of the disc", "m", 0, 1e9, "0"},
         {"rate", number, "of births", "1/s", 0, 1e12, "10000"},
         {"burst", whole, "born at once, at the start", "", 0, 1'000'000'000, "0"},
         {"start", number, "of births", "s", 0, 1e30, "0"},
         {"end", number, "of births; not before `start`", "s", 0, 1e30, "1e30"},
         {"speed", number, "at birth", "m/s", 0, 1e9, "1"},
         {"speed_spread", number, "share of the speed by which it differs", "", 0, 1, "0"},
         {"spread_degrees", number, "half the opening of the cone", "degrees", 0, 180, "0"},
         {"life", number, "of a particle", "s", 1e-9, 1e9, "1"},
         {"life_spread", number, "share of the life by which it differs", "", 0, 1, "0"},
         {"seed", whole, "of births", "", 0, whole_most, "1"}}};
    return table;
}

const SceneTable& motion_keys() {
    static const SceneTable table{
        "[motion]",
        "Bodies that are moved",
        "Bodies of kind `moved` go where they are told, through each other; each step asks every pair once and records "
        "verdict, depth and contacts (fathom/simulate/kinematic/scripted_world.h).",
        {{"method",
          choice,
          "`fields`: proven, by any two fields; `descent`: by gradients in the boxes of a decomposition (Liu et al. "
          "2024); `mesh_field`: triangles against fields (Macklin et al. 2020); `meshes`: exact "
          "triangles; `depth_maps`: the first body, or the first `objects`, against all others (Fabrizio); `sweep`: "
          "points of shells through fields over the step (Xu & Barbic 2014)",
          "",
          0,
          0,
          "fields",
          {"fields", "descent", "mesh_field", "meshes", "depth_maps", "sweep"}},
         {"max_contacts", whole, "of a pair, kept in a frame", "", 1, 1'000'000, "64"},
         {"parts", whole, "`descent`: boxes of a body; 0: as many as pay, 1: not decomposed", "", 0, 256, "0"},
         {"descent_step", number, "`descent`: length of a step; 0: adaptive", "m", 0, 1e9, "0"},
         {"pixels", whole, "`depth_maps`: along the longer side of a map", "", 1, 16384, "256"},
         {"directions", whole, "`depth_maps`: projections, chosen so that they see the most", "", 1, 8, "1"},
         {"objects", whole,
          "`depth_maps`: so many of the first bodies, copies counted, are parts of what is asked, each by maps of its "
          "own",
          "", 1, 1000, "1"},
         {"tree", flag, "`sweep`: by a hierarchy of spheres; `false`: point by point", "", 0, 0, "true"}}};
    return table;
}

const SceneTable& body_keys() {
    static const SceneTable table{
        "[[body]]",
        "Bodies",
        "One or more. Exactly one of `shape`, `mesh`, `field` and `network` gives the shape; a `model` or a `network` "
        "that is there takes the place of `shape` or `field`.",
        {{"kind",
          choice,
          "what the body is",
          "",
          0,
          0,
          "(`moved` with `[motion]`, else `solid` with `[solids]`, `surface` with `[springs]`, `obstacle` with "
          "`[particles]`, `rigid`)",
          {std::begin(kind_names), std::end(kind_names)}},
         {"name", text, "in words; no other body has it", "", 0, 0, "(its number)"},
         {"shape", text, "of the catalogue (`fathom make --list`)"},
         {"parameters", numbers, "of the shape", "", -1e15, 1e15, "(the catalogue's)"},
         {"mesh", text, "a file beside the scene"},
         {"field",
          text,
          "a formula (docs/analytic-fields.md); the body is `fixed`, or `moved`",
          "",
          0,
          0,
          "",
          {},
          K::rigid | K::surface | K::solid | K::obstacle | K::moved},
         {"network",
          text,
          "a file of a trained network beside the scene or in the model folder; where it is missing, `field` stands in",
          "",
          0,
          0,
          "",
          {},
          K::moved},
         {"model", text, "a file of the caller's model folder, instead of the stand-in"},
         {"up", choice, "which axis of a model or mesh is upright", "", 0, 0, "z", {"y", "z"}},
         {"size", number, "of its longest side", "m", 1e-9, 1e9, "(as it is)"},
         {"resolution", whole, "cells of its field along the longest side", "", 8, 4096, "64"},
         {"points", whole, "of its shell; 0: the vertices", "", 0, 100'000'000, "0"},
         {"position", vector, "of its centre of mass (of formulas and networks: of the origin)", "m", -1e9, 1e9,
          "[0, 0, 0]"},
         {"rotation", quaternion, "w, x, y, z", "", -1e9, 1e9, "[1, 0, 0, 0]"},
         {"turn_axis", vector, "of a turn after it", "", -1e9, 1e9, "[0, 0, 1]"},
         {"turn_degrees", number, "of that turn", "degrees", -1e6, 1e6, "0"},
         {"velocity", vector, "at the start, or of a body that is told", "m/s", -1e9, 1e9, "[0, 0, 0]"},
         {"spin", vector, "the same", "rad/s", -1e9, 1e9, "[0, 0, 0]"},
         {"density", number, "of surfaces and membranes in kg/m^2", "kg/m^3", 1e-9, huge,
          "(1000, or that of `[springs]` or `[solids]`; of a membrane 1)"},
         {"fixed", flag, "never moves", "", 0, 0, "false"},
         {"copies", vector, "along x, y, z: whole numbers, at most 100,000 in all", "", 1, 1000, "[1, 1, 1]"},
         {"spacing", vector, "between copies", "m", -1e9, 1e9, "[0, 0, 0]"},
         {"turn_seed", whole, "turns each copy at random", "", 0, whole_most, "(no turn)"},
         {"stiffness", number, "of this body", "N/m", 0, huge, "(the scene's)", {}, K::rigid},
         {"damping", number, "of this body", "N s/m", 0, huge, "(the scene's)", {}, K::rigid},
         {"friction", number, "of this body", "", 0, 1e3, "(the scene's)", {}, K::rigid},
         {"stretch",
          number,
          "of this body",
          "N/m or Pa",
          0,
          huge,
          "(that of `[springs]` or `[solids]`; of a membrane 100)",
          {},
          soft},
         {"bending",
          number,
          "of this body",
          "N/m",
          0,
          huge,
          "(that of `[springs]`; of a membrane 10)",
          {},
          K::surface | K::membrane},
         {"area",
          number,
          "of this body",
          "N/m",
          0,
          huge,
          "(that of `[springs]`; of a membrane 100)",
          {},
          K::surface | K::membrane},
         {"volume", number, "of this body", "Pa", 0, huge, "(that of `[solids]`)", {}, K::solid},
         {"damping_time", number, "of this body", "s", 0, huge, "(that of `[springs]` or `[solids]`)", {}, soft},
         {"hold_above", number, "vertices that start above this height are held", "m", -1e9, 1e9, "(none)", {}, soft},
         {"hold_border", flag, "vertices at open edges are held", "", 0, 0, "false", {}, K::membrane},
         {"strain_limit", number, "it tears where stretched beyond", "", 1e-6, 1e6, "(never)", {}, K::membrane},
         {"sway", vector, "to both sides of its way, a sine", "m", -1e9, 1e9, "[0, 0, 0]", {}, told},
         {"sway_period", number, "of that", "s", 1e-9, 1e9, "1", {}, told},
         {"path",
          KeyType::path,
          "key frames: time (s), place (m), and rotation w, x, y, z or none; straight and even between them; times "
          "increase",
          "",
          -1e9,
          1e9,
          "(`position` and `velocity` say where)",
          {},
          K::moved},
         {"wander",
          number,
          "in each step to another random place within this of `position` along each axis, turned at random; 0: not",
          "m",
          0,
          1e9,
          "0",
          {},
          K::moved},
         {"wander_seed", whole, "of those", "", 0, whole_most, "1", {}, K::moved}}};
    return table;
}

const SceneTable& scene_file_keys() {
    static const SceneTable table{
        "",
        "The scene",
        "Metres, seconds, kilograms; z is up.",
        {{"name", text, "in words", "", 0, 0, "(the file's name)"},
         {"step", number, "of all bodies", "s", 1e-9, 10, "0.001"},
         {"duration", number, "at most a billion steps", "s", 0, 1e6, "1"},
         {"gravity", vector, "", "m/s^2", -1e9, 1e9, "[0, 0, -9.81]"},
         {"ground", number, "height of a floor without end", "m", -1e9, 1e9, "(no floor)"},
         {"mode",
          choice,
          "rigid contact over the step, or at its end alone",
          "",
          0,
          0,
          "continuous",
          {"continuous", "discrete"}},
         {"span",
          choice,
          "continuous contact over the coming step, predicted, or over the last, as the paper writes",
          "",
          0,
          0,
          "coming",
          {"coming", "last"}},
         {"stepping",
          choice,
          "of rigid bodies: explicit, or linearly implicit for stiff contact",
          "",
          0,
          0,
          "symplectic",
          {"symplectic", "implicit"}},
         {"energy_limit", number, "the guard against blow-up: times what the scene holds", "", 1e-9, huge, "10"},
         {"sleep_speed", number, "rigid bodies slower than this for `sleep_steps` sleep; 0: none does", "m/s", 0, huge,
          "0"},
         {"sleep_steps", whole, "", "", 1, 1'000'000'000, "100"},
         {"record_every", whole, "steps between frames", "", 1, 1'000'000'000, "1"},
         {"record_most", whole, "frames; where there would be more, every second one is dropped", "", 2, 10'000'000,
          "10000"},
         {"record_contacts", flag, "keep each contact, not only their number", "", 0, 0, "true"},
         {"cached", flag, "keep fields in the field cache", "", 0, 0, "false"},
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
         {"springs", KeyType::table, "of surfaces", "", 0, 0, "(defaults)", {}, K::all, {&springs_keys()}},
         {"solids", KeyType::table, "of solids and membranes", "", 0, 0, "(defaults)", {}, K::all, {&solids_keys()}},
         {"particles", KeyType::table, "there are particles", "", 0, 0, "(none)", {}, K::all, {&particles_keys()}},
         {"motion", KeyType::table, "bodies that are moved", "", 0, 0, "(defaults)", {}, K::all, {&motion_keys()}},
         {"emitter", list, "where particles come from", "", 0, 0, "(none)", {}, K::all, {&emitter_keys()}},
         {"body", list, "what there is", "", 0, 0, "(only with particles)", {}, K::all, {&body_keys()}}}};
    return table;
}

std::span<const SceneTable* const> scene_tables() {
    static const std::array<const SceneTable*, 10> tables = {
        &scene_file_keys(),     &body_keys(),     &rigid_contact_keys(), &springs_keys(), &solids_keys(),
        &spring_contact_keys(), &coupling_keys(), &particles_keys(),     &emitter_keys(), &motion_keys()};
    return tables;
}

} // namespace fathom
