// Room: simulate. A body of a TetWorld as it is now: its springs, its points among those of all bodies, what bounds it, and depths
// inside it for the nodes that contacts ask for. For tet_world.cpp and its recording. One caller a body.
#pragma once

#include <fathom/simulate/tet_world.h>

namespace fathom {

class SimulatedTets {
public:
    // Error as solid_network(), TetTopology and BreakableSolid.
    SimulatedTets(const TetWorldBody& body, bool breakable);

    // Numbers from `count` on for the vertices that have none, and counts them.
    void number_points(std::size_t& count);
    void move(std::span<const Vec3> positions);  // of all points of all bodies
    void follow(const SpringWorld& springs);     // takes state() from there

    [[nodiscard]] TetBody view() const { return {vertices_, *topology_}; }
    [[nodiscard]] std::span<const Index> points() const { return points_; }
    [[nodiscard]] const BoundaryAreas& areas() const { return areas_; } // at rest
    [[nodiscard]] const SpringNetwork& network() const { return solid_ ? solid_->network() : network_; }
    [[nodiscard]] const SpringState& state() const { return solid_ ? solid_->state() : spring_state_; }
    [[nodiscard]] const TetZone& zone(); // of the whole body
    [[nodiscard]] std::size_t pieces() const;

    // Depths: what is asked for is then measured, apart for contacts of the body with itself. Those need a march.
    void forget_asked();
    void ask(std::span<const PointInTet> points, const SegmentsInTets& segments, bool self);
    void measure(const DepthOptions& options, const TetPushOptions& push); // only as much as these pushes read
    [[nodiscard]] const NodeDepths& depths(bool self) const { return *depths_[self]; }
    [[nodiscard]] static DepthMethod method(const DepthOptions& options, bool self) {
        return self && options.method == DepthMethod::exact ? DepthMethod::closest_feature : options.method;
    }

    [[nodiscard]] bool breakable() const { return solid_ != nullptr; }
    BreakReport break_stretched(const BreakOptions& options); // where breakable; state() as followed
    CutReport cut(const CutPlane& plane, const CutOptions& options);

    // The boundary for recordings: its vertices, and the triangles by their places in that list.
    [[nodiscard]] std::span<const Index> surface_vertices() const { return topology_->boundary_vertices(); }
    [[nodiscard]] const std::shared_ptr<const std::vector<Triangle>>& surface_triangles() const { return surface_; }
    [[nodiscard]] bool broken() const { return broken_; }

private:
    void rebuild(const TetMesh& mesh);
    void edited();
    [[nodiscard]] std::unique_ptr<NodeDepths> new_depths(const NodeDepths* other) const;

    SpringNetwork network_;
    SpringState spring_state_;
    std::unique_ptr<BreakableSolid> solid_;
    std::unique_ptr<TetTopology> topology_;
    std::vector<Index> points_;
    std::vector<Vec3> vertices_;
    BoundaryAreas areas_;
    std::array<std::unique_ptr<NodeDepths>, 2> depths_; // of contacts with others, with itself
    std::array<std::vector<Index>, 2> asked_;
    std::array<bool, 2> wanted_ = {false, false};
    TetZone zone_;
    std::shared_ptr<const std::vector<Triangle>> surface_;
    bool broken_ = false;
};

} // namespace fathom
