// Lower and upper bounds on the distances of one triangle to eight, in float, with an error of at most
// LeafFrame::error. Include it only from a file that Highway's foreach_target compiles. No operation is fused, so that
// every CPU computes the same result.
#if defined(FATHOM_GEOMETRY_TRIANGLE_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_GEOMETRY_TRIANGLE_PAIRS_INL_H
#undef FATHOM_GEOMETRY_TRIANGLE_PAIRS_INL_H
#else
#define FATHOM_GEOMETRY_TRIANGLE_PAIRS_INL_H
#endif

#include <fathom/detect/mesh_mesh/relative_bvh_frame.h>
#include <fathom/index/vec3_lanes-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::mesh_mesh::HWY_NAMESPACE {

using namespace fathom::HWY_NAMESPACE; // vec3_lanes-inl.h

HWY_INLINE Floats plain_dot(const Vec3Lanes& a, const Vec3Lanes& b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Vec3Lanes plain_cross(const Vec3Lanes& a, const Vec3Lanes& b) {
    return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
            hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE Vec3Lanes times(Floats s, const Vec3Lanes& v) { return {hn::Mul(s, v.x), hn::Mul(s, v.y), hn::Mul(s, v.z)}; }
HWY_INLINE Floats least(Floats a, Floats b, Floats c) { return hn::Min(hn::Min(a, b), c); }
HWY_INLINE Floats most(Floats a, Floats b, Floats c) { return hn::Max(hn::Max(a, b), c); }
// Inverse of a value that may be zero: the result is finite, and its product with the zero is zero.
HWY_INLINE Floats inverse(Floats x) { return hn::Div(hn::Set(Lanes8(), 1.0f), hn::Max(x, hn::Set(Lanes8(), 1e-37f))); }
HWY_INLINE Floats in_unit(Floats x) { return hn::Min(hn::Max(x, hn::Zero(Lanes8())), hn::Set(Lanes8(), 1.0f)); }

// Triangles, one in each lane or the same in all.
struct TriangleLanes {
    Vec3Lanes corner[3];
    Vec3Lanes low, high; // bounding box
    // Set by measure():
    Vec3Lanes edge[3];                  // from corner 0 to 1, 0 to 2, 1 to 2
    Floats squared[3], over_squared[3]; // squared edge lengths and their inverses
    Floats along;                       // edge[0] . edge[1]
    Vec3Lanes normal;                   // any length
    Floats normal_low, normal_high;     // range of its products with the corners
    Floats over_area, over_normal;      // inverse of its squared length and of its length

    TriangleLanes() = default;
    HWY_INLINE TriangleLanes(const Vec3Lanes& first, const Vec3Lanes& second, const Vec3Lanes& third)
        : corner{first, second, third} {
        low = {least(first.x, second.x, third.x), least(first.y, second.y, third.y), least(first.z, second.z, third.z)};
        high = {most(first.x, second.x, third.x), most(first.y, second.y, third.y), most(first.z, second.z, third.z)};
    }

    // Largest extent of the triangle along a direction.
    HWY_INLINE Floats last_along(const Vec3Lanes& direction) const {
        return most(plain_dot(direction, corner[0]), plain_dot(direction, corner[1]), plain_dot(direction, corner[2]));
    }

    HWY_INLINE void measure() {
        edge[0] = sub3(corner[1], corner[0]);
        edge[1] = sub3(corner[2], corner[0]);
        edge[2] = sub3(corner[2], corner[1]);
        for (int k = 0; k < 3; ++k) {
            squared[k] = plain_dot(edge[k], edge[k]);
            over_squared[k] = inverse(squared[k]);
        }
        along = plain_dot(edge[0], edge[1]);
        normal = plain_cross(edge[0], edge[1]);
        const Floats at[3] = {plain_dot(normal, corner[0]), plain_dot(normal, corner[1]), plain_dot(normal, corner[2])};
        normal_low = least(at[0], at[1], at[2]);
        normal_high = most(at[0], at[1], at[2]);
        over_area = inverse(plain_dot(normal, normal));
        over_normal = hn::Sqrt(over_area);
    }
};

HWY_INLINE Floats gap_of(Floats low, Floats high, Floats other_low, Floats other_high) {
    return hn::Max(hn::Sub(low, other_high), hn::Sub(other_low, high));
}

// Squared distance of the bounding boxes.
HWY_INLINE Floats squared_box_gap(const TriangleLanes& a, const TriangleLanes& b) {
    const Floats none = hn::Zero(Lanes8());
    const Vec3Lanes gap = {hn::Max(gap_of(a.low.x, a.high.x, b.low.x, b.high.x), none),
                           hn::Max(gap_of(a.low.y, a.high.y, b.low.y, b.high.y), none),
                           hn::Max(gap_of(a.low.z, a.high.z, b.low.z, b.high.z), none)};
    return plain_dot(gap, gap);
}

// Separation of the triangles along the direction v, times the length of v; negative if they overlap.
HWY_INLINE Floats separation(const Vec3Lanes& v, const TriangleLanes& a, const TriangleLanes& b) {
    const Floats of_a[3] = {plain_dot(v, a.corner[0]), plain_dot(v, a.corner[1]), plain_dot(v, a.corner[2])};
    const Floats of_b[3] = {plain_dot(v, b.corner[0]), plain_dot(v, b.corner[1]), plain_dot(v, b.corner[2])};
    return gap_of(least(of_a[0], of_a[1], of_a[2]), most(of_a[0], of_a[1], of_a[2]), least(of_b[0], of_b[1], of_b[2]),
                  most(of_b[0], of_b[1], of_b[2]));
}

// Separation along the normal of `plane`.
HWY_INLINE Floats plane_gap(const TriangleLanes& plane, const TriangleLanes& other) {
    const Floats at[3] = {plain_dot(plane.normal, other.corner[0]), plain_dot(plane.normal, other.corner[1]),
                          plain_dot(plane.normal, other.corner[2])};
    const Floats gap =
        gap_of(plane.normal_low, plane.normal_high, least(at[0], at[1], at[2]), most(at[0], at[1], at[2]));
    return hn::Mul(gap, plane.over_normal);
}

// The shortest vector found from a point of a to a point of b.
struct ShortestVector {
    Vec3Lanes direction;
    Floats squared;

    HWY_INLINE ShortestVector()
        : direction{hn::Zero(Lanes8()), hn::Zero(Lanes8()), hn::Zero(Lanes8())}, squared(hn::Set(Lanes8(), FLT_MAX)) {}

    HWY_INLINE void consider(const Vec3Lanes& v, Floats v_squared) {
        const auto better = hn::Lt(v_squared, squared);
        squared = hn::Min(v_squared, squared);
        direction = {hn::IfThenElse(better, v.x, direction.x), hn::IfThenElse(better, v.y, direction.y),
                     hn::IfThenElse(better, v.z, direction.z)};
    }

    // Two edges: the unconstrained solution, clamped to the first edge, then the best point on the second and again on
    // the first.
    HWY_INLINE void edges(const TriangleLanes& a, int i, const TriangleLanes& b, int j) {
        const Vec3Lanes &e = a.edge[i], &f = b.edge[j];
        const Vec3Lanes r = sub3(a.corner[i / 2], b.corner[j / 2]);
        const Floats ef = plain_dot(e, f), er = plain_dot(e, r), fr = plain_dot(f, r);
        const Floats whole = hn::Sub(hn::Mul(a.squared[i], b.squared[j]), hn::Mul(ef, ef));
        const Floats first = in_unit(hn::Mul(hn::Sub(hn::Mul(ef, fr), hn::Mul(er, b.squared[j])), inverse(whole)));
        const Floats t = in_unit(hn::Mul(hn::Add(hn::Mul(ef, first), fr), b.over_squared[j]));
        const Floats s = in_unit(hn::Mul(hn::Sub(hn::Mul(ef, t), er), a.over_squared[i]));
        const Vec3Lanes v = sub3(sub3(times(t, f), times(s, e)), r);
        consider(v, plain_dot(v, v));
    }

    // A corner of the other triangle above a face. `side` gives the orientation of the vector: 1 if the face belongs to
    // a, else -1.
    HWY_INLINE void corner(const TriangleLanes& face, const Vec3Lanes& point, float side) {
        const Lanes8 d;
        const Vec3Lanes w = sub3(point, face.corner[0]);
        const Floats w1 = plain_dot(w, face.edge[0]), w2 = plain_dot(w, face.edge[1]);
        const Floats s = hn::Mul(hn::Sub(hn::Mul(face.squared[1], w1), hn::Mul(face.along, w2)), face.over_area);
        const Floats t = hn::Mul(hn::Sub(hn::Mul(face.squared[0], w2), hn::Mul(face.along, w1)), face.over_area);
        const auto inside =
            hn::And(hn::And(hn::Ge(s, hn::Zero(d)), hn::Ge(t, hn::Zero(d))), hn::Le(hn::Add(s, t), hn::Set(d, 1.0f)));
        const Vec3Lanes v = sub3(sub3(w, times(s, face.edge[0])), times(t, face.edge[1]));
        consider(times(hn::Set(d, side), v), hn::IfThenElse(inside, plain_dot(v, v), hn::Set(d, FLT_MAX)));
    }
};

HWY_INLINE ShortestVector shortest_vector(const TriangleLanes& a, const TriangleLanes& b) {
    ShortestVector shortest;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) shortest.edges(a, i, b, j);
    for (int k = 0; k < 3; ++k) {
        shortest.corner(a, b.corner[k], 1);
        shortest.corner(b, a.corner[k], -1);
    }
    return shortest;
}

// The triangles of the other pack in a LeafFrame.
struct PlacedCorners {
    alignas(64) float corner[3][3][8]; // [corner][axis][lane]
    alignas(64) float first[8];        // minimum of each triangle along the direction

    HWY_INLINE PlacedCorners(const TrianglePack& pack, const TreeBox& box, const FrameInFrame& frame,
                             const LeafFrame& leaf, const float (&direction)[3]) {
        const Lanes8 d;
        const float ratio = static_cast<float>(frame.ratio);
        const auto row = [&](int axis) HWY_ATTR {
            return set3({ratio * frame.axes[axis][0], ratio * frame.axes[axis][1], ratio * frame.axes[axis][2]});
        };
        const Vec3Lanes rows[3] = {row(0), row(1), row(2)}, residue = set3(leaf.residue);
        for (int lane = 0; lane < 8; lane += lane_step()) {
            const Vec3Lanes from = sub3(load3(pack.corner, lane), set3(box.center));
            const Vec3Lanes all[3] = {from, add3(from, load3(pack.edge_1, lane)), add3(from, load3(pack.edge_2, lane))};
            Floats along[3];
            for (int k = 0; k < 3; ++k) {
                const Vec3Lanes placed =
                    add3({plain_dot(rows[0], all[k]), plain_dot(rows[1], all[k]), plain_dot(rows[2], all[k])}, residue);
                hn::Store(placed.x, d, corner[k][0] + lane);
                hn::Store(placed.y, d, corner[k][1] + lane);
                hn::Store(placed.z, d, corner[k][2] + lane);
                along[k] = plain_dot(set3(direction), placed);
            }
            hn::Store(least(along[0], along[1], along[2]), d, first + lane);
        }
    }

    // One triangle, repeated in all lanes.
    HWY_INLINE TriangleLanes one(int lane) const {
        const auto at = [&](int k) HWY_ATTR {
            return set3({corner[k][0][lane], corner[k][1][lane], corner[k][2][lane]});
        };
        return TriangleLanes(at(0), at(1), at(2));
    }
};

// Bounds for one triangle and eight, by lane, up to LeafFrame::error.
struct PairBounds {
    alignas(64) float lower[8], upper[8];
    alignas(64) float direction[3][8]; // from the eight to the one, with the length of the upper bound
};

// The triangles of a pack in a LeafFrame, in as many steps as the target needs.
class EightTriangles {
public:
    HWY_INLINE EightTriangles(const TrianglePack& pack, const LeafFrame& frame, const float (&direction)[3]) {
        for (int k = 0; k < steps; ++k) {
            const int lane = k * width;
            const Vec3Lanes corner = sub3(load3(pack.corner, lane), set3(frame.origin));
            step_[k] =
                TriangleLanes(corner, add3(corner, load3(pack.edge_1, lane)), add3(corner, load3(pack.edge_2, lane)));
            last_[k] = step_[k].last_along(set3(direction));
        }
    }

    // Returns the bits of the triangles that may be within `reach` of a triangle of the other pack, with their bounds.
    HWY_INLINE std::uint32_t near(const PlacedCorners& others, int other, float reach, PairBounds& bounds) {
        const Lanes8 d;
        const Floats limit = hn::Set(d, reach), first = hn::Set(d, others.first[other]);
        std::uint32_t open = 0;
        for (int k = 0; k < steps; ++k)
            open |= mask_bits(hn::Le(hn::Sub(first, last_[k]), limit), k * width); // unused lanes are NaN
        if (!open) return 0;
        TriangleLanes one = others.one(other);
        for (int k = 0; k < steps; ++k)
            open &= mask_bits(hn::Le(squared_box_gap(step_[k], one), hn::Mul(limit, limit)), k * width) |
                    ~(step_bits << (k * width));
        if (!open) return 0;
        one.measure();
        for (int k = 0; k < steps; ++k) {
            if (!measured_) step_[k].measure();
            if (open & (step_bits << (k * width)))
                open &= bound(step_[k], one, limit, k * width, bounds) | ~(step_bits << (k * width));
        }
        measured_ = true;
        return open;
    }

private:
    static constexpr int width = static_cast<int>(hn::MaxLanes(Lanes8())), steps = 8 / width;
    static constexpr std::uint32_t step_bits = (1u << width) - 1;

    static constexpr float shortest_length = 1e-18f; // its square is a normal float

    HWY_INLINE static std::uint32_t bound(const TriangleLanes& mine, const TriangleLanes& one, Floats limit, int lane,
                                          PairBounds& bounds) {
        const Lanes8 d;
        const Floats planes = hn::Max(plane_gap(mine, one), plane_gap(one, mine));
        if (hn::AllFalse(d, hn::Le(planes, limit))) return 0;
        const ShortestVector shortest = shortest_vector(mine, one);
        const Floats length = hn::Sqrt(shortest.squared);
        const Floats lower = hn::Max(
            planes, hn::Div(separation(shortest.direction, mine, one), hn::Max(length, hn::Set(d, shortest_length))));
        hn::Store(lower, d, bounds.lower + lane);
        hn::Store(length, d, bounds.upper + lane);
        hn::Store(shortest.direction.x, d, bounds.direction[0] + lane);
        hn::Store(shortest.direction.y, d, bounds.direction[1] + lane);
        hn::Store(shortest.direction.z, d, bounds.direction[2] + lane);
        return mask_bits(hn::Le(planes, limit), lane);
    }

    TriangleLanes step_[steps];
    Floats last_[steps];
    bool measured_ = false;
};

} // namespace fathom::mesh_mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
