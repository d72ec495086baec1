// Room: field. Groups of samples that certainly lie on one side of the surface.
#include <fathom/field/mesh/sign_regions.h>

#include <algorithm>
#include <numeric>

namespace fathom {

Index SignRegions::root(Index sample) {
    while (parent_[sample] != sample) sample = parent_[sample] = parent_[parent_[sample]];
    return sample;
}

void SignRegions::find(std::span<const double> distances, double error, const std::array<int, 3>& size, double spacing) {
    // A surface square to an axis leaves exactly the spacing: rounding must not open a gap in it.
    const double clear = spacing * (1 + 1e-9) + 2 * error;
    speaker_.resize(distances.size());
    if (2 * *std::min_element(distances.begin(), distances.end()) > clear) { // no surface near: all is one region
        const auto farthest = std::max_element(distances.begin(), distances.end());
        std::fill(speaker_.begin(), speaker_.end(), static_cast<Index>(farthest - distances.begin()));
        return;
    }
    join_neighbours(distances, size, clear);
    std::iota(speaker_.begin(), speaker_.end(), Index{0});
    for (std::size_t sample = 0; sample < distances.size(); ++sample) {
        Index& best = speaker_[root(static_cast<Index>(sample))];
        if (distances[sample] > distances[best]) best = static_cast<Index>(sample);
    }
    // Roots hold their region's speaker; from the back, so that roots (the smallest of their region) are read before written.
    for (std::size_t sample = distances.size(); sample-- > 0;) speaker_[sample] = speaker_[root(static_cast<Index>(sample))];
}

void SignRegions::join_neighbours(std::span<const double> distances, const std::array<int, 3>& size, double clear) {
    parent_.resize(distances.size());
    std::iota(parent_.begin(), parent_.end(), Index{0});
    const std::array<std::size_t, 3> stride = {1, static_cast<std::size_t>(size[0]), static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1])};
    std::size_t s = 0;
    for (int k = 0; k < size[2]; ++k)
        for (int j = 0; j < size[1]; ++j)
            for (int i = 0; i < size[0]; ++i, ++s) {
                const std::array<bool, 3> has_next = {i + 1 < size[0], j + 1 < size[1], k + 1 < size[2]};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    if (!has_next[axis] || !(distances[s] + distances[s + stride[axis]] > clear)) continue;
                    const Index a = root(static_cast<Index>(s)), b = root(static_cast<Index>(s + stride[axis]));
                    parent_[std::max(a, b)] = std::min(a, b);
                }
            }
}

} // namespace fathom
