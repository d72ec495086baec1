// Groups of samples that certainly lie on one side of the surface.
#include <fathom/field/mesh/sign_regions.h>

#include <algorithm>
#include <numeric>

namespace fathom {

Index SignRegions::root(Index sample) {
    while (parent_[sample] != sample) sample = parent_[sample] = parent_[parent_[sample]];
    return sample;
}

void SignRegions::find(std::span<const double> distances, double error, const std::array<int, 3>& size,
                       double spacing) {
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
    // Roots hold their region's speaker; from the back, so that roots (the smallest of their region) are read before
    // written.
    for (std::size_t sample = distances.size(); sample-- > 0;)
        speaker_[sample] = speaker_[root(static_cast<Index>(sample))];
}

// Along x, samples form runs, each named by its first. Two runs side by side need one join only, however long they
// touch.
void SignRegions::join_neighbours(std::span<const double> distances, const std::array<int, 3>& size, double clear) {
    parent_.resize(distances.size());
    const auto nx = static_cast<std::size_t>(size[0]), layer = nx * static_cast<std::size_t>(size[1]);
    for (std::size_t row = 0; row < distances.size(); row += nx) {
        parent_[row] = static_cast<Index>(row);
        for (std::size_t s = row + 1; s < row + nx; ++s)
            parent_[s] = distances[s - 1] + distances[s] > clear ? parent_[s - 1] : static_cast<Index>(s);
        if (row % layer != 0) join_rows(distances, row - nx, row, nx, clear);
        if (row >= layer) join_rows(distances, row - layer, row, nx, clear);
    }
}

void SignRegions::join_rows(std::span<const double> distances, std::size_t below, std::size_t above, std::size_t length,
                            double clear) {
    Index last_below = no_index, last_above = no_index; // parents at the join before
    for (std::size_t i = 0; i < length; ++i) {
        const Index p = parent_[below + i], q = parent_[above + i];
        if (!(distances[below + i] + distances[above + i] > clear) || (p == last_below && q == last_above)) continue;
        last_below = p, last_above = q;
        const Index a = root(p), b = root(q);
        parent_[std::max(a, b)] = std::min(a, b);
    }
}

} // namespace fathom
