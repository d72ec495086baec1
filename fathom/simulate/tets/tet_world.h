// Bodies of tetrahedra that move, meet, push each other by their depth in the shape of this moment, and
// break. Springs and volumes move them (spring_world.h), voxels find what is inside what (tet_collision.h), depths are
// measured in the current shape (node_depths.h), and pushes by points or segments answer (tet_pushes.h), all over again
// each step: Marchal, Aubert & Chaillou 2004. A contact pushes by the way it was pressed, never by a depth that it was
// found at (contact_memory.h). Bodies that break or are cut (spring_fracture.h) keep the numbers of their points; new
// ones come after all others. Membranes are open surfaces of springs that tear (membrane_fracture.h): their vertices or
// edges inside a body are pushed out on the side that the body came from (membrane_contacts.h). Membranes do not meet
// each other; a tip finer than their triangles is not felt. Penalties give way: what is fast or thin can pass in one
// step. Obstacles push vertices alone. O(points + springs + tetrahedra near contacts) a step. Where something breaks,
// all that is known of the body changes round it alone, and forces and contacts are found once more. Not thread-safe;
// parallel inside, the same bits for any number of threads.
#pragma once

#include <fathom/index/broad_phase.h>
#include <fathom/response/tet_pushes.h>
#include <fathom/simulate/surface/deforming_world.h>
#include <fathom/simulate/tets/membrane_fracture.h>
#include <fathom/simulate/tets/spring_fracture.h>

#include <optional>

namespace fathom {

struct TetWorldBody {
    std::string name{};
    TetMesh mesh; // as it starts and rests (m, world)
    SolidMaterial material{};
    Vec3 velocity = Vec3::Zero(); // m/s
    Vec3 spin = Vec3::Zero();     // rad/s, about the centre of mass
    bool fixed = false;           // all of its points stay where they are, and it does not break
    std::vector<Index> fixed_vertices{};
};

// An open surface, wound one way, of triangles at most two at an edge.
struct TetWorldMembrane {
    DeformingBody surface;
    std::optional<MembraneBreakOptions> breaking{}; // after each step; absent: it never tears
};

enum class TetResponse {
    points,   // vertices of the boundary that are inside another body; edges may cross to_mesh_frame: for fine meshes
    segments, // edges of the boundary, whether their ends are inside or not; about four times the cost
    none      // segments are found and told, and nothing answers
};

struct TetWorldOptions {
    SpringOptions springs{};
    TetResponse response = TetResponse::segments;
    DepthOptions depth{}; // a march runs lazily, until the nodes in contact are done
    TetPushOptions push{};
    bool self =
        false; // bodies may touch themselves: depths are then marched, for they must not lead across another layer
    double recovery_time = 0.5; // s, of contacts that were found deep all at once
    std::optional<BreakOptions>
        breaking{}; // of bodies, after each step; strains are those beyond what has crept (springs.plastic)
    BroadPhaseOptions broad{};
};

// A place where two bodies push each other.
struct TetWorldContact {
    Index body = no_index,
          other = no_index; // membranes are numbered after the bodies, then obstacles; the same for a body in itself
    std::array<Index, 2> vertices = {no_index, no_index}; // of the first body: one, or the two ends of an edge
    Vec3 position = Vec3::Zero();                         // m, world
    Vec3 normal = Vec3::Zero();                           // unit, from the other to the first
    double depth = 0;                                     // m
};

// A surface that is not of the world, as it is now: its points may have any numbers from springs().network().size() on.
struct TetGuest {
    const PushIntruder& surface;
    bool by_points = false; // its vertices alone, not its edges
};

// How a body of the world and a guest push each other; `contact` holds the guest against the body.
struct TetGuestPush {
    Index body = no_index;
    std::array<Index, 2> vertices = {no_index, no_index}; // of the guest: one, or the two ends of an edge
    Index again = 0;                                      // of one edge, or one vertex, in one body: counts on
    TetPush push;
};

// Of all steps so far; wall time.
struct TetWorldStatistics {
    double seconds = 0;           // in step()
    double collision_seconds = 0; // of them: finding contacts, measuring depths, making pushes
    double depth_seconds = 0;     // of those: depths alone
    std::size_t broken = 0;       // springs or faces, of bodies and membranes

    [[nodiscard]] double collision_share() const { return seconds > 0 ? collision_seconds / seconds : 0; }
};

class TetWorld final : public SimulatedWorld {
public:
    // Error as SpringWorld, BreakableSolid and the meshes throw, with the name of the body. Error{empty} without bodies
    // and membranes, {invalid_argument} for options out of range.
    explicit TetWorld(std::vector<TetWorldBody> bodies, std::vector<StaticObstacle> obstacles = {},
                      const TetWorldOptions& options = {});
    TetWorld(std::vector<TetWorldBody> bodies, std::vector<TetWorldMembrane> membranes,
             std::vector<StaticObstacle> obstacles, const TetWorldOptions& options);
    ~TetWorld() override;
    TetWorld(TetWorld&&) noexcept;

    void step() override; // as SpringWorld::step()
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    [[nodiscard]] Energy energy() const override;
    [[nodiscard]] Fingerprint state_hash() const override;
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool contacts) const override; // the boundary of each body

    // What of the guest is inside the bodies as they are, by body; depths and directions as options() says, pressed or
    // not. Changes nothing that a step depends on. O(tetrahedra near it).
    [[nodiscard]] std::vector<TetGuestPush> find_guest(const TetGuest& guest);

    void set_motion(MotionHook hook); // see SpringMotion; those of a body are points(body)
    // Cuts a body where it is now; reports as BreakableSolid does. Only in a world with `breaking`:
    // Error{invalid_argument}.
    CutReport cut(Index body, const CutPlane& plane, const CutOptions& options = {});

    [[nodiscard]] const TetWorldOptions& options() const;
    [[nodiscard]] std::span<const TetWorldBody> bodies() const; // as they started
    [[nodiscard]] std::span<const TetWorldMembrane> membranes() const;
    [[nodiscard]] std::span<const StaticObstacle> obstacles() const;
    // Of a body, or of a membrane, which has no tetrahedra and is all boundary: its number counts on from those of the
    // bodies.
    [[nodiscard]] TetBody body(Index body) const; // as it is: vertices and what hangs together; until the next step
    [[nodiscard]] std::span<const Index> points(Index body) const; // of each vertex: its number in springs()
    [[nodiscard]] const BoundaryAreas& areas(Index body) const;    // of its boundary, at rest
    [[nodiscard]] std::size_t pieces(Index body) const;            // parts that it has broken into; O(n)
    [[nodiscard]] bool broken(Index body) const;                   // or cut
    // Of its boundary, by places in body(b).topology.boundary_vertices(). The same object while nothing breaks.
    [[nodiscard]] std::shared_ptr<const std::vector<Triangle>> surface(Index body) const;
    [[nodiscard]] const SpringWorld& springs() const;
    [[nodiscard]] const SpringReport& report() const;                // of the last step
    [[nodiscard]] std::span<const TetWorldContact> contacts() const; // of the bodies as they are
    [[nodiscard]] const TetWorldStatistics& statistics() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
