// Rasterizer: sets up eight triangles at a time, then draws eight pixels at a time.
#include <fathom/detect/depth/cpu_raster.h>

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/detect/depth/cpu_raster.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::depth::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 8>;
using Ints = hn::RebindToSigned<Floats>;
using Doubles = hn::CappedTag<double, 4>;
using F = hn::Vec<Floats>;
using I = hn::Vec<Ints>;
using D = hn::Vec<Doubles>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Floats()));
constexpr std::size_t max_corners = 3 * DrawnCluster::max_primitives + 8;
constexpr int largest_extent = 64 * subpixels; // products of two fit in 30 bits
constexpr float farthest_place = 0x1p29f;      // 1/256 pixels; differences fit in 31 bits
constexpr float farthest_depth = 16;

// The corners of a cluster on the map.
struct Placed {
    alignas(64) float x[max_corners]; // 1/256 pixels, not rounded
    alignas(64) float y[max_corners];
    alignas(64) float depth[max_corners];
    // x and y rounded; farthest_place if they are too large or NaN.
    alignas(64) std::int32_t column[max_corners];
    alignas(64) std::int32_t row[max_corners];
};

HWY_ATTR HWY_INLINE I rounded(F x) {
    const Floats f;
    const F far = hn::Set(f, farthest_place);
    return hn::NearestInt(hn::IfThenElse(hn::Lt(hn::Abs(x), far), x, far));
}

// No fused operations: both backends and all CPUs must compute the same corners.
HWY_ATTR void place(const Raster& raster, const ClipMatrix& m, const DrawnClusters& mesh, const DrawnCluster& cluster,
                    Placed& out) {
    const Floats f;
    const F half_width = hn::Set(f, 0.5f * static_cast<float>(raster.width)),
            half_height = hn::Set(f, 0.5f * static_cast<float>(raster.height));
    const F scale = hn::Set(f, static_cast<float>(subpixels));
    const float* from[3] = {mesh.places(0).data() + cluster.first_corner, mesh.places(1).data() + cluster.first_corner,
                            mesh.places(2).data() + cluster.first_corner};
    for (std::size_t k = 0; k < cluster.corner_count; k += lanes) {
        const F px = hn::LoadU(f, from[0] + k), py = hn::LoadU(f, from[1] + k), pz = hn::LoadU(f, from[2] + k);
        const auto row = [&](std::size_t r) HWY_ATTR {
            const F xy = hn::Add(hn::Mul(hn::Set(f, m[r]), px), hn::Mul(hn::Set(f, m[r + 1]), py));
            return hn::Add(hn::Add(xy, hn::Mul(hn::Set(f, m[r + 2]), pz)), hn::Set(f, m[r + 3]));
        };
        const F x = hn::Mul(hn::Add(hn::Mul(row(0), half_width), half_width), scale);
        const F y = hn::Mul(hn::Add(hn::Mul(row(4), half_height), half_height), scale);
        hn::Store(x, f, out.x + k), hn::Store(y, f, out.y + k), hn::Store(row(8), f, out.depth + k);
        hn::Store(rounded(x), Ints(), out.column + k), hn::Store(rounded(y), Ints(), out.row + k);
    }
}

// Eight small triangles: edge functions e + a column + b row >= 0, counted from the first column and row, and the plane
// of the depth.
struct Small {
    alignas(64) std::int32_t e[3][8], a[3][8], b[3][8];
    alignas(64) std::int32_t first_column[8], last_column[8], first_row[8], last_row[8];
    alignas(64) float depth[8], slope_x[8], slope_y[8], nearest[8], farthest[8];
    alignas(64) std::int32_t x1[8], y1[8], x2[8], y2[8], area[8], off_x[8], off_y[8];
    alignas(64) float z0[8], z1[8], z2[8];
    alignas(64) std::int32_t clipped[8]; // extends beyond the box in depth
};

