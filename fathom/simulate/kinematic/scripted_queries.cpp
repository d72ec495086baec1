// The methods of detect/, asked about bodies that are moved.
#include <fathom/simulate/kinematic/scripted_queries.h>

#include <fathom/base/error.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/deformable/deforming_surface.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/deformable/surface_contacts.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

void need(bool there, const MovedBody& body, const char* what) {
    if (!there)
        throw Error(Cause::invalid_argument, fmt::format("has no {}, which the method needs", what),
                    {.element = fmt::format("body '{}'", body.told.name)});
}

bool has_mesh(const MovedBody& body) { return body.told.mesh && !body.told.mesh->triangles.empty(); }

// Deepest first, no more than wanted.
void finish(MovedPair& pair, std::size_t most) {
    std::stable_sort(pair.contacts.begin(), pair.contacts.end(),
                     [](const MovedContact& a, const MovedContact& b) { return a.depth > b.depth; });
    for (const MovedContact& c : pair.contacts) pair.depth = std::max(pair.depth, c.depth);
    if (pair.contacts.size() > most) pair.contacts.resize(most);
}

class FieldsQuery final : public MovedQuery {
public:
    FieldsQuery(std::span<const MovedBody> bodies, const MovedOptions& options) : options_(options) {
        for (const MovedBody& body : bodies)
            need(body.field != nullptr, body, "field"), solids_.push_back(std::make_unique<Solid>(body.field));
    }
    void ask(std::span<const Motion> motions, std::span<MovedPair> pairs) override {
        for (MovedPair& pair : pairs) {
            const CollideResult r = collide(*solids_[pair.a], motions[pair.a].end, *solids_[pair.b],
                                            motions[pair.b].end, {.most_contacts = options_.most_contacts});
            pair.verdict = r.verdict;
            for (const Contact& c : r.contacts)
                pair.contacts.push_back({c.point_a, -c.normal, c.depth, c.feature_a.element});
            pair.depth = r.depth;
            finish(pair, options_.most_contacts);
        }
    }

private:
    MovedOptions options_;
    std::vector<std::unique_ptr<Solid>> solids_;
};

class DescentQuery final : public MovedQuery {
public:
    DescentQuery(std::span<const MovedBody> bodies, const MovedOptions& options) : bodies_(bodies), options_(options) {
        for (const MovedBody& body : bodies)
            need(body.field != nullptr, body, "field"),
                parts_.push_back(decompose(*body.field, {.parts = options.parts}));
    }
    void ask(std::span<const Motion> motions, std::span<MovedPair> pairs) override {
        PlainOptions plain;
        plain.descent.rule = options_.descent_step > 0 ? StepRule::fixed : StepRule::adaptive;
        plain.descent.step = options_.descent_step;
        const auto body = [&](Index k) { return PlainBody{{bodies_[k].field.get(), motions[k].end}, &parts_[k]}; };
        for (MovedPair& pair : pairs) {
            const PlainResult r = plain_field_collision(body(pair.a), body(pair.b), plain);
            pair.verdict = r.verdict;
            for (const DualContact& c : r.contacts) {
                pair.contacts.push_back({c.point_a, -c.normal_a, c.depth_a});
                pair.contacts.push_back({c.point_b, -c.normal_b, c.depth_b});
            }
            finish(pair, options_.most_contacts);
        }
    }

private:
    std::span<const MovedBody> bodies_;
    MovedOptions options_;
    std::vector<Decomposition> parts_;
};

