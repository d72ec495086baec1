// Pairs of triangles or tetrahedra that are hard to judge: near and exact touching, slivers, flat ones, lattices.
#pragma once

#include <fathom/base/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace fathom::testing {

enum class Family {
    generic,         // corners anywhere
    touching_corner, // a corner of b on the border of a, up to rounding, the rest of b behind it
    touching_edge,   // an edge of b through an edge of a, up to rounding
    touching_face,   // a face of b in the plane of a face of a, up to rounding
    shared,          // b takes some corners of a, and may move them by single digits
    sliver,          // corners close to a common plane or line
    coplanar,        // all corners of both in one plane, exactly
    without_extent,  // exactly collapsed to triangle, segment or point
    lattice          // small whole coordinates: many exact ties
};
inline constexpr std::array<Family, 9> all_families = {
    Family::generic, Family::touching_corner, Family::touching_edge,  Family::touching_face, Family::shared,
    Family::sliver,  Family::coplanar,        Family::without_extent, Family::lattice};
inline constexpr std::array<const char*, 9> family_names = {"generic",       "touching_corner", "touching_edge",
                                                            "touching_face", "shared",          "sliver",
                                                            "coplanar",      "without_extent",  "lattice"};

template <std::size_t N>
struct SimplexPair {
    std::array<Vec3, N> a;
    std::array<Vec3, N> b;
};

class SimplexPairs {
public:
    explicit SimplexPairs(std::uint64_t seed, std::uint64_t stream = 0) : random_(seed, stream) {}

    // Of either orientation, at a scale of 1e-3, 1 or 1e3, at the origin or far from it.
    template <std::size_t N>
    SimplexPair<N> make(Family family) {
        SimplexPair<N> pair = base<N>(family);
        const bool whole = family == Family::lattice || family == Family::without_extent || family == Family::coplanar;
        place(pair, whole);
        shuffle(pair.a);
        shuffle(pair.b);
        return pair;
    }

    Random& random() { return random_; }

private:
    template <std::size_t N>
    SimplexPair<N> base(Family family) {
        switch (family) {
        case Family::generic:
            return {anywhere<N>(), anywhere<N>()};
        case Family::touching_corner:
            return touching<N>(1);
        case Family::touching_edge:
            return touching<N>(2);
        case Family::touching_face:
            return touching<N>(3);
        case Family::shared:
            return shared<N>();
        case Family::sliver:
            return {sliver<N>(), random_.chance(0.2) ? sliver<N>() : anywhere<N>()};
        case Family::coplanar:
            return coplanar<N>();
        case Family::without_extent:
            return without_extent<N>();
        case Family::lattice:
            return lattice<N>();
        }
        return {};
    }

    Vec3 point() { return random_.in_box({Vec3::Constant(-1), Vec3::Constant(1)}); }
    Vec3 lattice_point(int size) {
        const auto coordinate = [&] { return static_cast<double>(random_.below(static_cast<std::uint64_t>(size))); };
        const double x = coordinate();
        const double y = coordinate();
        return {x, y, coordinate()};
    }

    template <std::size_t N>
    std::array<Vec3, N> anywhere() {
        std::array<Vec3, N> t;
        for (Vec3& p : t) p = point();
        return t;
    }

    // A point of the hull of the first `corners` corners, the border of it included now and then.
    template <std::size_t N>
    Vec3 mixture(const std::array<Vec3, N>& t, std::size_t corners) {
        std::array<double, N> weight{};
        double sum = 0;
        for (std::size_t k = 0; k < corners; ++k) sum += weight[k] = random_.chance(0.2) ? 0.0 : random_.uniform();
        if (sum == 0) return t[0];
        Vec3 p = Vec3::Zero();
        for (std::size_t k = 0; k < corners; ++k) p += weight[k] / sum * t[k];
        return p;
    }

    // b lies on the far side of the plane of a's first three corners and reaches it with `corners` corners.
    template <std::size_t N>
    SimplexPair<N> touching(std::size_t corners) {
        SimplexPair<N> pair{anywhere<N>(), {}};
        const auto& a = pair.a;
        Vec3 normal = (a[1] - a[0]).cross(a[2] - a[0]).normalized();
        if (N == 4 && normal.dot(a[N - 1] - a[0]) > 0) normal = -normal;
        const Vec3 contact = mixture<N>(a, corners == 2 ? 2 : 3);
        for (std::size_t k = 0; k < N; ++k) {
            Vec3 away = point();
            away += (random_.uniform() - away.dot(normal)) * normal;
            pair.b[k] = contact + away;
        }
        if (corners == 1) pair.b[0] = contact;
        if (corners == 2) {
            // Through the contact point, within the plane that holds a's edge and the normal's right angle.
            Vec3 along = point();
            along -= along.dot(normal) * normal;
            pair.b[0] = contact + random_.uniform() * along;
            pair.b[1] = contact - random_.uniform() * along;
        }
        if (corners == 3)
            for (std::size_t k = 0; k < 3; ++k) {
                Vec3 along = 2 * point();
                along -= along.dot(normal) * normal;
                pair.b[k] = contact + along;
            }
        if (random_.chance(0.5))
            for (Vec3& p : pair.b) p = nudged(p, 2);
        return pair;
    }