// In double, because of cancellation for thin triangles.
HWY_ATTR HWY_INLINE void set_planes(Small& s) {
    const Doubles d;
    const hn::Rebind<std::int32_t, Doubles> ints;
    const hn::Rebind<float, Doubles> floats;
    const D scale = hn::Set(d, static_cast<double>(subpixels)), unscale = hn::Set(d, 1.0 / subpixels);
    const auto whole = [&](const std::int32_t* p) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(ints, p)); };
    const auto real = [&](const float* p) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(floats, p)); };
    for (std::size_t k = 0; k < lanes; k += hn::MaxLanes(d)) {
        const D z0 = real(s.z0 + k), z1 = hn::Sub(real(s.z1 + k), z0), z2 = hn::Sub(real(s.z2 + k), z0);
        const D x1 = whole(s.x1 + k), y1 = whole(s.y1 + k), x2 = whole(s.x2 + k), y2 = whole(s.y2 + k);
        const D rate = hn::Div(scale, whole(s.area + k));
        const D slope_x = hn::Mul(rate, hn::Sub(hn::Mul(z1, y2), hn::Mul(z2, y1)));
        const D slope_y = hn::Mul(rate, hn::Sub(hn::Mul(z2, x1), hn::Mul(z1, x2)));
        const D rise = hn::Add(hn::Mul(slope_x, whole(s.off_x + k)), hn::Mul(slope_y, whole(s.off_y + k)));
        hn::StoreU(hn::DemoteTo(floats, slope_x), floats, s.slope_x + k);
        hn::StoreU(hn::DemoteTo(floats, slope_y), floats, s.slope_y + k);
        hn::StoreU(hn::DemoteTo(floats, hn::Add(z0, hn::Mul(rise, unscale))), floats, s.depth + k);
    }
}

struct Point {
    I x, y;
};

HWY_ATTR HWY_INLINE void set_edge(const Point& from, const Point& to, const Point& middle, std::int32_t* e,
                                  std::int32_t* a, std::int32_t* b) {
    const Ints i;
    const I dx = hn::Sub(to.x, from.x), dy = hn::Sub(from.y, to.y);
    const auto top_or_left = hn::Or(hn::Gt(dy, hn::Zero(i)), hn::And(hn::Eq(dy, hn::Zero(i)), hn::Gt(dx, hn::Zero(i))));
    const I at = hn::Add(hn::Mul(dx, hn::Sub(middle.y, from.y)), hn::Mul(dy, hn::Sub(middle.x, from.x)));
    const I owned = hn::Sub(at, hn::IfThenZeroElse(top_or_left, hn::Set(i, 1)));
    hn::Store(hn::ShiftRight<8>(owned), i, e); // a step of one pixel is an integer multiple of these
    hn::Store(dy, i, a);
    hn::Store(dx, i, b);
}

enum class Keeping { depth, keys, nothing };

struct Kinds {
    unsigned small = 0, large = 0; // one bit per triangle
};

HWY_ATTR HWY_INLINE unsigned bits(hn::Mask<Ints> mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(Ints(), mask, bytes);
    return bytes[0] & ((1u << lanes) - 1);
}

// Selects the small triangles, out of eight, that can pass the limits of the (at most four) tiles that they overlap.
// Columns and rows of unwanted triangles may be arbitrary.
HWY_ATTR HWY_INLINE unsigned passing(const Raster& raster, const RasterRows& rows, const Point& first,
                                     const Point& last, F nearest, F farthest) {
    const Ints i;
    const Floats f;
    const auto tile_of = [&](I pixel, int size) HWY_ATTR {
        return hn::ShiftRight<limit_tile_bits>(hn::Max(hn::Zero(i), hn::Min(pixel, hn::Set(i, size - 1))));
    };
    const Point from = {tile_of(first.x, raster.width), tile_of(first.y, raster.height)},
                to = {tile_of(last.x, raster.width), tile_of(last.y, raster.height)};
    const I one = hn::Set(i, 1), columns = hn::Set(i, rows.tile_columns);
    auto passes = hn::RebindMask(f, hn::Or(hn::Gt(hn::Sub(to.x, from.x), one), hn::Gt(hn::Sub(to.y, from.y), one)));
    for (const I& y : {from.y, to.y})
        for (const I& x : {from.x, to.x}) {
            const I tile = hn::Add(hn::Mul(y, columns), x);
            passes = hn::Or(passes, hn::And(hn::Gt(farthest, hn::GatherIndex(f, rows.min_after, tile)),
                                            hn::Le(nearest, hn::GatherIndex(f, rows.max_until, tile))));
        }
    return bits(hn::RebindMask(i, passes));
}

