// Nearest triangles and first hits of SurfaceTree beside Embree's rtcPointQuery and rtcIntersect1: one thread, thread CPU
// time, rounds of both interleaved, best round of each. The error column is against brute force in double on a sample.
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/surface_tree.h>

#include <embree3/rtcore.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace {

using namespace fathom;

struct Row {
    std::string table, id, work, unit;
    double ours;
    std::string peer;
    double peer_value, ratio, error, memory;
};

void print(const Row& r) {
    std::printf("%-10s %-28s %-44s %8.4f %s  %-26s %8.4f  ratio %6.2f  error %.2e  %.1f MB\n", r.table.c_str(), r.id.c_str(),
                r.work.c_str(), r.ours, r.unit.c_str(), r.peer.c_str(), r.peer_value, r.ratio, r.error, r.memory);
    std::fflush(stdout);
}

double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Times {
    double ours, peer; // best of the rounds, microseconds an element
};

template <class Ours, class Peer>
Times race(std::size_t count, int rounds, Ours&& ours, Peer&& peer) {
    Times best{1e300, 1e300};
    for (int k = 0; k < rounds; ++k) {
        const double start = cpu_seconds();
        ours();
        const double middle = cpu_seconds();
        peer();
        const double end = cpu_seconds();
        best.ours = std::min(best.ours, (middle - start) * 1e6 / static_cast<double>(count));
        best.peer = std::min(best.peer, (end - middle) * 1e6 / static_cast<double>(count));
    }
    return best;
}

// --- Embree -------------------------------------------------------------------------------------------------------------

struct PeerScene {
    RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
    RTCScene scene = rtcNewScene(device);
    std::vector<Vec3f> vertices;
    std::vector<Triangle> triangles;
    double build_seconds = 0;

    explicit PeerScene(const TriangleMesh& mesh) : triangles(mesh.triangles) {
        for (const Vec3& v : mesh.vertices) vertices.push_back(v.cast<float>());
        const double start = cpu_seconds();
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        void* points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, vertices.size());
        std::memcpy(points, vertices.data(), vertices.size() * 12);
        void* corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, triangles.size());
        std::memcpy(corners, triangles.data(), triangles.size() * 12);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        build_seconds = cpu_seconds() - start;
    }
    ~PeerScene() {
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }
};

// Regions of Ericson 2005, in float: what a careful user of rtcPointQuery writes.
float squared_distance(const Vec3f& p, const Vec3f& a, const Vec3f& b, const Vec3f& c) {
    const Vec3f ab = b - a, ac = c - a, ap = p - a;
    const float d1 = ab.dot(ap), d2 = ac.dot(ap);
    if (d1 <= 0 && d2 <= 0) return ap.squaredNorm();
    const Vec3f bp = p - b;
    const float d3 = ab.dot(bp), d4 = ac.dot(bp);
    if (d3 >= 0 && d4 <= d3) return bp.squaredNorm();
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return (ap - d1 / (d1 - d3) * ab).squaredNorm();
    const Vec3f cp = p - c;
    const float d5 = ab.dot(cp), d6 = ac.dot(cp);
    if (d6 >= 0 && d5 <= d6) return cp.squaredNorm();
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return (ap - d2 / (d2 - d6) * ac).squaredNorm();
    const float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return (bp - (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b)).squaredNorm();
    const float inverse = 1 / (va + vb + vc);
    return (ap - vb * inverse * ab - vc * inverse * ac).squaredNorm();
}

struct PeerQuery {
    const PeerScene* scene;
    Vec3f point;
    float best;
    unsigned triangle;
};

bool peer_triangle(RTCPointQueryFunctionArguments* arguments) {
    auto* query = static_cast<PeerQuery*>(arguments->userPtr);
    const Triangle& t = query->scene->triangles[arguments->primID];
    const auto& v = query->scene->vertices;
    const float squared = squared_distance(query->point, v[t[0]], v[t[1]], v[t[2]]);
    if (!(squared < query->best)) return false;
    query->best = squared;
    query->triangle = arguments->primID;
    arguments->query->radius = std::sqrt(squared);
    return true;
}

double peer_closest(const PeerScene& peer, const Vec3& point, float radius) {
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    PeerQuery state{&peer, point.cast<float>(), std::numeric_limits<float>::infinity(), ~0u};
    RTCPointQuery query{state.point.x(), state.point.y(), state.point.z(), 0.0f, radius};
    rtcPointQuery(peer.scene, &query, &context, peer_triangle, &state);
    return std::sqrt(static_cast<double>(state.best));
}

