// The table of generated shapes.
#include <fathom/geometry/generate/mesh_catalogue.h>

#include <fathom/base/error.h>
#include <fathom/geometry/generate/generate.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

constexpr double largest_seed = 9007199254740991.0; // every integer up to this is exact in double

ShapeParameter length(std::string name, double fallback, std::string meaning) {
    return {std::move(name), fallback, min_generated_length, max_generated_length, "m", std::move(meaning)};
}
ShapeParameter count(std::string name, double fallback, double minimum, double maximum, std::string meaning) {
    return {std::move(name), fallback, minimum, maximum, "", std::move(meaning), true};
}
ShapeParameter resolution(double fallback, double minimum, double maximum, std::string meaning) {
    return count("resolution", fallback, minimum, maximum, std::move(meaning));
}
ShapeParameter seed() { return count("seed", 1, 0, largest_seed, "random seed of the shape"); }

// Access to the parameter values of a shape by name.
class Reader {
public:
    explicit Reader(const ShapeValues& values) : values_(values) {}
    [[nodiscard]] double operator()(std::string_view name) const { return values_.find(name)->second; }
    [[nodiscard]] std::size_t count(std::string_view name) const { return static_cast<std::size_t>((*this)(name)); }
    [[nodiscard]] Vec3 sides() const { return {(*this)("width"), (*this)("depth"), (*this)("height")}; }

    // Numbers of about cubic cells, `resolution` of them along the longest side.
    [[nodiscard]] std::array<std::size_t, 3> cells() const {
        const Vec3 size = sides();
        const double cell = size.maxCoeff() / (*this)("resolution");
        std::array<std::size_t, 3> n{};
        for (int k = 0; k < 3; ++k)
            n[static_cast<std::size_t>(k)] =
                std::max<std::size_t>(1, static_cast<std::size_t>(std::floor(size[k] / cell + 0.5)));
        return n;
    }

private:
    const ShapeValues& values_;
};

template <class Build>
CatalogueShape surface(
    std::string name, std::string description, std::vector<ShapeParameter> parameters, Build build,
    std::function<bool(const ShapeValues&)> closed = [](const ShapeValues&) { return true; }) {
    return {std::move(name),       std::move(description),
            std::move(parameters), false,
            std::move(closed),     [build](const ShapeValues& v) -> ShapeMesh { return build(Reader(v)); }};
}

template <class Build>
CatalogueShape volume(std::string name, std::string description, std::vector<ShapeParameter> parameters, Build build) {
    return {std::move(name),
            std::move(description),
            std::move(parameters),
            true,
            [](const ShapeValues&) { return true; },
            [build](const ShapeValues& v) -> ShapeMesh { return build(Reader(v)); }};
}

std::vector<ShapeParameter> box_parameters(double cells, double most) {
    return {length("width", 1, "along x"), length("depth", 1, "along y"), length("height", 1, "along z"),
            resolution(cells, 1, most, "cells along the longest side")};
}