    // Each coordinate moved by up to `steps` units in the last place.
    Vec3 nudged(Vec3 p, std::uint64_t steps) {
        for (int k = 0; k < 3; ++k) {
            const double target = random_.chance(0.5) ? 10 : -10;
            for (std::uint64_t i = random_.below(steps + 1); i > 0; --i) p[k] = std::nextafter(p[k], target);
        }
        return p;
    }

    template <std::size_t N>
    SimplexPair<N> shared() {
        SimplexPair<N> pair = touching<N>(3);
        const std::size_t count = 1 + random_.below(N - 1);
        const bool exactly = random_.chance(0.3);
        for (std::size_t k = 0; k < count; ++k) pair.b[k] = exactly ? pair.a[k] : nudged(pair.a[k], 1);
        for (std::size_t k = count; k < 3; ++k) pair.b[k] = pair.b[N - 1] + 0.5 * point();
        return pair;
    }

    template <std::size_t N>
    std::array<Vec3, N> sliver() {
        std::array<Vec3, N> t = anywhere<N>();
        const double width = std::pow(10.0, -random_.uniform(2, 17));
        const bool line = random_.chance(0.3);
        for (std::size_t k = 2; k < N; ++k) {
            const Vec3 flat = line || k == 2
                                  ? Vec3(t[0] + random_.uniform(-0.5, 1.5) * (t[1] - t[0]))
                                  : Vec3(t[0] + random_.uniform() * (t[1] - t[0]) + random_.uniform() * (t[2] - t[0]));
            if (N == 3 || line || k == 3) t[k] = flat + width * point();
        }
        return t;
    }

    // In an axis plane or in the plane x + y + z = 0 of the lattice.
    template <std::size_t N>
    SimplexPair<N> coplanar() {
        SimplexPair<N> pair;
        const int axis = static_cast<int>(random_.below(4));
        const int size = random_.chance(0.5) ? 5 : 1 << 12;
        for (auto* t : {&pair.a, &pair.b})
            for (Vec3& p : *t) {
                p = lattice_point(size);
                if (axis < 3) p[axis] = 1;
                if (axis == 3) p[2] = -p[0] - p[1];
            }
        return pair;
    }

    template <std::size_t N>
    std::array<Vec3, N> collapsed(int size) {
        std::array<Vec3, N> t;
        for (Vec3& p : t) p = 4 * lattice_point(size);
        const std::size_t dimension = random_.below(N - 1);
        for (std::size_t k = dimension + 1; k < N; ++k) {
            if (dimension == 2 && random_.chance(0.5)) {
                t[k] = t[0] + t[1] - t[2];
                continue;
            }
            const Vec3& from = t[random_.below(dimension + 1)];
            const Vec3& to = t[random_.below(dimension + 1)];
            t[k] = from + 0.25 * static_cast<double>(random_.below(5)) * (to - from);
        }
        return t;
    }

    template <std::size_t N>
    SimplexPair<N> without_extent() {
        const int size = 3;
        SimplexPair<N> pair{collapsed<N>(size), {}};
        if (random_.chance(0.5)) {
            pair.b = collapsed<N>(size);
        } else {
            for (Vec3& p : pair.b) p = 4 * lattice_point(size);
        }
        return pair;
    }

    template <std::size_t N>
    SimplexPair<N> lattice() {
        SimplexPair<N> pair;
        const int size = random_.chance(0.5) ? 4 : 9;
        const Vec3 shift = lattice_point(size) - lattice_point(size);
        for (Vec3& p : pair.a) p = lattice_point(size);
        for (Vec3& p : pair.b) p = lattice_point(size) + (N == 4 ? shift : Vec3::Zero());
        return pair;
    }

    template <std::size_t N>
    void place(SimplexPair<N>& pair, bool whole) {
        constexpr std::array<double, 3> scales = {1e-3, 1, 1e3};
        constexpr std::array<double, 3> binary_scales = {0x1p-10, 1, 0x1p10};
        const std::size_t pick = random_.below(3);
        const double scale = whole ? binary_scales[pick] : scales[pick];
        const double far =
            random_.chance(0.3) ? std::pow(2.0, static_cast<double>(4 + random_.below(16))) * scale : 0.0;
        const Vec3 offset = far * Vec3(1, -1, 0.5);
        for (auto* t : {&pair.a, &pair.b})
            for (Vec3& p : *t) p = scale * p + offset;
        if (random_.chance(0.5)) std::swap(pair.a, pair.b);
    }

    template <std::size_t N>
    void shuffle(std::array<Vec3, N>& t) {
        for (std::size_t k = N - 1; k > 0; --k) std::swap(t[k], t[random_.below(k + 1)]);
    }

    Random random_;
};

} // namespace fathom::testing
