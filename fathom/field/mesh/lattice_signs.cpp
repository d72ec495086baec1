// Turns unsigned distances on a lattice into signed ones.
#include <fathom/field/mesh/lattice_signs.h>

#include <fathom/base/parallel.h>

namespace fathom {

namespace {

constexpr std::size_t chunk = 4096;
constexpr int stride = 4; // samples between trial samples of open surfaces, along each axis

} // namespace

void LatticeSigns::apply(const SampleLattice& lattice, std::span<const Index> nearest, std::span<double> distances) {
    side_.assign(distances.size(), 0);
    regions_.find(distances, error_, lattice.size, lattice.spacing);
    judge_regions(lattice, nearest);
    if (!sealed_) judge_open_regions(lattice, nearest);
    for (std::size_t n = 0; n < side_.size(); ++n)
        if (side_[sealed_ ? regions_.region_of(n) : n]) distances[n] = -distances[n];
}

void LatticeSigns::judge_regions(const SampleLattice& lattice, std::span<const Index> nearest) {
    parallel_for(side_.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n)
            if (regions_.region_of(n) == n) side_[n] = inside_(lattice.position(n), nearest[n]);
    });
}

// A hole is a way round the surface, so a region may lie on both sides.
void LatticeSigns::judge_open_regions(const SampleLattice& lattice, std::span<const Index> nearest) {
    doubtful_.assign(side_.size(), 0);
    std::size_t n = 0;
    for (int k = 0; k < lattice.size[2]; ++k)
        for (int j = 0; j < lattice.size[1]; ++j)
            for (int i = 0; i < lattice.size[0]; ++i, ++n) {
                if (i % stride != 0 || j % stride != 0 || k % stride != 0) continue;
                const Index region = regions_.region_of(n);
                if (!doubtful_[region] && inside_(lattice.position(n), nearest[n]) != (side_[region] != 0))
                    doubtful_[region] = 1;
            }
    parallel_for(side_.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            const Index region = regions_.region_of(s);
            if (region != s) side_[s] = doubtful_[region] ? inside_(lattice.position(s), nearest[s]) : side_[region];
        }
    });
}

} // namespace fathom
