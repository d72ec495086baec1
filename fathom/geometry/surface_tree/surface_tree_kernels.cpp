// SIMD kernels of SurfaceTree: eight triangles per step in float, then the remaining candidates in double.
#include <fathom/geometry/surface_tree/surface_tree_kernels.h>

#include <optional>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/geometry/surface_tree/surface_tree_kernels.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/vec3_lanes-inl.h>
#include <hwy/cache_control.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

HWY_INLINE Floats dot3(const Vec3Lanes& a, const Vec3Lanes& b) {
    return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}
HWY_INLINE Vec3Lanes cross3(const Vec3Lanes& a, const Vec3Lanes& b) {
    return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
            hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}

// v - t e|^2 for the best t in [0, 1], given v.e and e.e.
HWY_INLINE Floats edge_distance(const Vec3Lanes& v, const Vec3Lanes& e, Floats ve, Floats ee) {
    const Lanes8 d;
    // An edge of length 0: v.e is zero too, or the point moves by less than the edge.
    const Floats t = hn::Min(hn::Max(hn::Div(ve, hn::Max(ee, hn::Set(d, 1e-37f))), hn::Zero(d)), hn::Set(d, 1.0f));
    const Vec3Lanes r = {hn::NegMulAdd(t, e.x, v.x), hn::NegMulAdd(t, e.y, v.y), hn::NegMulAdd(t, e.z, v.z)};
    return dot3(r, r);
}

// Squared distances of a point to the triangles of a pack, within distance_error.
HWY_INLINE Floats squared_distances(const TrianglePack& pack, const Vec3Lanes& point, int lane) {
    const Vec3Lanes v = sub3(point, load3(pack.corner, lane));
    const Vec3Lanes e1 = load3(pack.edge_1, lane), e2 = load3(pack.edge_2, lane), e3 = sub3(e2, e1);
    const Floats ve1 = dot3(v, e1), ve2 = dot3(v, e2);
    const Floats e11 = dot3(e1, e1), e12 = dot3(e1, e2), e22 = dot3(e2, e2), e33 = dot3(e3, e3);
    const Vec3Lanes normal = cross3(e1, e2);
    const Floats whole = dot3(normal, normal), height = dot3(v, normal);
    const Floats first = hn::MulSub(e22, ve1, hn::Mul(e12, ve2));
    const Floats second = hn::MulSub(e11, ve2, hn::Mul(e12, ve1));
    const auto inside = hn::And(hn::And(hn::Gt(first, hn::Zero(Lanes8())), hn::Gt(second, hn::Zero(Lanes8()))),
                                hn::Lt(hn::Add(first, second), whole));
    const Vec3Lanes w = sub3(v, e1);
    const Floats border = hn::Min(hn::Min(edge_distance(v, e1, ve1, e11), edge_distance(v, e2, ve2, e22)),
                                  edge_distance(w, e3, dot3(w, e3), e33));
    return hn::IfThenElse(inside, hn::Div(hn::Mul(height, height), whole), border);
}

// Keeps an upper bound on the distance, and the few triangles that may be within it, which are decided in double at the
// end.
class ClosestLeaf {
public:
    // `known` is a bound on the distance that the caller already has.
    HWY_ATTR ClosestLeaf(const SurfaceView& surface, const Vec3& point, double max_distance, double known)
        : surface_(surface), point_(point), max_squared_(max_distance * max_distance) {
        const Vec3 local = surface.tree.frame().to_local(point);
        for (int axis = 0; axis < 3; ++axis)
            local_[axis] = static_cast<float>(std::clamp(local[axis], -0x1p60, 0x1p60));
        error_ = static_cast<float>(std::min(distance_error(local), 0x1p60));
        const double bound = std::min(max_distance, known) * surface.tree.frame().scale;
        set_bound(static_cast<float>(std::min(bound, 0x1p62)) * (1 + 0x1p-20f));
    }

