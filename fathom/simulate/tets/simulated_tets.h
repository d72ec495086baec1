// Current state of a body of a TetWorld: its springs, its points among those of all bodies, its boundary, and depths of
// the nodes that contacts need. Used by tet_world.cpp and its recording. Each body has one caller.
#pragma once

#include <fathom/simulate/springs/spring_world.h>
#include <fathom/simulate/tets/tet_world.h>

namespace fathom {

// Map from the points and elements of one body to those of all bodies of a world. Numbers do not change; additions of
// an edit are numbered after all existing ones. Used by simulated_tets.h and simulated_membrane.h.

// Total number of points and elements of all bodies.
struct NetworkCounts {
    std::size_t points = 0, springs = 0, areas = 0, volumes = 0;
};

class NetworkIndexMap {
public:
    // Assigns numbers starting at `counts` to items that have none, and updates the counts. New points belong to the
    // part of the body.
    void number(const SpringNetwork& own, NetworkCounts& counts);

    [[nodiscard]] std::span<const Index> points() const { return points_; }
    [[nodiscard]] std::span<const Index> springs() const { return springs_; }

    // Writes everything to the network and state of all bodies; the state must have room for all numbered items.
    void add_to(SpringNetwork& all, SpringState& all_state, const SpringNetwork& own, const SpringState& state) const;
    // Adds the changes to the edit, after they are numbered. `pieces`, if not empty, gives the current piece of each
    // point, or no_index: a piece is identified as a part by its lowest point.
    void add_to(NetworkEdit& edit, const NetworkChanges& changes, const SpringNetwork& own, const SpringState& state,
                std::span<const Index> pieces = {});

private:
    [[nodiscard]] NetworkEdit::Point point(Index vertex, const SpringNetwork& own, const SpringState& state) const;
    [[nodiscard]] std::vector<Index> take_pieces(std::span<const Index> pieces);

    std::vector<Index> points_, springs_, areas_, volumes_;
    std::vector<Index> parts_; // of each point
};

// Boundary triangles as positions in the list of boundary vertices.
[[nodiscard]] std::vector<Triangle> boundary_by_place(const tet::TetTopology& topology);

class SimulatedTets {
public:
    // Throws Error as solid_network(), TetTopology and BreakableSolid do.
    SimulatedTets(const TetWorldBody& body, bool breakable);

    // See NetworkIndexMap.
    void number(NetworkCounts& counts) { numbered_.number(network(), counts); }
    void add_to(SpringNetwork& all, SpringState& all_state) const {
        numbered_.add_to(all, all_state, network(), state());
    }
    void move(std::span<const Vec3> positions); // of all points of all bodies
    void follow(const SpringWorld& springs);    // copies state() and crept rest lengths from the world

    [[nodiscard]] tet::TetBody view() const { return {vertices_, *topology_}; }
    // Positions at the last remember(), with the new vertices of breaks; empty after a cut.
    [[nodiscard]] std::span<const Vec3> before() const { return before_; }
    void remember() { before_ = vertices_; }
    [[nodiscard]] std::span<const Index> points() const { return numbered_.points(); }
    [[nodiscard]] const BoundaryAreas& areas() const { return areas_; } // at rest
    [[nodiscard]] const SpringNetwork& network() const { return solid_ ? solid_->network() : network_; }
    [[nodiscard]] const SpringState& state() const { return solid_ ? solid_->state() : spring_state_; }
    [[nodiscard]] const tet::TetZone& zone(); // of the whole body
    [[nodiscard]] std::size_t pieces() const;

    // Depths: requested nodes are measured, separately for contacts of the body with itself. Those need a march.
    void clear_requests();
    void request_depths(std::span<const tet::PointInTet> points, const tet::SegmentsInTets& segments, bool self);
    void measure(const DepthOptions& options, const TetPushOptions& push); // only the depths that these pushes need
    [[nodiscard]] const NodeDepths& depths(bool self) const { return *depths_[self]; }
    // Depths for contacts with other bodies, already measured: ready for nearest() and first_hit(). O(n) after a march,
    // once per measure().
    [[nodiscard]] const NodeDepths& fitted_depths() {
        depths_[0]->fit_tree();
        return *depths_[0];
    }
    [[nodiscard]] static DepthMethod method(const DepthOptions& options, bool self) {
        return self && options.method == DepthMethod::exact ? DepthMethod::closest_feature : options.method;
    }

    [[nodiscard]] bool breakable() const { return solid_ != nullptr; }
    BreakReport break_stretched(const BreakOptions& options); // if breakable; state() must be up to date
    CutReport cut(const CutPlane& plane, const CutOptions& options);
    [[nodiscard]] const TetEdit& last_edit() const { return solid_->last_edit(); }
    // Adds the changes of the last edit, after number() has been called. Pieces become parts only if `with_pieces`, in
    // O(n).
    void add_to(NetworkEdit& edit, bool with_pieces);

    // The boundary for recordings, as positions in the list of boundary vertices. Computed on first use.
    [[nodiscard]] std::shared_ptr<const std::vector<Triangle>> surface_triangles() const;
    [[nodiscard]] bool broken() const { return broken_; }

private:
    void begin();
    void edited();
    [[nodiscard]] std::vector<Index> piece_of_vertices() const;
    [[nodiscard]] std::shared_ptr<BodyTopology> new_body() const;

    SpringNetwork network_;
    SpringState spring_state_;
    std::unique_ptr<BreakableSolid> solid_;
    std::unique_ptr<tet::TetTopology> topology_;
    NetworkIndexMap numbered_;
    std::vector<Vec3> vertices_, before_;
    BoundaryAreas areas_;
    std::shared_ptr<BodyTopology> body_;                // shared with the depths, which only read it
    std::array<std::unique_ptr<NodeDepths>, 2> depths_; // for contacts with others, and with itself
    std::array<std::vector<Index>, 2> requested_;
    std::array<bool, 2> wanted_ = {false, false};
    tet::TetZone zone_;
    mutable std::shared_ptr<const std::vector<Triangle>> surface_;
    bool broken_ = false;
};

} // namespace fathom
