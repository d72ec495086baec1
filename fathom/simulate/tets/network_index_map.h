// How the points and elements of one body are numbered among those of all bodies of a world. Numbers
// stay; what an edit adds comes after all that there is. For simulated_tets.h and simulated_tissue.h. One caller.
#pragma once

#include <fathom/simulate/springs/spring_world.h>

namespace fathom {

// How many points and elements all bodies have together.
struct NetworkCounts {
    std::size_t points = 0, springs = 0, areas = 0, volumes = 0;
};

class NumberedNetwork {
public:
    // Numbers from `counts` on for what has none, and counts it. New points are of the part of the body.
    void number(const SpringNetwork& own, NetworkCounts& counts);

    [[nodiscard]] std::span<const Index> points() const { return points_; }
    [[nodiscard]] std::span<const Index> springs() const { return springs_; }

    // Hands all over to the network and state of all bodies; the state has room for all that is numbered.
    void add_to(SpringNetwork& all, SpringState& all_state, const SpringNetwork& own, const SpringState& state) const;
    // Hands over what has changed, once it is numbered. `pieces`, where not empty, tells for each point the piece that
    // it is now in, or no_index: a piece is a part by the lowest of its points.
    void add_to(NetworkEdit& edit, const NetworkChanges& changes, const SpringNetwork& own, const SpringState& state,
                std::span<const Index> pieces = {});

private:
    [[nodiscard]] NetworkEdit::Point point(Index vertex, const SpringNetwork& own, const SpringState& state) const;
    [[nodiscard]] std::vector<Index> take_pieces(std::span<const Index> pieces);

    std::vector<Index> points_, springs_, areas_, volumes_;
    std::vector<Index> parts_; // of each point
};

} // namespace fathom
