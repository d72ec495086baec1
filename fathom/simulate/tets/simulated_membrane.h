// Current state of a membrane of a TetWorld: its springs, its points among those of all bodies, its collision geometry,
// and the side of it on which each body belongs. Used by tet_world.cpp. Each membrane has one caller.
#pragma once

#include <fathom/detect/tet/membrane_contacts.h>
#include <fathom/simulate/tets/simulated_tets.h>

namespace fathom {

class SimulatedMembrane {
public:
    // Throws Error as BreakableMembrane does.
    explicit SimulatedMembrane(const TetWorldMembrane& membrane);

    // As in SimulatedTets.
    void number(NetworkCounts& counts) { numbered_.number(network(), counts); }
    void add_to(SpringNetwork& all, SpringState& all_state) const {
        numbered_.add_to(all, all_state, network(), state());
    }
    void move(std::span<const Vec3> positions);
    void follow(const SpringWorld& springs);

    [[nodiscard]] tet::TetBody view() const { return {vertices_, *topology_}; } // without tetrahedra
    [[nodiscard]] std::span<const Index> points() const { return numbered_.points(); }
    [[nodiscard]] const BoundaryAreas& areas() const { return areas_; } // at rest
    [[nodiscard]] const SpringNetwork& network() const { return membrane_.network(); }
    [[nodiscard]] const SpringState& state() const { return membrane_.state(); }
    [[nodiscard]] std::size_t pieces() const { return membrane_.surface().parts().count; }
    [[nodiscard]] std::shared_ptr<const std::vector<Triangle>> surface_triangles() const { return surface_; }
    [[nodiscard]] bool broken() const { return broken_; }

    // Sides of the bodies, once per step: begin, update for each body near the membrane, end. Bodies that were not
    // updated are clear of it.
    void begin_sides(std::size_t bodies);
    void update_sides(Index number, const SimulatedTets& body);
    void end_sides();
    // Redirects pushes that would move a body out on the wrong side of the membrane, if the right side is known: they
    // then act across the membrane, and their depth is measured along that direction. `depths()` returns the fitted
    // depths of the body and is called only if needed.
    using DepthSource = std::function<const NodeDepths&()>;
    void keep_sides(Index number, std::span<const tet::PointInTet> points, std::span<TetPush> pushes,
                    const DepthSource& depths) const;
    void keep_sides(Index number, const tet::SegmentsInTets& segments, std::span<TetPush> pushes,
                    const DepthSource& depths) const;
    [[nodiscard]] std::span<const tet::MembraneContact> sides(Index number) const { return sides_[number].contacts(); }
    [[nodiscard]] std::size_t known_bodies() const { return sides_.size(); }

    void forget_sides(Index number) { // of a body that was cut
        if (number < sides_.size()) sides_[number].clear();
    }

    [[nodiscard]] bool breakable() const { return breaking_.has_value(); }
    BreakReport break_stretched();                    // if breakable; state() must be up to date
    void add_to(NetworkEdit& edit, bool with_pieces); // as in SimulatedTets

private:
    void rebuild();
    [[nodiscard]] Vec3 normal_of(std::span<const Index> triangles) const;
    [[nodiscard]] Vec3 normal_at_edge(Index edge) const;

    BreakableMembrane membrane_;
    std::optional<MembraneBreakOptions> breaking_;
    std::unique_ptr<tet::TetTopology> topology_;
    Lists sides_of_edge_; // by index in TetTopology::boundary_edges()
    NetworkIndexMap numbered_;
    std::vector<Vec3> vertices_;
    BoundaryAreas areas_;
    std::vector<tet::MembraneContacts> sides_; // by body
    std::vector<char> near_;                   // by body: updated in this step
    std::vector<Vec3> before_;                 // positions of the last step
    std::shared_ptr<const std::vector<Triangle>> surface_;
    bool broken_ = false;
};

} // namespace fathom