class MeshFieldQuery final : public MovedQuery {
public:
    MeshFieldQuery(std::span<const MovedBody> bodies, const MovedOptions& options)
        : bodies_(bodies), options_(options) {
        for (const MovedBody& body : bodies) {
            need(body.field || has_mesh(body), body, "field and no mesh");
            meshes_.push_back(has_mesh(body) ? std::make_unique<ContactMesh>(*body.told.mesh) : nullptr);
        }
    }
    void ask(std::span<const Motion> motions, std::span<MovedPair> pairs) override {
        for (MovedPair& pair : pairs) {
            const bool one = role(motions, pair, pair.a, pair.b), other = role(motions, pair, pair.b, pair.a);
            need(one || other, bodies_[pair.a], "mesh beside a field, nor the other way round");
            finish(pair, options_.most_contacts);
        }
    }

private:
    bool role(std::span<const Motion> motions, MovedPair& pair, Index mesh, Index field) {
        if (!meshes_[mesh] || !bodies_[field].field) return false;
        const MeshContactResult r =
            mesh_contacts(*meshes_[mesh], motions[mesh].end, *bodies_[field].field, motions[field].end);
        if (r.verdict != Verdict::disjoint && pair.verdict != Verdict::overlapping) pair.verdict = r.verdict;
        for (const MeshContact& c : r.contacts)
            pair.contacts.push_back({c.point, mesh == pair.a ? Vec3(-c.normal) : c.normal, c.depth,
                                     mesh == pair.a ? c.triangle : no_index});
        return true;
    }

    std::span<const MovedBody> bodies_;
    MovedOptions options_;
    std::vector<std::unique_ptr<ContactMesh>> meshes_;
};

class MeshesQuery final : public MovedQuery {
public:
    MeshesQuery(std::span<const MovedBody> bodies, const MovedOptions& options) : bodies_(bodies), options_(options) {
        for (const MovedBody& body : bodies)
            need(has_mesh(body), body, "mesh"), surfaces_.emplace_back(*body.told.mesh);
    }
    void ask(std::span<const Motion> motions, std::span<MovedPair> pairs) override {
        std::vector<Vec3> vertices;
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            vertices.clear();
            for (const Vec3& v : bodies_[b].told.mesh->vertices) vertices.push_back(motions[b].end * v);
            surfaces_[b].update(vertices);
        }
        for (MovedPair& pair : pairs) {
            colliding_vertices(surfaces_[pair.a], surfaces_[pair.b], {}, scratch_, inside_);
            surface_contacts(surfaces_[pair.a], surfaces_[pair.b], {.depth = ContactDepth::triangles}, scratch_,
                             crossing_);
            pair.verdict = inside_.verdict == Verdict::overlapping ? inside_.verdict : crossing_.verdict;
            for (const CollidingVertex& v : inside_.vertices) {
                const Vec3 at = surfaces_[v.of_b ? pair.b : pair.a].vertices()[v.vertex];
                pair.contacts.push_back(
                    {at, v.of_b ? Vec3(-v.normal) : v.normal, v.depth, v.of_b ? no_index : v.vertex});
            }
            for (const SurfaceContact& c : crossing_.contacts)
                if (inside_.vertices.empty())
                    pair.contacts.push_back({c.segment.at(0.5), c.way_out, c.depth, c.triangle_a});
            finish(pair, options_.most_contacts);
        }
    }

private:
    std::span<const MovedBody> bodies_;
    MovedOptions options_;
    std::vector<DeformingSurface> surfaces_;
    SurfaceScratch scratch_;
    CollidingVertices inside_;
    SurfaceContacts crossing_;
};

