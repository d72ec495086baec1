// Signs of a block of samples: regions of equal sign are found first, and one sample of each decides.
#pragma once

#include <fathom/field/mesh/mesh_sign.h>

#include <array>
#include <span>
#include <vector>

namespace fathom {

// ---- Conversion of unsigned distances on a lattice into signed ones.

// Groups lattice samples on the same side of the surface, so that the side is computed once per group. Samples whose
// clearance spheres overlap are on the same side: if d(a) + d(b) > |a - b|, no surface lies between them.

class SignRegions {
public:
    // Takes unsigned distances with an error of at most `error`, on a lattice of the given size (x fastest) and spacing
    // (m). Cost: O(n). The object can be reused.
    void find(std::span<const double> distances, double error, const std::array<int, 3>& size, double spacing);

    // A region is identified by one of its samples: the farthest from the surface, the first of equals.
    [[nodiscard]] Index region_of(std::size_t sample) const { return speaker_[sample]; }

private:
    [[nodiscard]] Index root(Index sample);
    void join_neighbours(std::span<const double> distances, const std::array<int, 3>& size, double clear);
    void join_rows(std::span<const double> distances, std::size_t below, std::size_t above, std::size_t length,
                   double clear);

    std::vector<Index> parent_;
    std::vector<Index> speaker_;
};

// Samples x fastest, at first + spacing * (i, j, k).
struct SampleLattice {
    Vec3 first = Vec3::Zero();
    double spacing = 1; // m
    std::array<int, 3> size = {0, 0, 0};

    [[nodiscard]] Vec3 position(std::size_t n) const {
        const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
        const std::size_t x = n % nx, y = n / nx % ny, z = n / nx / ny;
        return first + spacing * Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
    }
};

// Negates the distances of inside samples. If the surface is sealed, each region is classified once, at its sample
// farthest from the surface. If it is open, the regions of the lattice are classified at a few samples each, and sample
// by sample where these disagree. One object per thread.
class LatticeSigns {
public:
    LatticeSigns(const InsideTest& inside, bool sealed, double error)
        : inside_(inside), sealed_(sealed), error_(error) {}

    void apply(const SampleLattice& lattice, std::span<const Index> nearest, std::span<double> distances);

private:
    void judge_regions(const SampleLattice& lattice, std::span<const Index> nearest);
    void judge_open_regions(const SampleLattice& lattice, std::span<const Index> nearest);

    const InsideTest& inside_;
    bool sealed_;
    double error_; // error of the distances (m)
    SignRegions regions_;
    std::vector<char> side_;     // per sample: 1 if inside
    std::vector<char> doubtful_; // indexed by the representative sample of a region
};

} // namespace fathom
