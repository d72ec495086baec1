// Depth maps of the surroundings that all particles share, and the collisions of particle steps with them.
// Method: Fabrizio, "Easy real-time collision detection", section 2: one map along the direction of propagation, or six
// around a centre, with layers behind the first obstacle by depth peeling. Here each pixel is a column that is solid
// from where a surface is entered (front faces) to where it is left again (back faces behind them), so that particles
// may also come from the side and from behind; and within a pixel a surface is the plane of the drawn primitive, not a
// step. A motion is traversed through all pixels on its path, whatever its length.
// Not for: solids that overlap each other (the second is known only from the far side of the first), parts thinner than
// a pixel. Where the views see nothing, and outside their boxes, space is empty. Drawing is not thread-safe; queries
// may run in many threads. A particle that is near nothing costs a test of a few tiles.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <optional>
#include <vector>

namespace fathom {

// The maps that are tested for a motion.
enum class TestedMaps {
    every,    // all maps whose boxes the motion touches; the first hit counts
    main_axis // only the map whose direction is most along the motion: cheaper, but misses what only the other maps see
};

struct ParticleMapOptions {
    std::size_t layers = 1; // solids behind one another along each view; 1 to 16
    // Also draw the exits from solids. Without them everything behind the first surface is solid, as in the paper. This
    // halves the drawing and suits sheets and ground; but a particle that passes beside an obstacle then hits its
    // shadow.
    bool exits = true;
    TestedMaps tested = TestedMaps::every;
};

struct ParticleHit {
    Index particle = no_index;  // index of the step
    double at = 0;              // fraction of the step, 0 to 1
    Vec3 point = Vec3::Zero();  // m, world
    Vec3 normal = Vec3::Zero(); // unit, world, outward from the obstacle and against the motion
    DepthId id{};
    // The step begins in a solid: `point` is the exit along the view, `normal` points that way.
    bool inside = false;
};

// A view along `direction` of a box in the world.
[[nodiscard]] std::vector<DepthView> views_along(const Box& box, const Vec3& direction,
                                                 const ViewOptions& options = {});
// Six views from planes through `center` (clamped to the box) outward: +x, -x, +y, -y, +z, -z, each of its part of the
// box. Throws Error as view_of() does.
[[nodiscard]] std::vector<DepthView> views_around(const Box& box, const Vec3& center, const ViewOptions& options = {});

class ParticleMaps {
public:
    // Throws Error{invalid_argument}: no backend, or an option out of range.
    explicit ParticleMaps(std::shared_ptr<DepthBackend> backend, const ParticleMapOptions& options = {});
    ~ParticleMaps();
    ParticleMaps(ParticleMaps&&) noexcept;
    ParticleMaps& operator=(ParticleMaps&&) noexcept;

    // Replaces the drawn maps. Throws as DepthBackend::draw() does.
    void draw(std::span<const DepthView> views, std::span<const DrawnBody> bodies);

    // The first point at which the segment enters a solid. Ends that are not finite hit nothing.
    [[nodiscard]] std::optional<ParticleHit> first_hit(const Vec3& from, const Vec3& to) const;
    // The same for many segments; hits are in the order of particles. Parallel, the same bits for any number of
    // threads. Throws Error{count_mismatch}.
    void first_hits(std::span<const Vec3> from, std::span<const Vec3> to, std::vector<ParticleHit>& hits) const;
    // Whether the point is in a solid, as drawn.
    [[nodiscard]] bool contains(const Vec3& p) const { return first_hit(p, p).has_value(); }

    [[nodiscard]] const ParticleMapOptions& options() const;
    [[nodiscard]] std::size_t view_count() const;
    [[nodiscard]] double pixel_size() const; // largest side of a pixel over all views (m); 0 before the first draw
    // Nearest maps with ids and normals. exit() throws Error{invalid_argument} if exits are not drawn.
    [[nodiscard]] const DepthMap& entry(std::size_t view, std::size_t layer = 0) const;
    [[nodiscard]] const DepthMap& exit(std::size_t view, std::size_t layer = 0) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