// Skips triangles that face away, are outside these rows, or contain no pixel centre; sets up the others.
HWY_ATTR HWY_INLINE Kinds set_up(const Raster& raster, const RasterRows& rows, const Placed& placed,
                                 const std::uint16_t* const corners[3], std::size_t count, Small& s) {
    const Ints i;
    const hn::Rebind<std::uint16_t, Ints> shorts;
    const I index[3] = {hn::PromoteTo(i, hn::LoadU(shorts, corners[0])),
                        hn::PromoteTo(i, hn::LoadU(shorts, corners[1])),
                        hn::PromoteTo(i, hn::LoadU(shorts, corners[2]))};
    Point p[3];
    for (int k = 0; k < 3; ++k)
        p[k] = {hn::GatherIndex(i, placed.column, index[k]), hn::GatherIndex(i, placed.row, index[k])};
    const I left = hn::Min(p[0].x, hn::Min(p[1].x, p[2].x)), right = hn::Max(p[0].x, hn::Max(p[1].x, p[2].x));
    const I top = hn::Min(p[0].y, hn::Min(p[1].y, p[2].y)), bottom = hn::Max(p[0].y, hn::Max(p[1].y, p[2].y));
    const auto first_of = [&](I low) HWY_ATTR {
        return hn::Max(hn::Zero(i), hn::ShiftRight<8>(hn::Add(low, hn::Set(i, subpixels / 2 - 1))));
    };
    const auto last_of = [&](I high, int size) HWY_ATTR {
        return hn::Min(hn::Set(i, size - 1), hn::ShiftRight<8>(hn::Sub(high, hn::Set(i, subpixels / 2))));
    };
    const I column = first_of(left), last_column = last_of(right, raster.width), row = first_of(top),
            bottom_row = last_of(bottom, raster.height);
    const auto holds_none = hn::Or(hn::Gt(column, last_column), hn::Gt(hn::Max(row, hn::Set(i, rows.first)),
                                                                       hn::Min(bottom_row, hn::Set(i, rows.last))));
    // A corner beyond the farthest place may be anywhere.
    const auto beyond = hn::Eq(hn::Max(right, bottom), hn::Set(i, static_cast<int>(farthest_place)));
    const auto exists = hn::FirstN(i, std::min<std::size_t>(count, lanes));
    const auto wide = hn::Gt(hn::Max(hn::Sub(right, left), hn::Sub(bottom, top)), hn::Set(i, largest_extent));
    const auto wanted = hn::And(exists, hn::Or(beyond, hn::Not(holds_none)));

    I x1 = hn::Sub(p[1].x, p[0].x), y1 = hn::Sub(p[1].y, p[0].y), x2 = hn::Sub(p[2].x, p[0].x),
      y2 = hn::Sub(p[2].y, p[0].y);
    const I area = hn::Sub(hn::Mul(x1, y2), hn::Mul(x2, y1));
    const auto front = hn::Lt(area, hn::Zero(i)), back = hn::Gt(area, hn::Zero(i)); // the frame of a view is mirrored
    const auto faces = raster.faces == Faces::front ? front : raster.faces == Faces::back ? back : hn::Or(front, back);
    const auto large = hn::Or(beyond, wide);
    Kinds kinds{bits(hn::AndNot(large, hn::And(wanted, faces))), bits(hn::And(large, wanted))};
    if (kinds.small == 0) return kinds;

    const Floats f;
    F z[3];
    for (int k = 0; k < 3; ++k) z[k] = hn::GatherIndex(f, placed.depth, index[k]);
    const F deep = hn::Set(f, farthest_depth);
    const auto ordinary =
        hn::And(hn::Le(hn::Abs(z[0]), deep), hn::And(hn::Le(hn::Abs(z[1]), deep), hn::Le(hn::Abs(z[2]), deep)));
    const unsigned moderate = bits(hn::RebindMask(i, ordinary));
    kinds.large |= kinds.small & ~moderate;
    kinds.small &= moderate;
    const F nearest = hn::Min(z[0], hn::Min(z[1], z[2])), farthest = hn::Max(z[0], hn::Max(z[1], z[2]));
    kinds.small &= bits(hn::RebindMask(i, hn::And(hn::Ge(farthest, hn::Zero(f)), hn::Le(nearest, hn::Set(f, 1.0f)))));
    if (rows.min_after)
        kinds.small &= passing(raster, rows, {column, row}, {last_column, bottom_row}, nearest, farthest);
    if (kinds.small == 0) return kinds;
    const auto outside = hn::Or(hn::Lt(nearest, hn::Zero(f)), hn::Gt(farthest, hn::Set(f, 1.0f)));
    hn::Store(hn::VecFromMask(i, hn::RebindMask(i, outside)), i, s.clipped);

    hn::Store(column, i, s.first_column), hn::Store(last_column, i, s.last_column), hn::Store(row, i, s.first_row),
        hn::Store(bottom_row, i, s.last_row);
    hn::Store(nearest, f, s.nearest), hn::Store(farthest, f, s.farthest);
    hn::Store(z[0], f, s.z0), hn::Store(z[1], f, s.z1), hn::Store(z[2], f, s.z2);
    hn::Store(x1, i, s.x1), hn::Store(y1, i, s.y1), hn::Store(x2, i, s.x2), hn::Store(y2, i, s.y2),
        hn::Store(area, i, s.area);
    const Point middle = {hn::Add(hn::ShiftLeft<8>(column), hn::Set(i, subpixels / 2)),
                          hn::Add(hn::ShiftLeft<8>(row), hn::Set(i, subpixels / 2))};
    hn::Store(hn::Sub(middle.x, p[0].x), i, s.off_x), hn::Store(hn::Sub(middle.y, p[0].y), i, s.off_y);
    set_planes(s);
    const Point b = {hn::IfThenElse(front, p[2].x, p[1].x), hn::IfThenElse(front, p[2].y, p[1].y)};
    const Point c = {hn::IfThenElse(front, p[1].x, p[2].x), hn::IfThenElse(front, p[1].y, p[2].y)};
    set_edge(p[0], b, middle, s.e[0], s.a[0], s.b[0]);
    set_edge(b, c, middle, s.e[1], s.a[1], s.b[1]);
    set_edge(c, p[0], middle, s.e[2], s.a[2], s.b[2]);
    return kinds;
}