float peer_first_hit(const PeerScene& peer, const Ray& ray) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit hit{};
    hit.ray.org_x = static_cast<float>(ray.origin.x());
    hit.ray.org_y = static_cast<float>(ray.origin.y());
    hit.ray.org_z = static_cast<float>(ray.origin.z());
    hit.ray.dir_x = static_cast<float>(ray.direction.x());
    hit.ray.dir_y = static_cast<float>(ray.direction.y());
    hit.ray.dir_z = static_cast<float>(ray.direction.z());
    hit.ray.tfar = std::numeric_limits<float>::infinity();
    hit.ray.mask = ~0u;
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(peer.scene, &context, &hit);
    return hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? std::numeric_limits<float>::infinity() : hit.ray.tfar;
}

// --- Work ---------------------------------------------------------------------------------------------------------------

struct Setup {
    std::string name;
    const TriangleMesh& mesh;
    const SurfaceTree& tree;
    const PeerScene& peer;
    Box box;
};

double brute_distance(const TriangleMesh& mesh, const Vec3& p) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
        const auto c = mesh.corners(k);
        for (std::size_t e = 0; e < 3; ++e) {
            const Segment edge{c[e], c[(e + 1) % 3]};
            best = std::min(best, (p - edge.at(edge.closest_fraction(p))).squaredNorm());
        }
        const Vec3 n = area_vector(c);
        const double whole = n.squaredNorm();
        const double v = n.dot((p - c[0]).cross(c[2] - c[0])), w = n.dot((c[1] - c[0]).cross(p - c[0]));
        if (v > 0 && w > 0 && v + w < whole) best = std::min(best, std::pow(n.dot(p - c[0]), 2) / whole);
    }
    return std::sqrt(best);
}

void nearest_rows(const Setup& s, const std::string& kind, const std::vector<Vec3>& points, bool seeded, int rounds) {
    std::vector<ClosestPoint> ours(points.size());
    std::vector<double> peer(points.size());
    const double slack = 1 + 1e-4;
    const auto run_ours = [&] {
        if (!seeded) return s.tree.closest(points, ours);
        ClosestPoint last = s.tree.closest(points[0]);
        for (std::size_t k = 0; k < points.size(); ++k) {
            const double radius = std::sqrt(last.squared_distance) + (points[k] - points[k ? k - 1 : 0]).norm();
            ours[k] = last = s.tree.closest(points[k], radius * slack);
        }
    };
    const auto run_peer = [&] {
        double last = peer_closest(s.peer, points[0], std::numeric_limits<float>::infinity());
        for (std::size_t k = 0; k < points.size(); ++k) {
            const double radius = last + (points[k] - points[k ? k - 1 : 0]).norm();
            const double limit = seeded ? radius * slack : std::numeric_limits<double>::infinity();
            peer[k] = last = peer_closest(s.peer, points[k], static_cast<float>(limit));
        }
    };
    const Times t = race(points.size(), rounds, run_ours, run_peer);
    double error = 0, peer_error = 0;
    for (std::size_t k = 0; k < points.size(); k += points.size() / 50) {
        const double truth = brute_distance(s.mesh, points[k]);
        error = std::max(error, std::abs(std::sqrt(ours[k].squared_distance) - truth));
        peer_error = std::max(peer_error, std::abs(peer[k] - truth));
    }
    print({"index", "nearest-" + kind, s.name + (seeded ? ", radius from the last point" : ", no radius given"), "us", t.ours,
           "Embree rtcPointQuery", t.peer, t.peer / t.ours, error, static_cast<double>(s.tree.memory_bytes()) / 1e6});
    std::printf("             (Embree's own error %.2e)\n", peer_error);
}

void ray_rows(const Setup& s, const std::string& kind, const std::vector<Ray>& rays, int rounds) {
    std::vector<SurfaceHit> ours(rays.size());
    std::vector<float> peer(rays.size());
    const Times t = race(rays.size(), rounds, [&] { s.tree.first_hits(rays, ours); }, [&] {
        for (std::size_t k = 0; k < rays.size(); ++k) peer[k] = peer_first_hit(s.peer, rays[k]);
    });
    double error = 0;
    std::size_t disagree = 0, hits = 0;
    for (std::size_t k = 0; k < rays.size(); ++k) {
        hits += ours[k].found();
        if (ours[k].found() != (peer[k] < std::numeric_limits<float>::infinity())) ++disagree;
        else if (ours[k].found()) error = std::max(error, std::abs(ours[k].t - static_cast<double>(peer[k])));
    }
    print({"index", "first-hit-" + kind, s.name, "us", t.ours, "Embree rtcIntersect1", t.peer, t.peer / t.ours, error,
           static_cast<double>(s.tree.memory_bytes()) / 1e6});
    std::printf("             (%zu rays, %zu hit, %zu disagree with Embree; error column: against Embree)\n", rays.size(), hits,
                disagree);
}

std::vector<Vec3> random_points(const Box& box, std::size_t count) {
    Random random(12345);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random.in_box(box);
    return points;
}

