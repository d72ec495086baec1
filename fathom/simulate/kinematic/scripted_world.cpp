// Moves the bodies along their paths and runs the query of every pair.
#include <fathom/detect/decomposition/detection_points.h>
#include <fathom/simulate/kinematic/scripted_world.h>

#include <fathom/base/error.h>
#include <fathom/base/motion.h>
#include <fathom/base/progress.h>
#include <fathom/detect/deformable/deforming_surface.h>
#include <fathom/detect/deformable/surface_contacts.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/simulate/record/recording.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace fathom {

// ---- Queries: one class for each method. Their data is built once.

namespace {

class ScriptedQuery {
public:
    virtual ~ScriptedQuery() = default;
    // `motions` are those of the bodies over the last step. Fills status, depth and contacts of every pair, which have
    // been reset before.
    virtual void run(std::span<const Motion> motions, std::span<ScriptedPair> pairs) = 0;
};

// Errors: as for ScriptedWorld. The bodies must outlive the query.
[[nodiscard]] std::unique_ptr<ScriptedQuery> make_scripted_query(std::span<const KinematicBody> bodies,
                                                                 const ScriptedOptions& options);

void need(bool there, const KinematicBody& body, const char* what) {
    if (!there)
        throw Error(Cause::invalid_argument, fmt::format("has no {}, which the method needs", what),
                    {.element = fmt::format("body '{}'", body.obstacle.name)});
}

bool has_mesh(const KinematicBody& body) { return body.obstacle.mesh && !body.obstacle.mesh->triangles.empty(); }

// Sorts the contacts by decreasing depth and keeps at most `most`.
void finish(ScriptedPair& pair, std::size_t most) {
    std::stable_sort(pair.contacts.begin(), pair.contacts.end(),
                     [](const BodyContact& a, const BodyContact& b) { return a.depth > b.depth; });
    for (const BodyContact& c : pair.contacts) pair.depth = std::max(pair.depth, c.depth);
    if (pair.contacts.size() > most) pair.contacts.resize(most);
}

// Adds a contact of a feature of one body, a or b, with the other; its normal points from that body to the other.
void add_one_sided(ScriptedPair& pair, bool of_a, Index feature, BodyContact contact) {
    contact.a = pair.a, contact.b = pair.b;
    (of_a ? contact.feature_a : contact.feature_b) = feature;
    if (!of_a) contact.normal = -contact.normal;
    pair.contacts.push_back(contact);
}

class FieldsQuery final : public ScriptedQuery {
public:
    FieldsQuery(std::span<const KinematicBody> bodies, const ScriptedOptions& options) : options_(options) {
        for (const KinematicBody& body : bodies)
            need(body.field != nullptr, body, "field"),
                solids_.push_back(std::make_unique<FieldSphereTree>(body.field));
    }
    void run(std::span<const Motion> motions, std::span<ScriptedPair> pairs) override {
        for (ScriptedPair& pair : pairs) {
            const field_field::CollideResult r =
                field_field::collide(*solids_[pair.a], motions[pair.a].end, *solids_[pair.b], motions[pair.b].end,
                                     {.max_contacts = options_.max_contacts});
            pair.status = r.status;
            for (const Contact& c : r.contacts)
                pair.contacts.push_back(
                    {pair.a, pair.b, c.feature_a.element, c.feature_b.element, c.point_a, c.normal, c.depth});
            pair.depth = r.depth;
            finish(pair, options_.max_contacts);
        }
    }

private:
    ScriptedOptions options_;
    std::vector<std::unique_ptr<FieldSphereTree>> solids_;
};

class DescentQuery final : public ScriptedQuery {
public:
    DescentQuery(std::span<const KinematicBody> bodies, const ScriptedOptions& options)
        : bodies_(bodies), options_(options) {
        for (const KinematicBody& body : bodies)
            need(body.field != nullptr, body, "field"),
                parts_.push_back(decompose(*body.field, {.parts = options.parts}));
    }
    void run(std::span<const Motion> motions, std::span<ScriptedPair> pairs) override {
        PlainOptions plain;
        plain.descent.rule = options_.descent_step > 0 ? field_field::StepRule::fixed : field_field::StepRule::adaptive;
        plain.descent.step = options_.descent_step;
        const auto body = [&](Index k) { return PlainBody{{bodies_[k].field.get(), motions[k].end}, &parts_[k]}; };
        for (ScriptedPair& pair : pairs) {
            const PlainResult r = plain_field_collision(body(pair.a), body(pair.b), plain);
            pair.status = r.status;
            for (const field_field::DualContact& c : r.contacts) {
                pair.contacts.push_back({pair.a, pair.b, no_index, no_index, c.point_a, c.normal_a, c.depth_a});
                pair.contacts.push_back({pair.a, pair.b, no_index, no_index, c.point_b, c.normal_b, c.depth_b});
            }
            finish(pair, options_.max_contacts);
        }
    }

private:
    std::span<const KinematicBody> bodies_;
    ScriptedOptions options_;
    std::vector<Decomposition> parts_;
};

class MeshFieldQuery final : public ScriptedQuery {
public:
    MeshFieldQuery(std::span<const KinematicBody> bodies, const ScriptedOptions& options)
        : bodies_(bodies), options_(options) {
        for (const KinematicBody& body : bodies) {
            need(body.field || has_mesh(body), body, "field or mesh");
            meshes_.push_back(has_mesh(body) ? std::make_unique<TriangleSphereTree>(*body.obstacle.mesh) : nullptr);
        }
    }
    void run(std::span<const Motion> motions, std::span<ScriptedPair> pairs) override {
        for (ScriptedPair& pair : pairs) {
            const bool one = role(motions, pair, pair.a, pair.b), other = role(motions, pair, pair.b, pair.a);
            need(one || other, bodies_[pair.a],
                 "mesh to test in the field of the other body, nor a field for its mesh");
            finish(pair, options_.max_contacts);
        }
    }

private:
    bool role(std::span<const Motion> motions, ScriptedPair& pair, Index mesh, Index field) {
        if (!meshes_[mesh] || !bodies_[field].field) return false;
        const mesh_field::MeshContactResult r =
            mesh_field::mesh_contacts(*meshes_[mesh], motions[mesh].end, *bodies_[field].field, motions[field].end);
        if (r.status != Status::disjoint && pair.status != Status::overlapping) pair.status = r.status;
        for (const mesh_field::MeshContact& c : r.contacts)
            add_one_sided(pair, mesh == pair.a, c.triangle,
                          {.position = c.point, .normal = c.normal, .depth = c.depth});
        return true;
    }