// Keeps z at eight pixels where `inside`; or reports whether there is any.
template <bool Far, Keeping Kept>
HWY_ATTR HWY_INLINE void keep(const RasterRows& rows, std::size_t at, F z, hn::Mask<Floats> inside, std::int32_t key) {
    const Floats f;
    const Ints i;
    if constexpr (Kept == Keeping::nothing) {
        *rows.met |= !hn::AllFalse(f, inside);
        return;
    }
    const F old = hn::LoadU(f, rows.depth + at);
    if constexpr (Kept == Keeping::keys) {
        const I old_key = hn::LoadU(i, rows.keys + at);
        const I own = hn::Set(i, key);
        const auto first = hn::RebindMask(f, hn::Lt(own, old_key));
        const auto better = Far ? hn::Gt(z, old) : hn::Lt(z, old);
        const auto wins = hn::And(inside, hn::Or(better, hn::And(hn::Eq(z, old), first)));
        hn::StoreU(hn::IfThenElse(wins, z, old), f, rows.depth + at);
        hn::StoreU(hn::IfThenElse(hn::RebindMask(i, wins), own, old_key), i, rows.keys + at);
    } else {
        hn::StoreU(hn::IfThenElse(inside, Far ? hn::Max(z, old) : hn::Min(z, old), old), f, rows.depth + at);
    }
}

// Within the box of the view, deeper than `after` and not deeper than `until`.
HWY_ATTR HWY_INLINE hn::Mask<Floats> within_limits(const RasterRows& rows, std::size_t at, F z) {
    const Floats f;
    auto inside = hn::And(hn::Ge(z, hn::Zero(f)), hn::Le(z, hn::Set(f, 1.0f)));
    if (rows.after) inside = hn::And(inside, hn::Gt(z, hn::LoadU(f, rows.after + at)));
    if (rows.until) inside = hn::And(inside, hn::Le(z, hn::LoadU(f, rows.until + at)));
    return inside;
}

