// Batch of cells with a piece of a path in each: times, cubics and roots, in loops that the compiler vectorizes.
// The arithmetic is that of one cell (grid_traversal-inl.h, cell_roots.h), so the bits are the same.
#if defined(FATHOM_DETECT_CELL_BATCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_DETECT_CELL_BATCH_INL_H
#undef FATHOM_DETECT_CELL_BATCH_INL_H
#else
#define FATHOM_DETECT_CELL_BATCH_INL_H
#endif

#include <fathom/detect/point_field/grid_traversal-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::point_field::HWY_NAMESPACE {

template <std::size_t Room>
class CellBatch {
public:
    [[nodiscard]] std::size_t size() const { return size_; }
    void clear() { size_ = 0; }

    // The path must move along every axis. `cell` is counted from the grid's origin, `packed` is its index in the map,
    // `first` and `last` are the times in the brick, and `base` is the base of its codes.
    HWY_INLINE void add(const EmptySpaceMap& map, const GridPath& path, const Axes<int>& cell, std::size_t packed,
                        std::int32_t base, double first, double last, double slack) {
        const std::size_t i = size_++;
        if (map.codes.empty())
            __builtin_prefetch(&map.values[packed]);
        else
            __builtin_prefetch(&map.codes[packed]);
        for (std::size_t k = 0; k < 3; ++k) {
            start_[k][i] = path.start[k];
            step_[k][i] = path.step[k];
            inverse_[k][i] = path.inverse[k];
            low_[k][i] = cell[k];
        }
        packed_[i] = packed;
        base_[i] = base;
        t0_[i] = first;
        t1_[i] = last;
        slack_[i] = slack;
    }

    HWY_ATTR void analyze(const EmptySpaceMap& map, double step) {
        find_times(); // while the values are prefetched
        map.codes.empty() ? read_values(map) : read_codes(map, step);
        find_cubics(map.level);
        newton({turned_[0].data(), turned_[1].data(), turned_[2].data(), turned_[3].data()}, aim_.data(), size_,
               root_.data(), value_.data());
    }

    [[nodiscard]] HWY_INLINE double t0(std::size_t i) const { return t0_[i]; }
    [[nodiscard]] HWY_INLINE double t1(std::size_t i) const { return t1_[i]; }
    [[nodiscard]] HWY_INLINE CellAnalysis result(std::size_t i) const {
        const detail::Bernstein c = {c_[0][i], c_[1][i], c_[2][i], c_[3][i]};
        return {c, detail::contact_bits(c), root_[i], value_[i]};
    }

private:
    using Column = std::array<double, Room>;

    HWY_ATTR HWY_INLINE void read_codes(const EmptySpaceMap& map, double step) {
        for (std::size_t i = 0; i < size_; ++i) {
            const EmptySpaceMap::CodeCell& codes = map.codes[packed_[i]];
            for (std::size_t v = 0; v < 8; ++v) codes_[v][i] = base_[i] + codes[v];
        }
        for (std::size_t v = 0; v < 8; ++v)
            for (std::size_t i = 0; i < size_; ++i) values_[v][i] = step * codes_[v][i];
    }
    HWY_ATTR HWY_INLINE void read_values(const EmptySpaceMap& map) {
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t v = 0; v < 8; ++v) values_[v][i] = static_cast<double>(map.values[packed_[i]][v]);
    }

    HWY_ATTR HWY_INLINE void find_times() {
        for (std::size_t k = 0; k < 3; ++k) {
            const double *HWY_RESTRICT start = start_[k].data(), *HWY_RESTRICT step = step_[k].data();
            const double *HWY_RESTRICT inverse = inverse_[k].data(), *HWY_RESTRICT low = low_[k].data();
            double *HWY_RESTRICT t0 = t0_.data(), *HWY_RESTRICT t1 = t1_.data();
            for (std::size_t i = 0; i < size_; ++i) {
                const double ahead = step[i] > 0 ? 1.0 : 0.0, shift = -start[i] * inverse[i];
                const double in = (low[i] + (1 - ahead)) * inverse[i] + shift,
                             out = (low[i] + ahead) * inverse[i] + shift;
                t0[i] = t0[i] < in ? in : t0[i];
                t1[i] = out < t1[i] ? out : t1[i];
            }
        }
    }

    HWY_ATTR HWY_INLINE void find_cubics(double level) {
        const auto within = [&](std::size_t k, std::size_t i, double t) HWY_ATTR {
            const double x = start_[k][i] + t * step_[k][i] - low_[k][i], some = x > 0 ? x : 0;
            return some < 1 ? some : 1;
        };
        const auto mix = [](double a, double b, double t) HWY_ATTR { return a + t * (b - a); };
        for (std::size_t i = 0; i < size_; ++i) {
            const double t0 = t0_[i], t1 = t1_[i], slack = slack_[i];
            const double x0 = within(0, i, t0), y0 = within(1, i, t0), z0 = within(2, i, t0);
            const double x1 = within(0, i, t1), y1 = within(1, i, t1), z1 = within(2, i, t1);
            const double a0 = values_[0][i] - level, a1 = values_[1][i] - level, a2 = values_[2][i] - level,
                         a3 = values_[3][i] - level;
            const double b0 = values_[4][i] - level, b1 = values_[5][i] - level, b2 = values_[6][i] - level,
                         b3 = values_[7][i] - level;
            // Interpolates along x at both ends, then y, then z. Names give the ends (p, q), then the corner along the
            // next axes.
            const double p0 = mix(a0, b0, x0), p1 = mix(a1, b1, x0), p2 = mix(a2, b2, x0), p3 = mix(a3, b3, x0);
            const double q0 = mix(a0, b0, x1), q1 = mix(a1, b1, x1), q2 = mix(a2, b2, x1), q3 = mix(a3, b3, x1);
            const double pp0 = mix(p0, p1, y0), pp1 = mix(p2, p3, y0), qp0 = mix(q0, q1, y0), qp1 = mix(q2, q3, y0);
            const double pq0 = mix(p0, p1, y1), pq1 = mix(p2, p3, y1), qq0 = mix(q0, q1, y1), qq1 = mix(q2, q3, y1);
            const double ppp = mix(pp0, pp1, z0), qpp = mix(qp0, qp1, z0), pqp = mix(pq0, pq1, z0),
                         qqp = mix(qq0, qq1, z0);
            const double ppq = mix(pp0, pp1, z1), qpq = mix(qp0, qp1, z1), pqq = mix(pq0, pq1, z1),
                         qqq = mix(qq0, qq1, z1);
            const double c0 = ppp - slack, c1 = (qpp + pqp + ppq) * (1.0 / 3) - slack;
            const double c2 = (qqp + qpq + pqq) * (1.0 / 3) - slack, c3 = qqq - slack;
            c_[0][i] = c0, c_[1][i] = c1, c_[2][i] = c2, c_[3][i] = c3;
            turned_[0][i] = c0 <= 0 ? c3 : c0, turned_[1][i] = c0 <= 0 ? c2 : c1;
            turned_[2][i] = c0 <= 0 ? c1 : c2, turned_[3][i] = c0 <= 0 ? c0 : c3;
            aim_[i] = 0.5 * slack;
        }
    }

    std::size_t size_ = 0;
    std::array<Column, 3> start_, step_, inverse_, low_;
    std::array<Column, 8> values_;
    std::array<std::array<std::int32_t, Room>, 8> codes_;
    std::array<std::size_t, Room> packed_;
    std::array<std::int32_t, Room> base_;
    std::array<Column, 4> c_, turned_;
    Column t0_, t1_, slack_, aim_, root_, value_;
};

} // namespace fathom::point_field::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