    std::span<const KinematicBody> bodies_;
    ScriptedOptions options_;
    std::vector<std::unique_ptr<TriangleSphereTree>> meshes_;
};

class MeshesQuery final : public ScriptedQuery {
public:
    MeshesQuery(std::span<const KinematicBody> bodies, const ScriptedOptions& options)
        : bodies_(bodies), options_(options) {
        for (const KinematicBody& body : bodies)
            need(has_mesh(body), body, "mesh"), surfaces_.emplace_back(*body.obstacle.mesh);
    }
    void run(std::span<const Motion> motions, std::span<ScriptedPair> pairs) override {
        std::vector<Vec3> vertices;
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            vertices.clear();
            for (const Vec3& v : bodies_[b].obstacle.mesh->vertices) vertices.push_back(motions[b].end * v);
            surfaces_[b].update(vertices);
        }
        for (ScriptedPair& pair : pairs) {
            deformable::colliding_vertices(surfaces_[pair.a], surfaces_[pair.b], {}, scratch_, inside_);
            deformable::surface_contacts(surfaces_[pair.a], surfaces_[pair.b],
                                         {.depth = deformable::ContactDepth::triangles}, scratch_, crossing_);
            pair.status = inside_.status == Status::overlapping ? inside_.status : crossing_.status;
            for (const deformable::CollidingVertex& v : inside_.vertices) {
                const Vec3 at = surfaces_[v.of_b ? pair.b : pair.a].vertices()[v.vertex];
                add_one_sided(pair, !v.of_b, v.vertex,
                              {.position = at, .normal = -v.separating_direction, .depth = v.depth});
            }
            for (const deformable::SurfaceContact& c : crossing_.contacts)
                if (inside_.vertices.empty())
                    pair.contacts.push_back({pair.a, pair.b, c.triangle_a, c.triangle_b, c.segment.at(0.5),
                                             -c.separating_direction, c.depth});
            finish(pair, options_.max_contacts);
        }
    }

private:
    std::span<const KinematicBody> bodies_;
    ScriptedOptions options_;
    std::vector<deformable::DeformingSurface> surfaces_;
    deformable::SurfaceScratch scratch_;
    deformable::CollidingVertices inside_;
    deformable::SurfaceContacts crossing_;
};

