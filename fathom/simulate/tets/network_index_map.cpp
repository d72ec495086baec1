// Renumbers what a body has for the network of all.
#include <fathom/simulate/tets/network_index_map.h>

#include <algorithm>

namespace fathom {

namespace {

template <class Element>
NetworkEdit::Change<Element> renumbered(Index number, Element element, std::span<const Index> points) {
    for (Index& v : element.points) v = points[v];
    return {number, element};
}

} // namespace

void NumberedNetwork::number(const SpringNetwork& own, NetworkCounts& counts) {
    const auto more = [](std::vector<Index>& numbers, std::size_t needed, std::size_t& count) {
        while (numbers.size() < needed) numbers.push_back(static_cast<Index>(count++));
    };
    more(points_, own.size(), counts.points);
    more(springs_, own.springs.size(), counts.springs);
    more(areas_, own.areas.size(), counts.areas);
    more(volumes_, own.volumes.size(), counts.volumes);
    parts_.resize(points_.size(), points_.empty() ? 0 : points_.front());
}

NetworkEdit::Point NumberedNetwork::point(Index v, const SpringNetwork& own, const SpringState& state) const {
    return {points_[v],    own.points[v],     state.positions[v], state.velocities[v],
            own.masses[v], own.fixed[v] != 0, parts_[v]};
}

void NumberedNetwork::add_to(SpringNetwork& all, SpringState& all_state, const SpringNetwork& own,
                             const SpringState& state) const {
    NetworkEdit edit;
    for (Index v = 0; v < own.size(); ++v) {
        const NetworkEdit::Point p = edit.points.emplace_back(point(v, own, state));
        all_state.positions[p.number] = p.position;
        all_state.velocities[p.number] = p.velocity;
    }
    for (std::size_t s = 0; s < own.springs.size(); ++s)
        edit.springs.push_back(renumbered(springs_[s], own.springs[s], points_));
    for (std::size_t t = 0; t < own.areas.size(); ++t)
        edit.areas.push_back(renumbered(areas_[t], own.areas[t], points_));
    for (std::size_t t = 0; t < own.volumes.size(); ++t)
        edit.volumes.push_back(renumbered(volumes_[t], own.volumes[t], points_));
    apply(edit, all);
}

void NumberedNetwork::add_to(NetworkEdit& edit, const NetworkChanges& changes, const SpringNetwork& own,
                             const SpringState& state, std::span<const Index> pieces) {
    const std::vector<Index> moved = take_pieces(pieces);
    for (const Index v : changes.points) edit.points.push_back(point(v, own, state));
    for (const Index v : moved)
        if (!std::binary_search(changes.points.begin(), changes.points.end(), v))
            edit.points.push_back(point(v, own, state));
    for (const Index s : changes.springs) edit.springs.push_back(renumbered(springs_[s], own.springs[s], points_));
    for (const Index t : changes.areas) edit.areas.push_back(renumbered(areas_[t], own.areas[t], points_));
    for (const Index t : changes.volumes) edit.volumes.push_back(renumbered(volumes_[t], own.volumes[t], points_));
}

// The points that are in another part now.
std::vector<Index> NumberedNetwork::take_pieces(std::span<const Index> pieces) {
    std::vector<Index> lowest(pieces.size(), no_index), moved; // there are no more pieces than points
    for (std::size_t v = 0; v < pieces.size(); ++v)
        if (pieces[v] != no_index) lowest[pieces[v]] = std::min(lowest[pieces[v]], points_[v]);
    for (Index v = 0; v < pieces.size(); ++v) {
        if (pieces[v] == no_index || parts_[v] == lowest[pieces[v]]) continue;
        parts_[v] = lowest[pieces[v]];
        moved.push_back(v);
    }
    return moved;
}

} // namespace fathom
