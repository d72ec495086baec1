// A z-buffer renderer for meshes, points and segments.
#include <fathom/show/mesh_picture.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

constexpr int supersampling = 2;

// Transform from world to image coordinates: x right, y down (pixels), z towards the viewer (m).
struct Camera {
    Mat3 rotation;
    double scale = 1;
    Vec3 shift = Vec3::Zero();

    [[nodiscard]] Vec3 operator()(const Vec3& p) const {
        const Vec3 v = rotation * p;
        return {v.x() * scale + shift.x(), -v.y() * scale + shift.y(), v.z()};
    }
};

Camera camera_for(std::span<const PlacedMesh> meshes, const View& view, int width, int height) {
    const double ca = std::cos(view.azimuth), sa = std::sin(view.azimuth);
    const double ce = std::cos(view.elevation), se = std::sin(view.elevation);
    Camera camera;
    camera.rotation.row(0) = Vec3(-sa, ca, 0);
    camera.rotation.row(1) = Vec3(-se * ca, -se * sa, ce);
    camera.rotation.row(2) = Vec3(ce * ca, ce * sa, se);
    Box seen;
    if (view.frame.empty()) {
        for (const PlacedMesh& placed : meshes)
            for (const Vec3& p : placed.mesh->vertices) seen.extend(Vec3(camera.rotation * (placed.pose * p)));
    } else {
        for (const Vec3& p : view.frame) seen.extend(Vec3(camera.rotation * p));
    }
    if (seen.empty()) return camera;
    const double room = 1 - 2 * view.margin;
    const Vec3 size = seen.size().cwiseMax(1e-300);
    camera.scale = std::min(width * room / size.x(), height * room / size.y());
    const Vec3 center = seen.center();
    camera.shift = {0.5 * width - center.x() * camera.scale, 0.5 * height + center.y() * camera.scale, 0};
    return camera;
}

// Corner normals of every triangle, averaged over the neighbours whose dihedral turn is below the crease angle.
std::vector<std::array<Vec3, 3>> corner_normals(const TriangleMesh& mesh, double crease) {
    const std::size_t count = mesh.triangles.size();
    std::vector<Vec3> face(count);
    std::vector<std::vector<Index>> around(mesh.vertices.size());
    for (std::size_t t = 0; t < count; ++t) {
        face[t] = area_vector(mesh.corners(t));
        for (const Index v : mesh.triangles[t]) around[v].push_back(static_cast<Index>(t));
    }
    const double min_cosine = std::cos(crease);
    std::vector<std::array<Vec3, 3>> normals(count);
    for (std::size_t t = 0; t < count; ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            Vec3 sum = Vec3::Zero();
            for (const Index other : around[mesh.triangles[t][k]])
                if (face[other].dot(face[t]) >= min_cosine * face[other].norm() * face[t].norm()) sum += face[other];
            normals[t][k] = sum.normalized();
        }
    return normals;
}

class Canvas {
public:
    Canvas(const View& view, const Camera& camera)
        : view_(view), camera_(camera),
          image_(view.width * supersampling, view.height * supersampling, view.background),
          depth_(image_.pixels.size(), -std::numeric_limits<double>::infinity()) {}

    void mesh(const PlacedMesh& placed) {
        const auto normals = corner_normals(*placed.mesh, view_.crease);
        for (std::size_t t = 0; t < placed.mesh->triangles.size(); ++t) {
            std::array<Vec3, 3> corners = placed.mesh->corners(t), turned;
            for (std::size_t k = 0; k < 3; ++k) {
                corners[k] = placed.pose * corners[k];
                turned[k] = placed.pose.rotate(normals[t][k]);
            }
            triangle(corners, turned, placed.color);
        }
    }

    void triangle(const std::array<Vec3, 3>& corners, const std::array<Vec3, 3>& normals, const Color& color) {
        const Vec3 a = camera_(corners[0]), b = camera_(corners[1]), c = camera_(corners[2]);
        const double area = cross(a, b, c);
        if (area == 0 || !std::isfinite(area)) return;
        const bool front = area < 0; // y points down, so counter-clockwise triangles have negative area
        const auto [left, right] =
            pixels(std::min({a.x(), b.x(), c.x()}), std::max({a.x(), b.x(), c.x()}), image_.width);
        const auto [top, bottom] =
            pixels(std::min({a.y(), b.y(), c.y()}), std::max({a.y(), b.y(), c.y()}), image_.height);
        for (int y = top; y <= bottom; ++y)
            for (int x = left; x <= right; ++x) {
                const Vec3 p(x + 0.5, y + 0.5, 0);
                const double u = cross(p, b, c) / area, v = cross(a, p, c) / area, w = 1 - u - v;
                if (u < 0 || v < 0 || w < 0) continue;
                const Vec3 normal = u * normals[0] + v * normals[1] + w * normals[2];
                plot(x, y, u * a.z() + v * b.z() + w * c.z(), shade(normal, front ? color : view_.back, front));
            }
    }