class DepthMapsQuery final : public MovedQuery {
public:
    DepthMapsQuery(std::span<const MovedBody> bodies, const MovedOptions& options)
        : options_(options), backend_(make_cpu_depth_backend()) {
        if (options.objects < 1 || options.objects > bodies.size())
            throw Error(Cause::invalid_argument,
                        fmt::format("asks for {} of {} bodies", options.objects, bodies.size()),
                        {.element = "option objects"});
        for (Index b = 0; b < bodies.size(); ++b) {
            need(has_mesh(bodies[b]), bodies[b], "mesh");
            if (b < options.objects)
                add_object(*bodies[b].told.mesh);
            else
                drawn_.push_back({std::make_shared<DrawnMesh>(*bodies[b].told.mesh), {}, b});
        }
    }
    void ask(std::span<const Motion> motions, std::span<MovedPair> pairs) override {
        for (DrawnBody& body : drawn_) body.pose = motions[body.id].end;
        for (Index k = 0; k < objects_.size(); ++k) tell(k, collide(*objects_[k], motions[k].end, drawn_), pairs);
    }

private:
    void add_object(const TriangleMesh& mesh) {
        const DirectionReport directions = choose_directions(*backend_, mesh, {.most = options_.directions});
        objects_.push_back(std::make_unique<DepthObject>(*backend_, mesh, directions.projections(),
                                                         DepthObjectOptions{.pixels = options_.pixels}));
    }
    void tell(Index object, const DepthCollision& r, std::span<MovedPair> pairs) const {
        for (MovedPair& pair : pairs) {
            if (pair.a != object) continue;
            if (r.verdict == Verdict::undecided) pair.verdict = r.verdict;
            for (const DepthBodyHit& hit : r.bodies)
                if (hit.body == pair.b && hit.pixels > 0)
                    pair.verdict = Verdict::overlapping,
                    pair.contacts.push_back({hit.point, hit.way_out, hit.depth, hit.primitive});
            for (const DepthEnclosure& e : r.enclosed_by)
                if (e.body == pair.b)
                    pair.verdict = Verdict::overlapping, pair.contacts.push_back({e.point, Vec3::Zero(), 0});
            finish(pair, options_.most_contacts);
        }
    }

    MovedOptions options_;
    std::unique_ptr<DepthBackend> backend_;
    std::vector<DrawnBody> drawn_;
    std::vector<std::unique_ptr<DepthObject>> objects_;
};

class SweepQuery final : public MovedQuery {
public:
    SweepQuery(std::span<const MovedBody> bodies, const MovedOptions& options) : bodies_(bodies), options_(options) {
        for (const MovedBody& body : bodies) need(body.shape && body.shape->caster, body, "shape with a field");
    }
    void ask(std::span<const Motion> motions, std::span<MovedPair> pairs) override {
        for (MovedPair& pair : pairs) {
            role(motions, pair, pair.a, pair.b);
            role(motions, pair, pair.b, pair.a);
            finish(pair, options_.most_contacts);
        }
    }

private:
    void role(std::span<const Motion> motions, MovedPair& pair, Index shell, Index field) {
        if (!bodies_[shell].shape->shell) return;
        const SweepShell& points = *bodies_[shell].shape->shell;
        const SegmentCaster& caster = *bodies_[field].shape->caster;
        sweep(points, motions[shell], caster, motions[field], result_, {.goal = SweepGoal::all, .tree = options_.tree});
        if (!result_.contacts.empty()) pair.verdict = Verdict::overlapping;
        for (const PointContact& c : result_.contacts) { // as deep as it is halfway through
            const double t = 0.5 * (c.time.start + c.time.end);
            const Vec3& p = points.points[c.point];
            const auto seen = [&](const Pose& a, const Pose& b) { return b.to_local(a * p); };
            const Vec3 local = (1 - t) * seen(motions[shell].start, motions[field].start) +
                               t * seen(motions[shell].end, motions[field].end);
            const Sample sample = caster.field().sample(local);
            const Pose pose = Mover(motions[field]).pose(t);
            const Vec3 out = pose.turn(sample.gradient.stableNormalized());
            pair.contacts.push_back({pose * local, shell == pair.a ? out : Vec3(-out), std::max(0.0, -sample.distance),
                                     shell == pair.a ? c.point : no_index});
        }
    }

    std::span<const MovedBody> bodies_;
    MovedOptions options_;
    SweepResult result_;
};

} // namespace

std::unique_ptr<MovedQuery> make_moved_query(std::span<const MovedBody> bodies, const MovedOptions& options) {
    switch (options.method) {
    case MovedMethod::descent:
        return std::make_unique<DescentQuery>(bodies, options);
    case MovedMethod::mesh_field:
        return std::make_unique<MeshFieldQuery>(bodies, options);
    case MovedMethod::meshes:
        return std::make_unique<MeshesQuery>(bodies, options);
    case MovedMethod::depth_maps:
        return std::make_unique<DepthMapsQuery>(bodies, options);
    case MovedMethod::sweep:
        return std::make_unique<SweepQuery>(bodies, options);
    default:
        return std::make_unique<FieldsQuery>(bodies, options);
    }
}

} // namespace fathom