void add_solids(std::vector<CatalogueShape>& shapes) {
    shapes.push_back(surface("box", "a box", box_parameters(4, 2800), [](const Reader& v) {
        return make_box({v.sides(), v.cells()});
    }));
    shapes.push_back(surface(
        "sphere", "a sphere, from an icosahedron",
        {length("radius", 0.5, "radius"), resolution(16, 1, 2200, "subdivisions of each edge of an icosahedron")},
        [](const Reader& v) {
            return make_sphere({v("radius"), v.count("resolution")});
        }));
    shapes.push_back(surface(
        "ellipsoid", "an ellipsoid, from an icosahedron",
        {length("radius_x", 0.5, "along x"), length("radius_y", 0.35, "along y"), length("radius_z", 0.25, "along z"),
         resolution(16, 1, 2200, "subdivisions of each edge of an icosahedron")},
        [](const Reader& v) {
            return make_ellipsoid({{v("radius_x"), v("radius_y"), v("radius_z")}, v.count("resolution")});
        }));
    shapes.push_back(surface("capsule", "a cylinder with round ends",
                             {length("radius", 0.25, "radius"), length("length", 0.5, "length of the cylindrical part"),
                              resolution(48, 6, 20'000, "edges around")},
                             [](const Reader& v) {
                                 return make_capsule({v("radius"), v("length"), v.count("resolution")});
                             }));
    shapes.push_back(surface(
        "cylinder", "a cylinder along z",
        {length("radius", 0.3, "radius"), length("height", 1, "along z"), resolution(48, 3, 20'000, "edges around")},
        [](const Reader& v) {
            return make_cylinder({v("radius"), v("height"), v.count("resolution")});
        }));
    shapes.push_back(surface("cone", "a cone, apex up",
                             {length("radius", 0.4, "radius of the base"), length("height", 1, "along z"),
                              resolution(48, 3, 20'000, "edges around the base")},
                             [](const Reader& v) {
                                 return make_cone({v("radius"), v("height"), v.count("resolution")});
                             }));
    shapes.push_back(surface("torus", "a ring",
                             {length("radius", 0.35, "from the axis to the centre of the tube"),
                              length("tube", 0.15, "radius of the tube, less than radius"),
                              resolution(64, 3, 10'000, "edges around the axis; half as many around the tube")},
                             [](const Reader& v) {
                                 const std::size_t n = v.count("resolution");
                                 return make_torus({v("radius"), v("tube"), n, std::max<std::size_t>(3, n / 2)});
                             }));
    shapes.push_back(
        surface("heart", "Taubin's heart surface",
                {length("size", 1, "width"), resolution(24, 2, 400, "subdivisions of each edge of an icosahedron")},
                [](const Reader& v) {
                    return make_heart({v("size"), v.count("resolution")});
                }));
}

void add_turned(std::vector<CatalogueShape>& shapes) {
    shapes.push_back(surface("bowl", "a hollow hemisphere with a rounded rim",
                             {length("radius", 0.5, "outer radius"),
                              length("thickness", 0.05, "wall thickness, from 1/1000 to 1/2 of the radius"),
                              resolution(64, 12, 20'000, "edges around the rim; thin walls need more")},
                             [](const Reader& v) {
                                 return make_bowl({v("radius"), v("thickness"), v.count("resolution")});
                             }));
    shapes.push_back(surface("pawn", "a chess pawn",
                             {length("height", 1, "height"), resolution(48, 24, 20'000, "edges around the foot")},
                             [](const Reader& v) {
                                 return make_pawn({v("height"), v.count("resolution")});
                             }));
    shapes.push_back(surface("skillet", "a pan with a handle, connected",
                             {length("radius", 0.15, "radius of the rim"),
                              length("handle", 0.2, "length of the handle, from 1/2 to 10 radii"),
                              resolution(64, 32, 20'000, "edges around the rim")},
                             [](const Reader& v) {
                                 return make_skillet({v("radius"), v("handle"), v.count("resolution")});
                             }));
}

void add_organic(std::vector<CatalogueShape>& shapes) {
    const double most = static_cast<double>(max_generated_elements);
    shapes.push_back(
        surface("creature", "a four-legged creature, as a substitute for a scan",
                {count("triangles", 20'000, 1000, most, "met within 0.5 %"),
                 length("length", 1, "nose to tail"),
                 seed(),
                 {"relief", 1, 0, 2, "", "height of the skin's relief; 0 is smooth"}},
                [](const Reader& v) {
                    return make_creature({v.count("triangles"), v("length"), v.count("seed"), v("relief")});
                }));
    shapes.push_back(
        surface("spaceship", "body, swept wings, fins and hollow engines, connected",
                {count("triangles", 20'000, 4000, most, "met within 0.5 %"), length("length", 1, "nose to engines")},
                [](const Reader& v) {
                    return make_spaceship({v.count("triangles"), v("length")});
                }));
}

void add_scenery(std::vector<CatalogueShape>& shapes) {
    shapes.push_back(surface("tunnel", "a thick tube with closed obstacles inside",
                             {length("length", 4, "along x"), length("radius", 0.5, "inner radius"),
                              length("wall", 0.1, "thickness"), count("obstacles", 6, 0, 100'000, "obstacles inside"),
                              resolution(48, 12, 10'000, "edges around"), seed()},
                             [](const Reader& v) {
                                 return make_tunnel({v("length"), v("radius"), v("wall"), v.count("obstacles"),
                                                     v.count("resolution"), v.count("seed")});
                             }));
    shapes.push_back(surface(
        "terrain", "hills over a square",
        {length("size", 10, "side of the square"), length("height", 2, "maximum height difference"),
         resolution(64, 1, 5000, "cells along a side"), seed(), count("closed", 0, 0, 1, "1: add walls and a base")},
        [](const Reader& v) {
            return make_terrain({v("size"), v("height"), v.count("resolution"), v.count("seed"), v("closed") != 0});
        },
        [](const ShapeValues& v) { return v.find("closed")->second != 0; }));
    shapes.push_back(surface(
        "cloth", "a flat sheet",
        {length("width", 1, "along x"), length("depth", 1, "along y"),
         resolution(32, 1, 7000, "cells along each side")},
        [](const Reader& v) {
            const std::size_t n = v.count("resolution");
            return make_cloth({{v("width"), v("depth")}, {n, n}});
        },
        [](const ShapeValues&) { return false; }));
}

void add_volumes(std::vector<CatalogueShape>& shapes) {
    std::vector<ShapeParameter> parameters = box_parameters(4, 250);
    parameters.push_back(count("five", 0, 0, 1, "1: five tetrahedra per cell instead of six"));
    shapes.push_back(volume("tet_box", "a box of tetrahedra", std::move(parameters), [](const Reader& v) {
        return make_tet_box({v.sides(), v.cells(), v("five") != 0});
    }));
    shapes.push_back(volume("tet_ball", "a ball of tetrahedra",
                            {length("radius", 0.5, "radius"), resolution(6, 1, 170, "layers around the centre")},
                            [](const Reader& v) {
                                return make_tet_ball({v("radius"), v.count("resolution")});
                            }));
    shapes.push_back(volume("tet_ellipsoid", "an ellipsoid of tetrahedra",
                            {length("width", 1, "along x"), length("depth", 0.6, "along y"),
                             length("height", 0.6, "along z"), resolution(6, 1, 170, "layers around the centre")},
                            [](const Reader& v) {
                                TetMesh mesh = make_tet_ball({1, v.count("resolution")});
                                for (Vec3& p : mesh.vertices) p = 0.5 * v.sides().cwiseProduct(p);
                                return mesh;
                            }));
    shapes.push_back(volume(
        "tet_torus", "a ring of tetrahedra",
        {length("radius", 0.35, "from the axis to the centre of the tube"), length("tube", 0.15, "radius of the tube"),
         resolution(3, 1, 170, "rings of the tube's disc; layers in proportion")},
        [](const Reader& v) {
            const double ring = v("tube") / v("resolution");
            const double layers = std::clamp(std::floor(2 * std::numbers::pi * v("radius") / ring + 0.5), 6.0, 1e9);
            return make_tet_torus({v("radius"), v("tube"), v.count("resolution"), static_cast<std::size_t>(layers)});
        }));
    shapes.push_back(volume("tet_cylinder", "a cylinder of tetrahedra",
                            {length("radius", 0.3, "radius"), length("height", 1, "along z"),
                             resolution(4, 1, 170, "rings of the disc; layers in proportion")},
                            [](const Reader& v) {
                                const double ring = v("radius") / v("resolution");
                                const double layers = std::clamp(std::floor(v("height") / ring + 0.5), 1.0, 1e9);
                                return make_tet_cylinder({v("radius"), v("height"), v.count("resolution"),
                                                          static_cast<std::size_t>(layers)});
                            }));
}

std::vector<CatalogueShape> all_shapes() {
    std::vector<CatalogueShape> shapes;
    add_solids(shapes);
    add_turned(shapes);
    add_organic(shapes);
    add_scenery(shapes);
    add_volumes(shapes);
    std::sort(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return shapes;
}

// "a, b, c"
template <class Items>
std::string names_of(const Items& items) {
    std::string text;
    for (const auto& item : items) text += fmt::format("{}{}", text.empty() ? "" : ", ", item.name);
    return text;
}

} // namespace

std::span<const CatalogueShape> shape_catalogue() {
    static const std::vector<CatalogueShape> shapes = all_shapes();
    return shapes;
}

const CatalogueShape& find_shape(std::string_view name) {
    for (const CatalogueShape& shape : shape_catalogue())
        if (shape.name == name) return shape;
    throw Error(Cause::invalid_argument,
                fmt::format("unknown shape '{}'; available shapes: {}", name, names_of(shape_catalogue())),
                {.element = "shape"});
}

ShapeValues completed(const CatalogueShape& shape, const ShapeValues& given) {
    ShapeValues values;
    for (const ShapeParameter& p : shape.parameters) values[p.name] = p.fallback;
    for (const auto& entry : given) {
        const std::string& name = entry.first;
        const double value = entry.second;
        const auto p = std::find_if(shape.parameters.begin(), shape.parameters.end(),
                                    [&](const ShapeParameter& q) { return q.name == name; });
        const auto refuse = [&](std::string reason) {
            throw Error(Cause::invalid_argument, std::move(reason), {.element = fmt::format("parameter {}", name)});
        };
        if (p == shape.parameters.end())
            refuse(fmt::format("shape '{}' has no such parameter; its parameters: {}", shape.name,
                               names_of(shape.parameters)));
        if (!(value >= p->minimum && value <= p->maximum))
            refuse(fmt::format("{} is outside [{}, {}]{}{}", value, p->minimum, p->maximum, p->unit.empty() ? "" : " ",
                               p->unit));
        if (p->whole && value != std::floor(value)) refuse(fmt::format("{} is not an integer", value));
        values[name] = value;
    }
    return values;
}

ShapeMesh make_shape(std::string_view name, const ShapeValues& values) {
    const CatalogueShape& shape = find_shape(name);
    return shape.build(completed(shape, values));
}

} // namespace fathom