template <bool Far, Keeping Kept, bool Limited>
HWY_ATTR HWY_INLINE void fill(const RasterRows& rows, const Small& s, std::size_t k, std::int32_t key) {
    const Floats f;
    const Ints i;
    const int column = s.first_column[k], row = s.first_row[k];
    const int top = std::max(row, rows.first), bottom = std::min(s.last_row[k], rows.last);
    const F nearest = hn::Set(f, s.nearest[k]), farthest = hn::Set(f, s.farthest[k]), slope = hn::Set(f, s.slope_y[k]),
            one = hn::Set(f, 1.0f);
    const I step0 = hn::Set(i, s.b[0][k]), step1 = hn::Set(i, s.b[1][k]), step2 = hn::Set(i, s.b[2][k]);
    for (int x = column; x <= s.last_column[k]; x += lanes) {
        const int right = x - column, down = top - row;
        const auto edge = [&](int n) HWY_ATTR {
            const I across = hn::Mul(hn::Set(i, s.a[n][k]), hn::Iota(i, 0));
            return hn::Add(across, hn::Set(i, s.e[n][k] + s.a[n][k] * right + s.b[n][k] * down));
        };
        I e0 = edge(0), e1 = edge(1), e2 = edge(2);
        const F first =
            hn::Add(hn::Set(f, s.depth[k]), hn::Mul(hn::Set(f, s.slope_x[k]), hn::Iota(f, static_cast<float>(right))));
        F below = hn::Set(f, static_cast<float>(down));
        std::size_t at = rows.at(top, x);
        for (int y = top; y <= bottom; ++y) {
            const F z = hn::Min(hn::Max(hn::Add(first, hn::Mul(slope, below)), nearest), farthest);
            auto inside = hn::RebindMask(f, hn::Gt(hn::Or(e0, hn::Or(e1, e2)), hn::Set(i, -1)));
            if constexpr (Limited) inside = hn::And(inside, within_limits(rows, at, z));
            keep<Far, Kept>(rows, at, z, inside, key);
            e0 = hn::Add(e0, step0), e1 = hn::Add(e1, step1), e2 = hn::Add(e2, step2);
            below = hn::Add(below, one);
            at += rows.stride;
        }
    }
}

// A primitive with a range of depths in a pixel draws the end that is kept, and only if some of it is in the box.
template <bool Far, Keeping Kept>
HWY_ATTR void fill_span(const RasterRows& rows, const Span& span, float slope, float nearest, float farthest,
                        std::int32_t key) {
    const Floats f;
    const Ints i;
    const F lowest = hn::Set(f, nearest), highest = hn::Set(f, farthest), zero = hn::Zero(f), one = hn::Set(f, 1.0f);
    for (int x = span.first; x <= span.last; x += lanes) {
        const F rise = hn::Mul(hn::Set(f, slope), hn::Iota(f, static_cast<float>(x - span.first)));
        const F low = hn::Min(hn::Max(hn::Add(hn::Set(f, span.nearest), rise), lowest), highest);
        const F high = hn::Min(hn::Max(hn::Add(hn::Set(f, span.farthest), rise), lowest), highest);
        const F z = Far ? hn::Min(high, one) : hn::Max(low, zero);
        const I column = hn::Iota(i, x);
        const auto covered = hn::RebindMask(f, hn::Lt(column, hn::Set(i, span.last + 1)));
        const auto inside = hn::And(covered, hn::And(hn::Ge(high, zero), hn::Le(low, one)));
        const std::size_t at = rows.at(span.row, x);
        keep<Far, Kept>(rows, at, z, hn::And(inside, within_limits(rows, at, z)), key);
    }
}

// Draws one cluster into some rows.
template <bool Far, Keeping Kept>
class ClusterPainter {
public:
    HWY_ATTR ClusterPainter(const Raster& raster, const RasterRows& rows) : raster_(raster), rows_(rows) {}

