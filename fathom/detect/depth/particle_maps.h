// Height maps of the surroundings that all particles share, and where their steps run into them.
// Method: Fabrizio, "Easy real-time collision detection", section 2: one map along the direction of propagation, or six
// around a centre, layers behind the first obstacle by depth peeling. Here each pixel is a column, solid from where a
// surface is entered (front faces) to where it is left again (back faces behind them), so that particles may also come
// from the side and from behind; and in a pixel a surface is the plane of what was drawn there, not a step. A motion is
// followed through all pixels on its way: none is too long. Not for: solids that overlap each other (the second is
// known only from the far side of the first), parts thinner than a pixel. Where views see nothing, outside of their
// boxes too, there is nothing. Drawing is not thread-safe; what was drawn can be asked by many threads. A particle that
// is near nothing costs one look at a few tiles.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <optional>
#include <vector>

namespace fathom {

// Which of several maps a motion asks.
enum class AskMaps {
    every,    // all whose boxes it touches; the first hit counts
    main_axis // the one that looks most along it: cheaper, and misses what only the others see
};

struct ParticleMapOptions {
    std::size_t layers = 1; // solids one behind the other, along each view; 1 to 16
    // Draw also where solids are left. Without, all that is behind the first surface is solid, as in the paper: half
    // the drawing, for sheets and ground; but what passes beside an obstacle then hits its shadow.
    bool exits = true;
    AskMaps ask = AskMaps::every;
};

struct ParticleHit {
    Index particle = no_index;  // of the steps asked for
    double at = 0;              // share of the step, 0 to 1
    Vec3 point = Vec3::Zero();  // m, world
    Vec3 normal = Vec3::Zero(); // unit, world, out of what was hit and against the motion
    DepthId id{};
    bool inside =
        false; // the step begins in a solid: `point` is where it can be left along the view, `normal` looks that way
};

// Looks along `direction` at a box in the world.
[[nodiscard]] std::vector<DepthView> views_along(const Box& box, const Vec3& direction,
                                                 const ViewOptions& options = {});
// Six views from planes through `center` (taken into the box) outward: +x, -x, +y, -y, +z, -z, each of its part of the
// box. Throws Error as view_of() does.
[[nodiscard]] std::vector<DepthView> views_around(const Box& box, const Vec3& center, const ViewOptions& options = {});

class ParticleMaps {
public:
    // Throws Error{invalid_argument}: no backend, or an option out of range.
    explicit ParticleMaps(std::shared_ptr<DepthBackend> backend, const ParticleMapOptions& options = {});
    ~ParticleMaps();
    ParticleMaps(ParticleMaps&&) noexcept;
    ParticleMaps& operator=(ParticleMaps&&) noexcept;

    // Replaces what was drawn. Throws as DepthBackend::draw() does.
    void draw(std::span<const DepthView> views, std::span<const DrawnBody> bodies);

    // Where the way from one place to the other first enters a solid. Ends that are not finite hit nothing.
    [[nodiscard]] std::optional<ParticleHit> first_hit(const Vec3& from, const Vec3& to) const;
    // For each of many, those that hit in the order of particles. Parallel, the same bits for any number of threads.
    // Throws Error{count_mismatch}.
    void first_hits(std::span<const Vec3> from, std::span<const Vec3> to, std::vector<ParticleHit>& hits) const;
    // Is the place in a solid, as drawn?
    [[nodiscard]] bool contains(const Vec3& p) const { return first_hit(p, p).has_value(); }

    [[nodiscard]] const ParticleMapOptions& options() const;
    [[nodiscard]] std::size_t view_count() const;
    [[nodiscard]] double pixel_size() const; // largest side of a pixel of all views (m); 0 before the first draw
    // Nearest maps with ids and normals. `exit` of a map without exits throws Error{invalid_argument}.
    [[nodiscard]] const DepthMap& entry(std::size_t view, std::size_t layer = 0) const;
    [[nodiscard]] const DepthMap& exit(std::size_t view, std::size_t layer = 0) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
