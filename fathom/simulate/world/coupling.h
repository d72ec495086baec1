// Contact between bodies of different worlds: rigid bodies, tetrahedral solids and membranes, and spring surfaces.
// Every force has its opposite at the same place, so that momentum is conserved to rounding, and angular momentum
// except for the displacement within a step. Forces act on
// - points of solids, membranes and surfaces in the field of a rigid body; of membranes and surfaces also the centres
// of edges and faces;
// - edges (or vertices, as between solids) of rigid bodies and of surfaces in the tetrahedra of a solid.
// Law: weighted_contact.h. The penalty acts on the compression accumulated since first contact, not on the
// instantaneous depth (contact_cache.h). The depth is extrapolated by half a step, because the forces then act during
// the whole step: the scheme is explicit, and yet a contact spring neither gains nor loses energy (Verlet) or loses
// some (rigid bodies, backward Euler) below a step of 2 / frequency.
// Not detected: features finer than the samples of a membrane or surface, a solid that is wholly inside a closed
// surface, surfaces and membranes against each other, and bodies that pass through in one step. O(points nearby +
// contacts) per step. One caller; parallel inside, the same bits for any number of threads.
#pragma once

#include <fathom/simulate/contact/contact_cache.h>
#include <fathom/simulate/rigid/rigid_world.h>
#include <fathom/simulate/tets/tet_world.h>

namespace fathom {

struct CouplingOptions {
    WeightedContactLaw law{};
    double recovery_time = 0.5; // s, for contacts that are first found deep
};

// The coupled worlds; null for a kind that is absent.
struct CoupledWorlds {
    RigidWorld* rigid = nullptr;
    TetWorld* solids = nullptr;
    DeformingWorld* surfaces = nullptr;

    // Bodies are numbered consecutively: rigid bodies, solids, membranes, surfaces.
    [[nodiscard]] std::size_t rigid_count() const { return rigid ? rigid->bodies().size() : 0; }
    [[nodiscard]] std::size_t solid_count() const {
        return solids ? solids->bodies().size() + solids->membranes().size() : 0;
    }
    [[nodiscard]] std::size_t surface_count() const { return surfaces ? surfaces->bodies().size() : 0; }
    [[nodiscard]] Index first_solid() const { return static_cast<Index>(rigid_count()); }
    [[nodiscard]] Index first_surface() const { return static_cast<Index>(rigid_count() + solid_count()); }
};

class Coupling {
public:
    // The worlds must outlive it. Error{invalid_argument} names the option that is out of range.
    explicit Coupling(const CoupledWorlds& worlds, const CouplingOptions& options = {});
    ~Coupling();
    Coupling(Coupling&&) noexcept;

    // Whether there are bodies of more than one kind; otherwise find() does nothing.
    [[nodiscard]] bool possible() const;

    // Finds the contacts of the bodies at their current positions and the forces for the next step (s).
    void find(double step);

    // Bodies are numbered as in CoupledWorlds. feature_a is a vertex of a, or a sample after its vertices; feature_b is
    // unknown.
    [[nodiscard]] std::span<const BodyContact> contacts() const;
    [[nodiscard]] std::span<const Wrench> on_rigid() const;           // by body
    [[nodiscard]] std::span<const Vec3> on_solids() const;            // by point of the spring system (N)
    [[nodiscard]] std::span<const Vec3> on_surfaces() const;          // by point of the spring system (N)
    [[nodiscard]] double stored() const;                              // energy stored in the contacts (J)
    [[nodiscard]] std::span<const ContactCache::Known> known() const; // state on which the next step depends

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