class DepthMapsQuery final : public ScriptedQuery {
public:
    DepthMapsQuery(std::span<const KinematicBody> bodies, const ScriptedOptions& options)
        : options_(options), backend_(make_cpu_depth_backend()) {
        if (options.objects < 1 || options.objects > bodies.size())
            throw Error(Cause::invalid_argument,
                        fmt::format("{} is not from 1 to the number of bodies, {}", options.objects, bodies.size()),
                        {.element = "option objects"});
        for (Index b = 0; b < bodies.size(); ++b) {
            need(has_mesh(bodies[b]), bodies[b], "mesh");
            if (b < options.objects)
                add_object(*bodies[b].obstacle.mesh);
            else
                drawn_.push_back({std::make_shared<DrawnMesh>(*bodies[b].obstacle.mesh), {}, b});
        }
    }
    void run(std::span<const Motion> motions, std::span<ScriptedPair> pairs) override {
        for (DrawnBody& body : drawn_) body.pose = motions[body.id].end;
        for (Index k = 0; k < objects_.size(); ++k) add_result(k, collide(*objects_[k], motions[k].end, drawn_), pairs);
    }

private:
    void add_object(const TriangleMesh& mesh) {
        const DirectionReport directions = choose_directions(*backend_, mesh, {.max_directions = options_.directions});
        objects_.push_back(std::make_unique<DepthObject>(*backend_, mesh, directions.projections(),
                                                         DepthObjectOptions{.pixels = options_.pixels}));
    }
    void add_result(Index object, const DepthCollision& r, std::span<ScriptedPair> pairs) const {
        for (ScriptedPair& pair : pairs) {
            if (pair.a != object) continue;
            if (r.status == Status::undecided) pair.status = r.status;
            for (const DepthBodyHit& hit : r.bodies)
                if (hit.body == pair.b && hit.pixels > 0)
                    pair.status = Status::overlapping,
                    pair.contacts.push_back(
                        {pair.a, pair.b, no_index, hit.primitive, hit.point, -hit.separating_direction, hit.depth});
            for (const DepthEnclosure& e : r.enclosed_by)
                if (e.body == pair.b)
                    pair.status = Status::overlapping,
                    pair.contacts.push_back({.a = pair.a, .b = pair.b, .position = e.point});
            finish(pair, options_.max_contacts);
        }
    }

    ScriptedOptions options_;
    std::unique_ptr<DepthBackend> backend_;
    std::vector<DrawnBody> drawn_;
    std::vector<std::unique_ptr<DepthObject>> objects_;
};

