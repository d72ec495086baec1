// Contact between bodies of different worlds: rigid ones, solids of tetrahedra and membranes, and
// surfaces of springs. What pushes, each with its opposite in the same place, so that momentum is kept to rounding, and
// angular momentum but for the way of a step:
// - points of solids, membranes and surfaces in the field of a rigid body; of membranes and surfaces also the middles
// of edges and faces;
// - edges (or vertices, as the solids among themselves) of rigid bodies and of surfaces in the tetrahedra of a solid.
// Law: weighted_contact.h, of the way pressed, not of a depth found at once (contact_memory.h). The depth is foretold
// by half a step, as the pushes then act through the whole of it: explicit, and yet a spring of contact neither wins
// nor loses energy (Verlet) or loses some (rigid bodies, backward Euler) below a step of 2 / frequency. Not felt: what
// is finer than the samples of a membrane or surface, a solid that is wholly inside a closed surface, surfaces and
// membranes against each other, and what passes through in one step. O(points near + contacts) a step. One caller;
// parallel inside, the same bits for any number of threads.
#pragma once

#include <fathom/simulate/contact/contact_cache.h>
#include <fathom/simulate/rigid/rigid_world.h>
#include <fathom/simulate/tets/tet_world.h>

namespace fathom {

struct CouplingOptions {
    WeightedContactLaw law{};
    double recovery_time = 0.5; // s, of contacts that are found deep all at once
};

// The worlds that meet; null where there is none of the kind.
struct CoupledWorlds {
    RigidWorld* rigid = nullptr;
    TetWorld* solids = nullptr;
    DeformingWorld* surfaces = nullptr;

    // Bodies in one row: rigid ones, solids, membranes, surfaces.
    [[nodiscard]] std::size_t rigid_count() const { return rigid ? rigid->bodies().size() : 0; }
    [[nodiscard]] std::size_t solid_count() const {
        return solids ? solids->bodies().size() + solids->membranes().size() : 0;
    }
    [[nodiscard]] std::size_t surface_count() const { return surfaces ? surfaces->bodies().size() : 0; }
    [[nodiscard]] Index first_solid() const { return static_cast<Index>(rigid_count()); }
    [[nodiscard]] Index first_surface() const { return static_cast<Index>(rigid_count() + solid_count()); }
};

struct CoupledContact {
    Index body = no_index, other = no_index; // in the row of CoupledWorlds
    Index point = no_index;                  // of the first: a vertex, or a sample after its vertices
    Vec3 position = Vec3::Zero();            // m, world
    Vec3 normal = Vec3::Zero();              // unit, from the other to the first
    double depth = 0;                        // m
};

class Coupling {
public:
    // The worlds must outlive it. Error{invalid_argument} names the option out of range.
    explicit Coupling(const CoupledWorlds& worlds, const CouplingOptions& options = {});
    ~Coupling();
    Coupling(Coupling&&) noexcept;

    // Contacts of the bodies as they are, and what they push by in the step that comes (s).
    void find(double step);

    [[nodiscard]] std::span<const CoupledContact> contacts() const;
    [[nodiscard]] std::span<const Wrench> on_rigid() const;           // by body
    [[nodiscard]] std::span<const Vec3> on_solids() const;            // by point of its springs (N)
    [[nodiscard]] std::span<const Vec3> on_surfaces() const;          // the same
    [[nodiscard]] double stored() const;                              // J
    [[nodiscard]] std::span<const ContactCache::Known> known() const; // what the next step depends on

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
