// The bodies of a world: adding, moving, reshaping and removing.
#include <fathom/detect/world/world.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/world/world_state.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

Place body_place(std::int64_t index) { return {.element = "body", .index = index}; }

void check_bounds(const Box& bounds) {
    if (bounds.lower.hasNaN() || bounds.upper.hasNaN())
        throw Error(Cause::non_finite, "the bounds contain a value that is not a number", {.element = "bounds"});
}

bool same(const Pose& a, const Pose& b) {
    return a.translation == b.translation && a.rotation.coeffs() == b.rotation.coeffs();
}

void check(const WorldOptions& options) {
    if (!(options.query.margin >= 0) || !std::isfinite(options.query.margin))
        throw Error(Cause::invalid_argument, "the margin must be finite and not negative",
                    {.element = "option margin"});
}

} // namespace

const WorldBody& World::State::body(Index id) const {
    if (id >= bodies.size() || !bodies[id])
        throw Error(Cause::index_out_of_range, "the body does not exist", body_place(id));
    return *bodies[id];
}

Box World::State::broad_box(const Box& box) const {
    return box.empty() ? box : box.grown(outward(0.5 * options.query.margin));
}

void World::State::place(Index id, const Pose& pose) {
    WorldBody& moved = body(id);
    if (!moved.form) throw Error(Cause::unsupported, "the body has no shape; use set_bounds()", body_place(id));
    if (same(moved.pose, pose) && !moved.swept) return;
    const Box box = moved.endless() ? Box{} : placed_box(moved.shape(), pose);
    broad.move(id, broad_box(box));
    moved.pose = pose;
    moved.box = box;
    moved.swept.reset();
    moved.changed = steps;
}

void World::State::reshape(Index id, Shape shape) {
    WorldBody& old = body(id);
    const Box box = shape.bounded() ? placed_box(shape, old.pose) : Box{};
    broad.move(id, broad_box(box));
    old.form = std::move(shape);
    old.swept.reset();
    old.box = box;
    old.changed = old.reshaped = steps;
    set_endless(id, old.endless());
}

void World::State::set_endless(Index id, bool endless_now) {
    const auto place_of = std::ranges::lower_bound(endless, id);
    const bool listed = place_of != endless.end() && *place_of == id;
    if (endless_now && !listed) endless.insert(place_of, id);
    if (!endless_now && listed) endless.erase(place_of);
}

World::World(const WorldOptions& options) {
    check(options);
    state_ = std::make_unique<State>(options);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

Index World::add(Shape shape, const Pose& pose, const BodyOptions& options) {
    const Pose placed = checked_pose(pose);
    State& s = *state_;
    const bool endless = !shape.bounded();
    const Box box = endless ? Box{} : placed_box(shape, placed);
    const Index id = s.broad.add(s.broad_box(box));
    if (id >= s.bodies.size()) s.bodies.resize(id + 1);
    s.bodies[id] = WorldBody{std::move(shape), placed, options, box, {}, placed, s.steps, s.steps};
    s.set_endless(id, endless);
    return id;
}

Index World::add(const Box& bounds, const BodyOptions& options) {
    State& s = *state_;
    check_bounds(bounds);
    const bool endless = !bounds.empty() && !is_finite(bounds);
    const Index id = s.broad.add(endless ? Box{} : s.broad_box(bounds));
    if (id >= s.bodies.size()) s.bodies.resize(id + 1);
    s.bodies[id] = WorldBody{.form = {}, .options = options, .swept = bounds, .changed = s.steps, .reshaped = s.steps};
    s.set_endless(id, endless);
    return id;
}

void World::set_bounds(Index id, const Box& bounds) {
    State& s = *state_;
    WorldBody& body = s.body(id);
    check_bounds(bounds);
    if (body.form && body.endless()) return;
    const bool endless = !bounds.empty() && !is_finite(bounds);
    s.broad.move(id, endless ? Box{} : s.broad_box(bounds));
    body.swept = bounds;
    if (!body.form) s.set_endless(id, endless);
}

void World::set_static(Index id, bool is_static) { state_->body(id).options.is_static = is_static; }

void World::move(Index id, const Pose& pose) { state_->place(id, checked_pose(pose, id)); }

void World::move(std::span<const Index> ids, std::span<const Pose> poses) {
    if (ids.size() != poses.size())
        throw Error(Cause::count_mismatch, fmt::format("expected {} poses, got {}", ids.size(), poses.size()));
    std::vector<Pose> placed(poses.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
        const WorldBody& body = state_->body(ids[k]);
        placed[k] = checked_pose(poses[k], static_cast<std::int64_t>(k));
        if (!body.endless() && !body.shape().bounds().empty() &&
            !std::isfinite(placed_box(body.shape(), placed[k]).grown(state_->options.broad.margin).diagonal()))
            throw Error(Cause::non_finite, "the bounding box of the moved body is not finite", body_place(ids[k]));
    }
    for (std::size_t k = 0; k < ids.size(); ++k) state_->place(ids[k], placed[k]);
}

void World::deform(Index id, std::span<const Vec3> vertices) { replace(id, shape(id).deformed(vertices)); }
void World::replace(Index id, Shape shape) { state_->reshape(id, std::move(shape)); }

void World::remove(Index id) {
    (void)state_->body(id);
    state_->broad.remove(id);
    state_->bodies[id].reset();
    state_->set_endless(id, false);
}

void World::set_category(Index id, std::uint32_t category, std::uint32_t mask) {
    BodyOptions& options = state_->body(id).options;
    options.category = category;
    options.mask = mask;
}

void World::set_user(Index id, std::uint64_t user) { state_->body(id).options.user = user; }

void World::set_filter(Filter filter) { state_->filter = std::move(filter); }

const WorldStep& World::last() const { return state_->step; }
std::size_t World::size() const { return state_->broad.size(); }
std::size_t World::id_limit() const { return state_->bodies.size(); }
bool World::contains(Index id) const { return id < state_->bodies.size() && state_->bodies[id].has_value(); }
bool World::is_static(Index id) const { return state_->body(id).options.is_static; }
const Shape& World::shape(Index id) const {
    const WorldBody& body = state_->body(id);
    if (!body.form) throw Error(Cause::unsupported, "the body has no shape", body_place(id));
    return body.shape();
}
const Pose& World::pose(Index id) const { return state_->body(id).pose; }
const std::string& World::name(Index id) const { return state_->body(id).options.name; }
const BodyOptions& World::body_options(Index id) const { return state_->body(id).options; }
const WorldOptions& World::options() const { return state_->options; }

} // namespace fathom