class SweepQuery final : public ScriptedQuery {
public:
    SweepQuery(std::span<const KinematicBody> bodies, const ScriptedOptions& options)
        : bodies_(bodies), options_(options) {
        for (const KinematicBody& body : bodies) need(body.shape && body.shape->caster, body, "shape with a field");
    }
    void run(std::span<const Motion> motions, std::span<ScriptedPair> pairs) override {
        for (ScriptedPair& pair : pairs) {
            role(motions, pair, pair.a, pair.b);
            role(motions, pair, pair.b, pair.a);
            finish(pair, options_.max_contacts);
        }
    }

private:
    void role(std::span<const Motion> motions, ScriptedPair& pair, Index shell, Index field) {
        if (!bodies_[shell].shape->shell) return;
        const point_field::SweepShell& points = *bodies_[shell].shape->shell;
        const SegmentCaster& caster = *bodies_[field].shape->caster;
        sweep(points, motions[shell], caster, motions[field], result_, {.goal = SweepGoal::all, .tree = options_.tree});
        if (!result_.contacts.empty()) pair.status = Status::overlapping;
        for (const point_field::PointContact& c : result_.contacts) { // evaluated in the middle of the contact interval
            const double t = 0.5 * (c.time.start + c.time.end);
            const Vec3& p = points.points[c.point];
            const auto seen = [&](const Pose& a, const Pose& b) { return b.to_local(a * p); };
            const Vec3 local = (1 - t) * seen(motions[shell].start, motions[field].start) +
                               t * seen(motions[shell].end, motions[field].end);
            const Sample sample = caster.field().sample(local);
            const Pose pose = Mover(motions[field]).pose(t);
            const Vec3 out = pose.rotate(sample.gradient.stableNormalized());
            add_one_sided(pair, shell == pair.a, c.point,
                          {.position = pose * local, .normal = -out, .depth = std::max(0.0, -sample.distance)});
        }
    }

    std::span<const KinematicBody> bodies_;
    ScriptedOptions options_;
    point_field::ShellSweepResult result_;
};

std::unique_ptr<ScriptedQuery> make_scripted_query(std::span<const KinematicBody> bodies,
                                                   const ScriptedOptions& options) {
    switch (options.method) {
    case ScriptedMethod::descent:
        return std::make_unique<DescentQuery>(bodies, options);
    case ScriptedMethod::mesh_field:
        return std::make_unique<MeshFieldQuery>(bodies, options);
    case ScriptedMethod::meshes:
        return std::make_unique<MeshesQuery>(bodies, options);
    case ScriptedMethod::depth_maps:
        return std::make_unique<DepthMapsQuery>(bodies, options);
    case ScriptedMethod::sweep:
        return std::make_unique<SweepQuery>(bodies, options);
    default:
        return std::make_unique<FieldsQuery>(bodies, options);
    }
}
} // namespace

// ---- Motion paths.

Pose MotionPath::at(double time) const {
    if (keys.empty()) return {};
    const auto next =
        std::upper_bound(keys.begin(), keys.end(), time, [](double t, const MotionKey& key) { return t < key.time; });
    if (next == keys.begin()) return next->pose;
    if (next == keys.end()) return keys.back().pose;
    const MotionKey &a = *std::prev(next), &b = *next;
    const double share = (time - a.time) / (b.time - a.time);
    return {a.pose.rotation.slerp(share, b.pose.rotation).normalized(),
            a.pose.translation + share * (b.pose.translation - a.pose.translation)};
}

void check(const MotionPath& path) {
    for (std::size_t k = 0; k < path.keys.size(); ++k) {
        const Place place{.element = "key frame", .index = static_cast<std::int64_t>(k)};
        if (!std::isfinite(path.keys[k].time) || !is_finite(path.keys[k].pose))
            throw Error(Cause::non_finite, "time or pose is not finite", place);
        if (k > 0 && !(path.keys[k].time > path.keys[k - 1].time))
            throw Error(Cause::invalid_argument, "time is not later than that of the previous key frame", place);
    }
}

// ---- World.

struct ScriptedWorld::State {
    std::vector<KinematicBody> bodies;
    ScriptedOptions options;
    double step = 0;
    std::unique_ptr<ScriptedQuery> query;
    std::vector<Motion> motions; // over the last step
    std::vector<ScriptedPair> pairs;
    std::size_t steps = 0;
    double seconds = 0;
    std::string history; // fingerprint of all results so far

    void list_pairs();
    void run();
    [[nodiscard]] double time(std::size_t at) const { return static_cast<double>(at) * step; }
};

void ScriptedWorld::State::list_pairs() {
    for (Index a = 0; a < bodies.size(); ++a)
        for (Index b = a + 1; b < bodies.size(); ++b) {
            const bool tested =
                options.method != ScriptedMethod::depth_maps || (a < options.objects && b >= options.objects);
            if (tested && !(bodies[a].stationary() && bodies[b].stationary())) pairs.push_back({a, b});
        }
}