std::vector<Vec3> grid_points(const Box& box, int n) {
    std::vector<Vec3> points;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x)
                points.push_back(box.lower + Vec3((x + 0.5) / n, (y + 0.5) / n, (z + 0.5) / n).cwiseProduct(box.size()));
    return points;
}

std::vector<Vec3> surface_points(const TriangleMesh& mesh, const Box& box, std::size_t count) {
    Random random(777);
    std::vector<Vec3> points(count);
    for (Vec3& p : points)
        p = mesh.vertices[random.below(mesh.vertices.size())] + 0.01 * box.diagonal() * random.in_ball();
    return points;
}

std::vector<Ray> random_rays(const Box& box, std::size_t count) {
    Random random(4242);
    std::vector<Ray> rays(count);
    for (Ray& ray : rays) ray = {random.in_box(box), random.direction()};
    return rays;
}

// A camera in front of the box, row by row.
std::vector<Ray> camera_rays(const Box& box, int n) {
    std::vector<Ray> rays;
    const Vec3 eye = box.center() + Vec3(0.3, 0.4, 2.5).cwiseProduct(box.size());
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const Vec3 target = box.lower + Vec3((x + 0.5) / n, (y + 0.5) / n, 0.5).cwiseProduct(box.size());
            rays.push_back({eye, (target - eye).normalized()});
        }
    return rays;
}

// --- Meshes -------------------------------------------------------------------------------------------------------------

// Enough of OBJ for the meshes of this bench: v and triangular f.
TriangleMesh read_obj(const std::string& path) {
    TriangleMesh mesh;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "v") {
            Vec3 v;
            words >> v.x() >> v.y() >> v.z();
            mesh.vertices.push_back(v);
        } else if (kind == "f") {
            Triangle t{};
            for (Index& k : t) {
                std::string word;
                words >> word;
                k = static_cast<Index>(std::stoul(word) - 1);
            }
            mesh.triangles.push_back(t);
        }
    }
    return mesh;
}

// ASCII PLY with x, y, z first and triangles.
TriangleMesh read_ascii_ply(const std::string& path) {
    TriangleMesh mesh;
    std::ifstream file(path);
    std::string line;
    std::size_t vertices = 0, faces = 0;
    while (std::getline(file, line) && line.rfind("end_header", 0) != 0) {
        std::istringstream words(line);
        std::string a, b;
        std::size_t count = 0;
        if (words >> a >> b >> count && a == "element") (b == "vertex" ? vertices : faces) = count;
    }
    for (std::size_t k = 0; k < vertices && std::getline(file, line); ++k) {
        Vec3 v;
        std::istringstream(line) >> v.x() >> v.y() >> v.z();
        mesh.vertices.push_back(v);
    }
    for (std::size_t k = 0; k < faces && std::getline(file, line); ++k) {
        int corners = 0;
        Triangle t{};
        std::istringstream(line) >> corners >> t[0] >> t[1] >> t[2];
        mesh.triangles.push_back(t);
    }
    return mesh;
}

} // namespace

void bench_surface_tree(const std::string& name, const TriangleMesh& mesh, std::size_t count, int rounds) {
    set_thread_count(1);
    const double start = cpu_seconds();
    const SurfaceTree tree(mesh);
    const double seconds = cpu_seconds() - start;
    const PeerScene peer(mesh);
    const Box bounds = fathom::bounds(mesh.vertices);
    const Setup s{name, mesh, tree, peer, Box::around(bounds.center(), 0.6 * bounds.size())};
    std::printf("%s: %zu triangles, %zu leaves, %zu nodes, %zu levels\n", name.c_str(), mesh.triangles.size(),
                tree.tree().leaf_count(), tree.tree().nodes().size(), tree.tree().level_count());
    print({"index", "build", name, "s", seconds, "Embree medium", peer.build_seconds, peer.build_seconds / seconds, 0,
           static_cast<double>(tree.memory_bytes()) / 1e6});
    nearest_rows(s, "random", random_points(s.box, count), false, rounds);
    nearest_rows(s, "surface", surface_points(mesh, s.box, count), false, rounds);
    nearest_rows(s, "grid", grid_points(s.box, 40), false, rounds);
    nearest_rows(s, "grid", grid_points(s.box, 40), true, rounds);
    ray_rows(s, "random", random_rays(s.box, 2 * count), rounds);
    ray_rows(s, "camera", camera_rays(s.box, 300), rounds);
    set_thread_count(0);
}

int main(int argc, char** argv) {
    const std::size_t count = 50000;
    for (int k = 1; k < argc; ++k) {
        const std::string path = argv[k];
        const bool ply = path.size() > 4 && path.compare(path.size() - 4, 4, ".ply") == 0;
        bench_surface_tree(path.substr(path.find_last_of('/') + 1), ply ? read_ascii_ply(path) : read_obj(path), count, 4);
    }
}
