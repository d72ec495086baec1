// Simulation of tetrahedral bodies with contact by penetration depth in the current shape, fracture and cuts.
// Method: Marchal, Aubert & Chaillou 2004. In each step springs and volumes move the bodies (spring_world.h), voxels
// find collisions (tet_collision.h), depths are measured in the current shape (node_depths.h), and forces act on points
// or segments (tet_pushes.h). A contact acts by the compression accumulated since it began, never by the depth at which
// it was found (contact_cache.h). Bodies that break or are cut (spring_fracture.h) keep the numbers of their points;
// new points are numbered after all others. Membranes are open surfaces of springs that tear (membrane_fracture.h):
// their vertices or edges inside a body are pushed out on the side that the body came from (membrane_contacts.h).
// Limits: membranes do not collide with each other; a tip finer than their triangles is not detected. Penalty contact
// is soft: fast or thin bodies can pass through in one step. Obstacles act on vertices only.
// O(points + springs + tetrahedra near contacts) per step. A fracture updates the data of the body only round it, and
// forces and contacts are computed once more. Not thread-safe; parallel inside, the same bits for any number of
// threads.
#pragma once

#include <fathom/detect/world/world.h>
#include <fathom/response/tet_pushes.h>
#include <fathom/simulate/surface/deforming_world.h>
#include <fathom/simulate/tets/membrane_fracture.h>
#include <fathom/simulate/tets/spring_fracture.h>

#include <optional>

namespace fathom {

struct TetWorldBody {
    std::string name{};
    TetMesh mesh; // initial shape and rest shape (m, world)
    SolidMaterial material{};
    Vec3 velocity = Vec3::Zero(); // m/s
    Vec3 spin = Vec3::Zero();     // rad/s, about the centre of mass
    bool fixed = false;           // all of its points are fixed, and it does not break
    std::vector<Index> fixed_vertices{};
};

// An open surface, consistently wound, with at most two triangles at an edge.
struct TetWorldMembrane {
    DeformingBody surface;
    std::optional<MembraneBreakOptions> breaking{}; // after each step; absent: it never tears
};

enum class TetResponse {
    // Vertices of the boundary that are inside another body; crossing edges are not detected. For fine meshes.
    points,
    segments, // edges of the boundary, whether their ends are inside or not; about four times the cost
    none      // segments are found and reported, without response
};

struct TetWorldOptions {
    SpringOptions springs{};
    TetResponse response = TetResponse::segments;
    DepthOptions depth{}; // a march runs lazily, until the nodes in contact are done
    TetPushOptions push{};
    // Self-contact of bodies. Depths are then marched, because they must not be measured across another layer.
    bool self = false;
    double recovery_time = 0.5; // s, of contacts that were deep when they were found
    // Fracture of bodies after each step; strains are those beyond creep (springs.plastic).
    std::optional<BreakOptions> breaking{};
    BroadPhaseOptions broad{};
};

// A surface outside the world, in its current state: its points may have any numbers from springs().network().size()
// on.
struct TetGuest {
    const PushIntruder& surface;
    bool by_points = false; // use its vertices only, not its edges
};

// Contact between a body of the world and a guest; `contact` is that of the guest against the body.
struct TetGuestPush {
    std::array<Index, 2> vertices = {no_index, no_index}; // of the guest: one vertex, or the two ends of an edge
    Index again = 0; // running number of the contacts of one edge, or one vertex, in one body
    TetPush push;
};

// Totals of all steps so far; wall time.
struct TetWorldStatistics {
    double seconds = 0;           // in step()
    double collision_seconds = 0; // part of `seconds`: finding contacts, measuring depths, computing pushes
    double depth_seconds = 0;     // part of collision_seconds: depths alone
    std::size_t broken = 0;       // broken springs or faces, of bodies and membranes

    [[nodiscard]] double collision_share() const { return seconds > 0 ? collision_seconds / seconds : 0; }
};

class TetWorld final : public SimulatedWorld {
public:
    // Throws Error as SpringWorld, BreakableSolid and the meshes do, with the name of the body. Throws Error{empty}
    // without bodies and membranes, {invalid_argument} for options out of range.
    explicit TetWorld(std::vector<TetWorldBody> bodies, std::vector<Body> obstacles = {},
                      const TetWorldOptions& options = {});
    TetWorld(std::vector<TetWorldBody> bodies, std::vector<TetWorldMembrane> membranes, std::vector<Body> obstacles,
             const TetWorldOptions& options);
    ~TetWorld() override;
    TetWorld(TetWorld&&) noexcept;

    void step() override; // as SpringWorld::step()
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    [[nodiscard]] Energy energy() const override;
    [[nodiscard]] Fingerprint state_hash() const override;
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool with_contacts) const override; // the boundary of each body

    // Contacts of the guest with a body in its current state; depths and directions as options() says, without regard
    // to earlier compression. Changes nothing that a step depends on. O(tetrahedra near it).
    [[nodiscard]] std::vector<TetGuestPush> find_guest(const TetGuest& guest, Index body);

    void set_motion(MotionHook hook); // see SpringMotion; the points of a body are points(body)
    // Cuts a body in its current shape; reports as BreakableSolid does. Requires a world with `breaking`:
    // Error{invalid_argument}.
    CutReport cut(Index body, const CutPlane& plane, const CutOptions& options = {});

    [[nodiscard]] const TetWorldOptions& options() const;
    [[nodiscard]] std::span<const TetWorldBody> bodies() const; // in their initial state
    [[nodiscard]] std::span<const TetWorldMembrane> membranes() const;
    [[nodiscard]] std::span<const Body> obstacles() const;
    // Data of a body, or of a membrane, which has no tetrahedra and is all boundary: membranes are numbered after the
    // bodies.
    [[nodiscard]] tet::TetBody body(Index body) const; // current vertices and topology; valid until the next step
    [[nodiscard]] std::span<const Index> points(Index body) const; // number in springs() of each vertex
    [[nodiscard]] const BoundaryAreas& areas(Index body) const;    // of its boundary, at rest
    [[nodiscard]] std::size_t pieces(Index body) const;            // connected parts; O(n)
    [[nodiscard]] bool broken(Index body) const;                   // broken or cut
    // Boundary triangles, as positions in body(b).topology.boundary_vertices(). The same object while nothing breaks.
    [[nodiscard]] std::shared_ptr<const std::vector<Triangle>> surface(Index body) const;
    [[nodiscard]] const SpringWorld& springs() const;
    [[nodiscard]] const SpringReport& report() const; // of the last step
    // Contacts of the bodies in their current state. Membranes are numbered after the bodies, then obstacles. feature_a
    // is a vertex of a, or the first vertex of an edge of a; feature_b is unknown.
    [[nodiscard]] std::span<const BodyContact> contacts() const;
    [[nodiscard]] const TetWorldStatistics& statistics() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