void ScriptedWorld::State::run() {
    for (ScriptedPair& pair : pairs) pair = {pair.a, pair.b};
    const Stopwatch watch;
    query->run(motions, pairs);
    seconds = watch.seconds();
    Fingerprinter printer;
    printer.add(history);
    for (const ScriptedPair& pair : pairs) {
        const std::array<std::size_t, 2> answer = {static_cast<std::size_t>(pair.status), pair.contacts.size()};
        printer.add(std::as_bytes(std::span(answer)));
    }
    history = printer.finish().text();
}

ScriptedWorld::ScriptedWorld(std::vector<KinematicBody> bodies, double step, const ScriptedOptions& options)
    : state_(std::make_unique<State>()) {
    if (bodies.empty()) throw Error(Cause::empty, "the world has no bodies");
    require_positive(step, "option step");
    for (KinematicBody& body : bodies) {
        if (!body.obstacle.mesh) body.obstacle.mesh = std::make_shared<const TriangleMesh>();
        check(body.obstacle);
        check(body.path);
    }
    State& s = *state_;
    s.bodies = std::move(bodies);
    s.options = options;
    s.step = step;
    s.query = make_scripted_query(s.bodies, options);
    s.list_pairs();
    for (const KinematicBody& body : s.bodies) s.motions.push_back(Motion::stationary(body.at(0)));
    s.run();
}
ScriptedWorld::~ScriptedWorld() = default;
ScriptedWorld::ScriptedWorld(ScriptedWorld&&) noexcept = default;

void ScriptedWorld::step() {
    State& s = *state_;
    ++s.steps;
    for (std::size_t b = 0; b < s.bodies.size(); ++b) s.motions[b] = {s.motions[b].end, s.bodies[b].at(time())};
    s.run();
}

double ScriptedWorld::step_size() const { return state_->step; }
std::size_t ScriptedWorld::steps() const { return state_->steps; }
double ScriptedWorld::time() const { return state_->time(state_->steps); }
std::span<const KinematicBody> ScriptedWorld::bodies() const { return state_->bodies; }
const Pose& ScriptedWorld::pose(Index body) const { return state_->motions[body].end; }
std::span<const ScriptedPair> ScriptedWorld::pairs() const { return state_->pairs; }
double ScriptedWorld::query_seconds() const { return state_->seconds; }

Fingerprint ScriptedWorld::state_hash() const {
    Fingerprinter printer;
    printer.add(std::as_bytes(std::span(&state_->steps, 1)));
    for (const Motion& motion : state_->motions) {
        printer.add(std::as_bytes(std::span(motion.end.translation.data(), 3)));
        printer.add(std::as_bytes(std::span(motion.end.rotation.coeffs().data(), 4)));
    }
    printer.add(state_->history);
    return printer.finish();
}

std::vector<RecordedBody> ScriptedWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (const KinematicBody& body : bodies())
        all.push_back({body.obstacle.name, body.obstacle.mesh,
                       body.obstacle.mesh->triangles.empty() ? body.field : nullptr, Vec3::Zero(), body.stationary()});
    return all;
}

RecordedStep ScriptedWorld::recorded_step() const {
    RecordedStep step{.step = steps(), .time = time(), .detect_seconds = query_seconds()};
    for (const ScriptedPair& pair : pairs()) {
        step.deepest = std::max(step.deepest, pair.depth);
        step.contact_count += pair.contacts.size();
    }
    return step;
}

void ScriptedWorld::fill(RecordedFrame& frame, bool with_contacts) const {
    for (const Motion& motion : state_->motions) {
        const Vec3 velocity = (motion.end.translation - motion.start.translation) / state_->step;
        frame.bodies.push_back({.pose = motion.end, .velocity = velocity});
    }
    for (const ScriptedPair& pair : pairs()) {
        frame.pairs.push_back({pair.a, pair.b, pair.status, pair.depth});
        if (with_contacts) frame.contacts.insert(frame.contacts.end(), pair.contacts.begin(), pair.contacts.end());
    }
}
} // namespace fathom