    HWY_ATTR void paint(const RasterBody& body, const DrawnCluster& cluster) {
        place(raster_, body.matrix, body.mesh->clusters(), cluster, placed_);
        switch (body.mesh->kind()) {
        case Primitives::triangles:
            return triangles(body, cluster);
        case Primitives::lines:
            return lines(body, cluster);
        case Primitives::points:
            return points(body, cluster);
        }
    }

private:
    HWY_ATTR void triangles(const RasterBody& body, const DrawnCluster& cluster) {
        const DrawnClusters& mesh = body.mesh->clusters();
        const bool limited = rows_.after || rows_.until;
        for (Index t = cluster.primitives.begin; t < cluster.primitives.end; t += lanes) {
            const std::uint16_t* corners[3] = {mesh.corners(0).data() + t, mesh.corners(1).data() + t,
                                               mesh.corners(2).data() + t};
            const std::int32_t key = body.first_key + static_cast<std::int32_t>(t);
            Kinds kinds{0, (1u << std::min<unsigned>(cluster.primitives.end - t, lanes)) - 1};
            if (!raster_.conservative)
                kinds = set_up(raster_, rows_, placed_, corners, cluster.primitives.end - t, small_);
            for (; kinds.small != 0; kinds.small &= kinds.small - 1) {
                const auto k = static_cast<std::size_t>(std::countr_zero(kinds.small));
                if (limited || small_.clipped[k] != 0)
                    fill<Far, Kept, true>(rows_, small_, k, key + static_cast<std::int32_t>(k));
                else
                    fill<Far, Kept, false>(rows_, small_, k, key + static_cast<std::int32_t>(k));
            }
            for (; kinds.large != 0; kinds.large &= kinds.large - 1) {
                const int k = std::countr_zero(kinds.large);
                std::array<MapCorner, 3> c;
                if (set(c[0], corners[0][k]) && set(c[1], corners[1][k]) && set(c[2], corners[2][k]))
                    spans(Spans(c, span_options()), key + k);
            }
        }
    }

    HWY_ATTR void lines(const RasterBody& body, const DrawnCluster& cluster) {
        const DrawnClusters& mesh = body.mesh->clusters();
        for (Index t = cluster.primitives.begin; t < cluster.primitives.end; ++t) {
            const std::int32_t key = body.first_key + static_cast<std::int32_t>(t);
            MapCorner a, b;
            if (!set(a, mesh.corners(0)[t]) || !set(b, mesh.corners(1)[t])) continue;
            if (raster_.conservative) {
                spans(Spans(a, b, span_options()), key);
                continue;
            }
            const LineSteps steps(a, b, raster_.width, raster_.height);
            for (int k = steps.first(); k <= steps.last(); ++k) {
                int column = 0, row = 0;
                float depth = 0;
                if (steps.at(k, column, row, depth)) pixel(column, row, depth, key);
            }
        }
    }

    HWY_ATTR void points(const RasterBody& body, const DrawnCluster& cluster) {
        for (Index t = cluster.primitives.begin; t < cluster.primitives.end; ++t) {
            const std::int32_t key = body.first_key + static_cast<std::int32_t>(t);
            MapCorner a;
            if (!set(a, body.mesh->clusters().corners(0)[t])) continue;
            if (raster_.conservative)
                spans(Spans(a, a, span_options()), key);
            else if (a.x >= 0 && a.y >= 0 && a.x < subpixels * raster_.width && a.y < subpixels * raster_.height)
                pixel(static_cast<int>(a.x / subpixels), static_cast<int>(a.y / subpixels), static_cast<float>(a.depth),
                      key);
        }
    }

    HWY_ATTR void spans(Spans spans, std::int32_t key) {
        const int top = std::max(spans.first_row(), rows_.first), bottom = std::min(spans.last_row(), rows_.last);
        if (top > bottom) return;
        spans.start(top);
        for (int y = top; y <= bottom; ++y) {
            const Span span = spans.next();
            if (span.first <= span.last)
                fill_span<Far, Kept>(rows_, span, spans.slope(), spans.nearest(), spans.farthest(), key);
        }
    }

    HWY_ATTR void pixel(int column, int row, float depth, std::int32_t key) {
        if (row >= rows_.first && row <= rows_.last)
            fill_span<Far, Kept>(rows_, {row, column, column, depth, depth}, 0, depth, depth, key);
    }

    HWY_ATTR bool set(MapCorner& corner, std::uint16_t at) const {
        return corner.set(placed_.x[at], placed_.y[at], placed_.depth[at]);
    }
    [[nodiscard]] SpanOptions span_options() const {
        return {raster_.faces, raster_.conservative, raster_.width, raster_.height};
    }

    const Raster& raster_;
    const RasterRows& rows_;
    Placed placed_;
    Small small_;
};

