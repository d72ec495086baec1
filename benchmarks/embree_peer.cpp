// Benchmarks: the only file that knows Embree.
#include <benchmarks/embree_peer.h>

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace fathom::bench {

struct EmbreeScene::State {
    RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
    RTCScene scene = rtcNewScene(device);
    RTCScene all = rtcNewScene(device); // the same with a filter, which would slow the first hit
    std::vector<Vec3f> vertices;
    std::vector<Triangle> triangles;

    ~State() {
        rtcReleaseScene(scene);
        rtcReleaseScene(all);
        rtcReleaseDevice(device);
    }
};

namespace {

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

struct Query {
    const std::vector<Vec3f>& vertices;
    const std::vector<Triangle>& triangles;
    Vec3f point;
    float best;
};

bool test_triangle(RTCPointQueryFunctionArguments* arguments) {
    auto* query = static_cast<Query*>(arguments->userPtr);
    const Triangle& t = query->triangles[arguments->primID];
    const float squared =
        squared_distance(query->point, query->vertices[t[0]], query->vertices[t[1]], query->vertices[t[2]]);
    if (!(squared < query->best)) return false;
    query->best = squared;
    arguments->query->radius = std::sqrt(squared);
    return true;
}

RTCRayHit as_ray(const Segment& segment) {
    const Vec3f origin = segment.start.cast<float>(), direction = (segment.end - segment.start).cast<float>();
    RTCRayHit hit{};
    hit.ray.org_x = origin.x(), hit.ray.org_y = origin.y(), hit.ray.org_z = origin.z();
    hit.ray.dir_x = direction.x(), hit.ray.dir_y = direction.y(), hit.ray.dir_z = direction.z();
    hit.ray.tfar = 1;
    hit.ray.mask = ~0u;
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    return hit;
}

struct Crossing {
    float time;
    unsigned triangle;
};

struct Collector {
    RTCIntersectContext context; // first: the filter gets a pointer to it
    std::vector<Crossing> crossings;
};

// Takes note of the hit and lets the ray pass on.
void collect(const RTCFilterFunctionNArguments* arguments) {
    auto* collector = reinterpret_cast<Collector*>(arguments->context);
    if (arguments->valid[0] != -1) return;
    collector->crossings.push_back({RTCRayN_tfar(arguments->ray, 1, 0), RTCHitN_primID(arguments->hit, 1, 0)});
    arguments->valid[0] = 0;
}

} // namespace

EmbreeScene::EmbreeScene(const TriangleMesh& mesh) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.triangles = mesh.triangles;
    for (const Vec3& v : mesh.vertices) s.vertices.push_back(v.cast<float>());
    const auto fill = [&](RTCScene scene, RTCFilterFunctionN filter) {
        RTCGeometry geometry = rtcNewGeometry(s.device, RTC_GEOMETRY_TYPE_TRIANGLE);
        void* points =
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, s.vertices.size());
        std::memcpy(points, s.vertices.data(), s.vertices.size() * 12);
        void* corners =
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, s.triangles.size());
        std::memcpy(corners, s.triangles.data(), s.triangles.size() * 12);
        if (filter) rtcSetGeometryIntersectFilterFunction(geometry, filter);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
    };
    fill(s.scene, nullptr);
    fill(s.all, collect);
}

EmbreeScene::~EmbreeScene() = default;

double EmbreeScene::closest(const Vec3& point, double radius) const {
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    Query state{state_->vertices, state_->triangles, point.cast<float>(), std::numeric_limits<float>::infinity()};
    RTCPointQuery query{state.point.x(), state.point.y(), state.point.z(), 0.0f, static_cast<float>(radius)};
    rtcPointQuery(state_->scene, &query, &context, test_triangle, &state);
    return std::sqrt(static_cast<double>(state.best));
}

double EmbreeScene::first_hit(const Ray& ray) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    const Vec3f origin = ray.origin.cast<float>(), direction = ray.direction.cast<float>();
    RTCRayHit hit{};
    hit.ray.org_x = origin.x(), hit.ray.org_y = origin.y(), hit.ray.org_z = origin.z();
    hit.ray.dir_x = direction.x(), hit.ray.dir_y = direction.y(), hit.ray.dir_z = direction.z();
    hit.ray.tfar = std::numeric_limits<float>::infinity();
    hit.ray.mask = ~0u;
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(state_->scene, &context, &hit);
    const bool found = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    return found ? static_cast<double>(hit.ray.tfar) : std::numeric_limits<double>::infinity();
}

void EmbreeScene::first_hits(std::span<const Segment> segments, std::span<double> out) const {
    for (std::size_t k = 0; k < segments.size(); ++k) {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        RTCRayHit hit = as_ray(segments[k]);
        rtcIntersect1(state_->scene, &context, &hit);
        const bool found = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        out[k] = found ? static_cast<double>(hit.ray.tfar) : std::numeric_limits<double>::infinity();
    }
}

std::size_t EmbreeScene::all_hits(std::span<const Segment> segments, std::vector<float>& out) const {
    Collector collector;
    rtcInitIntersectContext(&collector.context);
    std::size_t total = 0;
    for (const Segment& segment : segments) {
        collector.crossings.clear();
        RTCRayHit hit = as_ray(segment);
        rtcIntersect1(state_->all, &collector.context, &hit);
        auto& list = collector.crossings;
        std::sort(list.begin(), list.end(), [](const Crossing& a, const Crossing& b) {
            return a.time != b.time ? a.time < b.time : a.triangle < b.triangle;
        });
        list.erase(std::unique(list.begin(), list.end(),
                               [](const Crossing& a, const Crossing& b) { return a.triangle == b.triangle; }),
                   list.end());
        out.clear();
        for (const Crossing& c : list) out.push_back(c.time);
        total += out.size();
    }
    return total;
}

} // namespace fathom::bench