    HWY_ATTR float limit() const { return limit_; }

    HWY_ATTR void operator()(std::uint32_t leaf) {
        const Lanes8 d;
        const TrianglePack& pack = surface_.packs[leaf];
        const float error = error_ * pack.condition;
        const Vec3Lanes point = set3(local_);
        alignas(64) float squared[8];
        std::uint32_t found = 0;
        Floats nearest = hn::Set(d, FLT_MAX);
        for (int lane = 0; lane < 8; lane += lane_step()) {
            const Floats distance = squared_distances(pack, point, lane);
            hn::Store(distance, d, squared + lane);
            const auto used = hn::Le(distance, hn::Set(d, FLT_MAX)); // unused lanes are NaN
            nearest = hn::Min(nearest, hn::IfThenElse(used, distance, hn::Set(d, FLT_MAX)));
            found |= mask_bits(hn::Le(distance, hn::Set(d, reach_squared(error))), lane);
        }
        if (found) keep(pack, squared, found, error, hn::GetLane(hn::MinOfLanes(d, nearest)));
    }

    // The closest of the remaining candidates.
    HWY_ATTR void finish(ClosestPoint& out) {
        decide();
        if (best_triangle_ == no_index || best_squared_ > max_squared_) return;
        const ClosestOnTriangle on = closest_point(point_, surface_.corners[best_position_]);
        out = {on.point, best_squared_, on.barycentric, best_triangle_, on.feature};
    }

private:
    static constexpr int max_waiting = 32;

    struct Candidate {
        float lower; // lower bound on its distance, in the frame
        Index position;
    };

    HWY_ATTR float reach_squared(float error) const { return (bound_ + error) * (bound_ + error) * (1 + 0x1p-20f); }

    HWY_ATTR void set_bound(float bound) {
        bound_ = bound;
        limit_ = std::min(bound * bound * (1 + 0x1p-19f) + FLT_MIN, FLT_MAX);
    }

    HWY_ATTR void keep(const TrianglePack& pack, const float* squared, std::uint32_t found, float error,
                       float nearest) {
        const float upper = std::sqrt(nearest) * (1 + 0x1p-20f) + error;
        if (upper < bound_) set_bound(upper);
        const float reach = reach_squared(error);
        for (; found; found &= found - 1) {
            const int lane = lowest_bit(found);
            if (!(squared[lane] <= reach)) continue;
            if (waiting_ == max_waiting) make_room();
            candidates_[waiting_++] = {std::sqrt(squared[lane]) * (1 - 0x1p-20f) - error,
                                       pack.first + static_cast<Index>(lane)};
        }
    }

    // Drops candidates beyond the bound; decides the rest now if too many remain.
    HWY_ATTR void make_room() {
        int kept = 0;
        for (int k = 0; k < waiting_; ++k)
            if (candidates_[k].lower <= bound_) candidates_[kept++] = candidates_[k];
        waiting_ = kept;
        if (waiting_ > max_waiting / 2) decide();
    }

    HWY_ATTR void decide() {
        for (int k = 0; k < waiting_; ++k) {
            if (!(candidates_[k].lower <= bound_)) continue;
            const Index position = candidates_[k].position, triangle = surface_.triangle(position);
            const double squared = squared_distance(point_, surface_.corners[position]);
            if (squared > best_squared_ || (squared == best_squared_ && triangle > best_triangle_)) continue;
            best_squared_ = squared;
            best_triangle_ = triangle;
            best_position_ = position;
        }
        waiting_ = 0;
    }

    const SurfaceView& surface_;
    const Vec3& point_;
    double max_squared_;
    float local_[3];
    float error_;
    float bound_; // upper bound on the distance of the closest triangle, in the frame
    float limit_; // upper bound on the squared distance of a box that may contain it
    int waiting_ = 0;
    Candidate candidates_[max_waiting];
    double best_squared_ = std::numeric_limits<double>::infinity();
    Index best_triangle_ = no_index, best_position_ = 0;
};

