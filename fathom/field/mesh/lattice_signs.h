// Turns unsigned distances on a lattice into signed ones.
#pragma once

#include <fathom/field/mesh/mesh_sign.h>
#include <fathom/field/mesh/sign_regions.h>

namespace fathom {

// Samples x fastest, at first + spacing * (i, j, k).
struct SampleLattice {
    Vec3 first = Vec3::Zero();
    double spacing = 1; // m
    std::array<int, 3> size = {0, 0, 0};

    [[nodiscard]] Vec3 position(std::size_t n) const {
        const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
        return first + spacing * Vec3(static_cast<double>(n % nx), static_cast<double>(n / nx % ny),
                                      static_cast<double>(n / nx / ny));
    }
};

// Inside samples get a minus. Where the surface is sealed, each region of free space is judged once, at its sample
// farthest from the surface. Where it is open, the regions of the lattice are judged at a few samples each, and sample
// by sample where these do not agree. One object a thread.
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
    double error_; // of the distances (m)
    SignRegions regions_;
    std::vector<char> side_;     // by sample: inside?
    std::vector<char> doubtful_; // by speaker of a region
};

} // namespace fathom