    // A disc slightly in front of its point, so that marks on the surface are visible.
    void point(const Vec3& world) {
        const Vec3 p = camera_(world);
        const double radius = view_.mark_size * supersampling;
        const auto [left, right] = pixels(p.x() - radius, p.x() + radius, image_.width);
        const auto [top, bottom] = pixels(p.y() - radius, p.y() + radius, image_.height);
        for (int y = top; y <= bottom; ++y)
            for (int x = left; x <= right; ++x)
                if (std::hypot(x + 0.5 - p.x(), y + 0.5 - p.y()) <= radius)
                    plot(x, y, p.z() + 2 * radius / camera_.scale, view_.mark);
    }

    void dot(const Vec3& world, const Color& color) {
        const Vec3 p = camera_(world);
        const auto inside = [](double at, int size) { return at >= 0 && at < size; };
        if (!inside(p.x(), image_.width) || !inside(p.y(), image_.height)) return;
        const int x = static_cast<int>(p.x()) / supersampling * supersampling,
                  y = static_cast<int>(p.y()) / supersampling * supersampling;
        for (int k = 0; k < supersampling * supersampling; ++k)
            plot(x + k % supersampling, y + k / supersampling, p.z(), color);
    }

    void segment(const std::array<Vec3, 2>& ends) {
        const double length = (camera_(ends[1]) - camera_(ends[0])).head<2>().norm();
        const int steps = static_cast<int>(std::clamp(length, 1.0, 4.0 * image_.width));
        for (int i = 0; i <= steps; ++i) point(ends[0] + (ends[1] - ends[0]) * (static_cast<double>(i) / steps));
    }

    [[nodiscard]] Image finish() const { return shrunk(image_, supersampling); }

private:
    static double cross(const Vec3& a, const Vec3& b, const Vec3& c) {
        return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
    }

    // The pixels of the image whose centres may lie in [low, high].
    static std::array<int, 2> pixels(double low, double high, int size) {
        return {static_cast<int>(std::clamp(std::floor(low), 0.0, size - 1.0)),
                static_cast<int>(std::clamp(std::ceil(high), 0.0, size - 1.0))};
    }

    [[nodiscard]] Color shade(const Vec3& normal, const Color& base, bool front) const {
        const Vec3 seen = camera_.rotation * normal.normalized() * (front ? 1.0 : -1.0);
        const Vec3 key = Vec3(-0.45, 0.65, 0.61).normalized(), fill = Vec3(0.7, 0.1, 0.7).normalized();
        const double light = 0.28 + 0.62 * std::max(0.0, seen.dot(key)) + 0.22 * std::max(0.0, seen.dot(fill));
        Color color;
        for (std::size_t c = 0; c < 3; ++c)
            color[c] = static_cast<std::uint8_t>(std::clamp(base[c] * light, 0.0, 255.0));
        return color;
    }

    void plot(int x, int y, double z, const Color& color) {
        const auto at =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) + static_cast<std::size_t>(x);
        if (z <= depth_[at]) return;
        depth_[at] = z;
        image_.pixels[at] = color;
    }

    const View& view_;
    const Camera& camera_;
    Image image_;
    std::vector<double> depth_;
};

} // namespace

Image draw(std::span<const PlacedMesh> meshes, const View& view, const Marks& marks) {
    const Camera camera = camera_for(meshes, view, view.width * supersampling, view.height * supersampling);
    Canvas canvas(view, camera);
    for (const PlacedMesh& placed : meshes) canvas.mesh(placed);
    for (std::size_t k = 0; k < marks.dots.size() && !marks.dot_colors.empty(); ++k)
        canvas.dot(marks.dots[k].cast<double>(), marks.dot_colors[std::min(k, marks.dot_colors.size() - 1)]);
    for (const Vec3& p : marks.points) canvas.point(p);
    for (const auto& s : marks.segments) canvas.segment(s);
    return canvas.finish();
}

Image draw(const TriangleMesh& mesh, const View& view, const Marks& marks) {
    const PlacedMesh placed{&mesh, {}, view.surface};
    return draw(std::span(&placed, 1), view, marks);
}

} // namespace fathom