HWY_ATTR void closest_kernel(const SurfaceView& surface, std::span<const Vec3> points, std::span<const Index> order,
                             double max_distance, std::span<ClosestPoint> out) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double rounding = 0x1p-40 / surface.tree.frame().scale;
    double known = infinity;
    const Vec3* last = nullptr;
    for (const Index k : order) {
        const Vec3& point = points[k];
        out[k] = ClosestPoint{};
        if (!point.allFinite()) continue;
        // The distance changes by at most the movement of the point.
        if (known < infinity) known = (known + (point - *last).norm()) * (1 + 0x1p-40) + rounding;
        ClosestLeaf leaf(surface, point, max_distance, known);
        visit_near_to_far(surface.tree, LocalPoint(surface.tree.frame(), point), leaf);
        leaf.finish(out[k]);
        known = std::sqrt(out[k].squared_distance);
        last = &point;
    }
}

// Bit mask of the triangles of a pack that a ray may hit, according to the edges. Edge functions of Moeller & Trumbore;
// each is a volume spanned by the ray's direction (at most sqrt(3)), an edge, and a vector of at most sqrt(3) +
// |origin|: three subtractions, a cross and a dot product have an error below 16 u times the product of the lengths.
HWY_INLINE std::uint32_t may_hit(const TrianglePack& pack, const Vec3Lanes& origin, const Vec3Lanes& direction,
                                 float error) {
    const Lanes8 d;
    std::uint32_t found = 0;
    for (int lane = 0; lane < 8; lane += lane_step()) {
        const Vec3Lanes e1 = load3(pack.edge_1, lane), e2 = load3(pack.edge_2, lane);
        const Vec3Lanes moment = cross3(sub3(load3(pack.corner, lane), origin), direction);
        const Floats u = dot3(moment, e2), v = hn::Neg(dot3(moment, e1));
        const Floats w = hn::Sub(dot3(cross3(e1, e2), direction), hn::Add(u, v));
        const Floats above = hn::Set(d, error), below = hn::Set(d, -error);
        const auto positive = hn::And(hn::Ge(u, below), hn::And(hn::Ge(v, below), hn::Ge(w, below)));
        const auto negative = hn::And(hn::Le(u, above), hn::And(hn::Le(v, above), hn::Le(w, above)));
        found |= mask_bits(hn::Or(positive, negative), lane);
    }
    return found;
}

// Passes the triangles that float cannot exclude to `Take`: take(intersection) returns the t up to which more hits are
// wanted, negative to stop.
template <class Take>
class HitLeaf {
public:
    HWY_ATTR HitLeaf(const SurfaceView& surface, const Ray& ray, const LocalRay& local, double t_max, Take& take)
        : surface_(surface), world_(ray), local_(local), t_max_(t_max), limit_(local.limit(t_max)), take_(take) {
        double far = 0;
        for (const float x : local.origin) far = std::max(far, std::abs(static_cast<double>(x)));
        error_ = static_cast<float>(16 * 0x1p-24 * 3 * (1 + far) + 4 * local.margin);
    }

    HWY_ATTR float limit() const { return limit_; }

    HWY_ATTR void operator()(std::uint32_t leaf) {
        const TrianglePack& pack = surface_.packs[leaf];
        // The data for the decision in double is far away in memory; it is prefetched during the float computation.
        const char* const corners = reinterpret_cast<const char*>(surface_.corners.data() + pack.first);
        for (std::size_t line = 0; line < pack.count * sizeof(surface_.corners[0]); line += 64)
            hwy::Prefetch(corners + line);
        std::uint32_t found = may_hit(pack, set3(local_.origin), set3(local_.direction), error_ * pack.reach);
        for (; found && t_max_ >= 0; found &= found - 1) {
            const Index position = pack.first + static_cast<Index>(lowest_bit(found));
            if (!ray_) ray_.emplace(world_); // most rays that miss never get here
            RayIntersection result = ray_->intersect(surface_.corners[position], t_max_);
            if (!result.hit && !result.on_border) continue;
            result.where.triangle = surface_.triangle(position);
            const double t_max = take_(result);
            if (t_max < t_max_) {
                t_max_ = t_max;
                limit_ = t_max < 0 ? -1.0f : local_.limit(t_max);
            }
        }
    }

private:
    const SurfaceView& surface_;
    const Ray& world_;
    std::optional<ShearedRay> ray_;
    const LocalRay& local_;
    double t_max_;
    float limit_, error_;
    Take& take_;
};