template <bool Far, Keeping Kept>
HWY_ATTR void draw_all(const Raster& raster, const RasterRows& rows) {
    ClusterPainter<Far, Kept> painter(raster, rows);
    for (const RasterCluster& seen : raster.clusters) {
        if (seen.reach.last_row < rows.first || seen.reach.first_row > rows.last) continue;
        if (Kept == Keeping::nothing && *rows.met) return;
        const RasterBody& body = raster.bodies[seen.body];
        painter.paint(body, body.mesh->clusters().clusters()[seen.cluster]);
    }
}

HWY_ATTR void rows_drawn(const Raster& raster, const RasterRows& rows) {
    const bool far = raster.keep == Keep::farthest;
    std::fill_n(rows.depth, rows.at(rows.last + 1, 0), far ? 0.0f : 1.0f);
    if (rows.keys) std::fill_n(rows.keys, rows.at(rows.last + 1, 0), 0);
    if (rows.keys)
        far ? draw_all<true, Keeping::keys>(raster, rows) : draw_all<false, Keeping::keys>(raster, rows);
    else
        far ? draw_all<true, Keeping::depth>(raster, rows) : draw_all<false, Keeping::depth>(raster, rows);
}

HWY_ATTR void rows_tested(const Raster& raster, const RasterRows& rows) {
    draw_all<false, Keeping::nothing>(raster, rows);
}

// Depth of the environment inside the object; negative if it is outside or if either is absent.
HWY_ATTR HWY_INLINE F depth_inside(F object, F no_object, F environment, F no_environment) {
    const Floats f;
    const auto apart =
        hn::Or(hn::Or(hn::Eq(object, no_object), hn::Eq(environment, no_environment)), hn::Gt(environment, object));
    return hn::IfThenElse(apart, hn::Set(f, -1.0f), hn::Sub(object, environment));
}

HWY_ATTR DepthOverlap pixels_compared(const DepthMap& object, const DepthMap& environment, std::size_t begin,
                                      std::size_t end) {
    const Floats f;
    const float *a = object.depth.data(), *b = environment.depth.data();
    const F no_a = hn::Set(f, object.nothing()), no_b = hn::Set(f, environment.nothing());
    const auto inside = [&](std::size_t k)
                            HWY_ATTR { return depth_inside(hn::LoadU(f, a + k), no_a, hn::LoadU(f, b + k), no_b); };
    const auto inside_one = [&](std::size_t k) {
        return a[k] == object.nothing() || b[k] == environment.nothing() || b[k] > a[k] ? -1.0f : a[k] - b[k];
    };
    DepthOverlap overlap;
    I counts = hn::Zero(Ints());
    F deepest = hn::Set(f, -1.0f);
    std::size_t k = begin;
    for (; k + lanes <= end; k += lanes) {
        const F depth = inside(k);
        counts = hn::Sub(counts, hn::VecFromMask(Ints(), hn::RebindMask(Ints(), hn::Ge(depth, hn::Zero(f)))));
        deepest = hn::Max(deepest, depth);
    }
    float most = hn::GetLane(hn::MaxOfLanes(f, deepest));
    overlap.pixels = static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(Ints(), counts)));
    for (; k < end; ++k) overlap.pixels += inside_one(k) >= 0, most = std::max(most, inside_one(k));
    if (overlap.pixels == 0) return overlap;
    overlap.deepest = most;
    const F wanted = hn::Set(f, most);
    for (k = begin; k + lanes <= end && hn::AllFalse(f, hn::Eq(inside(k), wanted)); k += lanes) {
    }
    while (inside_one(k) != most) ++k;
    overlap.deepest_pixel = k;
    return overlap;
}

} // namespace fathom::depth::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom::depth {

HWY_EXPORT(rows_drawn);
HWY_EXPORT(rows_tested);
HWY_EXPORT(pixels_compared);

void draw_rows(const Raster& raster, const RasterRows& rows) { HWY_DYNAMIC_DISPATCH(rows_drawn)(raster, rows); }

bool any_row_drawn(const Raster& raster, RasterRows rows) {
    bool met = false;
    rows.met = &met;
    HWY_DYNAMIC_DISPATCH(rows_tested)(raster, rows);
    return met;
}

DepthOverlap compare_pixels(const DepthMap& object, const DepthMap& environment, std::size_t begin, std::size_t end) {
    return HWY_DYNAMIC_DISPATCH(pixels_compared)(object, environment, begin, end);
}

} // namespace fathom::depth
#endif