template <class Take>
HWY_INLINE void visit_hits(const SurfaceView& surface, const Ray& ray, double t_max, Take& take) {
    const LocalRay local(surface.tree.frame(), ray);
    if (local.misses) return;
    HitLeaf<Take> leaf(surface, ray, local, t_max, take);
    visit_near_to_far(surface.tree, local, leaf);
}

struct TakeFirst {
    SurfaceHit& best;
    double t_max;
    HWY_ATTR double operator()(const RayIntersection& result) {
        if (!result.hit) return t_max;
        const bool nearer = result.where.t < best.t;
        if (nearer || (result.where.t == best.t && result.where.triangle < best.triangle)) best = result.where;
        return best.t;
    }
};

struct TakeAny {
    double t_max;
    bool found = false;
    HWY_ATTR double operator()(const RayIntersection& result) {
        found = found || result.hit;
        return found ? -1.0 : t_max;
    }
};

struct TakeAll {
    double t_max;
    CallableRef<bool(const RayIntersection&)> visitor;
    HWY_ATTR double operator()(const RayIntersection& result) const { return visitor(result) ? t_max : -1.0; }
};

HWY_ATTR void first_hit_kernel(const SurfaceView& surface, std::span<const Ray> rays, double t_max,
                               std::span<SurfaceHit> out) {
    for (std::size_t k = 0; k < rays.size(); ++k) {
        out[k] = SurfaceHit{};
        TakeFirst take{out[k], t_max};
        visit_hits(surface, rays[k], t_max, take);
    }
}

HWY_ATTR bool any_hit_kernel(const SurfaceView& surface, const Ray& ray, double t_max) {
    TakeAny take{t_max};
    visit_hits(surface, ray, t_max, take);
    return take.found;
}

HWY_ATTR void all_hits_kernel(const SurfaceView& surface, const Ray& ray, double t_max,
                              CallableRef<bool(const RayIntersection&)> visitor) {
    TakeAll take{t_max, visitor};
    visit_hits(surface, ray, t_max, take);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(closest_kernel);
HWY_EXPORT(first_hit_kernel);
HWY_EXPORT(any_hit_kernel);
HWY_EXPORT(all_hits_kernel);

void visit_closest(const SurfaceView& surface, std::span<const Vec3> points, std::span<const Index> order,
                   double max_distance, std::span<ClosestPoint> out) {
    HWY_DYNAMIC_DISPATCH(closest_kernel)(surface, points, order, max_distance, out);
}
void visit_first_hit(const SurfaceView& surface, std::span<const Ray> rays, double t_max, std::span<SurfaceHit> out) {
    HWY_DYNAMIC_DISPATCH(first_hit_kernel)(surface, rays, t_max, out);
}
bool visit_any_hit(const SurfaceView& surface, const Ray& ray, double t_max) {
    return HWY_DYNAMIC_DISPATCH(any_hit_kernel)(surface, ray, t_max);
}
void visit_all_hits(const SurfaceView& surface, const Ray& ray, double t_max,
                    CallableRef<bool(const RayIntersection&)> visitor) {
    HWY_DYNAMIC_DISPATCH(all_hits_kernel)(surface, ray, t_max, visitor);
}

} // namespace fathom
#endif
