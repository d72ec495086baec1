// Times of impact of all features of deforming surfaces whose paths come near each other.
#include <fathom/detect/deformable/surface_contacts.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::deformable {

namespace {

constexpr std::size_t sweep_chunk = 512;
// Chunks that use the results of earlier rounds: fixed, so that the number of threads does not matter.
constexpr std::size_t round_size = 16;

struct Question {
    const DeformingSurface& a;
    const DeformingSurface& b;
    const SurfaceSweepOptions& options;
    double reach;

    [[nodiscard]] bool present(const IdPair& pair) const { return a.contains(pair[0]) && b.contains(pair[1]); }
    [[nodiscard]] VertexFaceStep vertex_face(const FeaturePair& pair) const {
        const DeformingSurface &of = pair.swapped ? b : a, &face = pair.swapped ? a : b;
        const Index v = pair.vertices[0];
        return {of.start_vertices()[v], face.start_corners(pair.triangle), of.vertices()[v],
                face.corners(pair.triangle)};
    }
    [[nodiscard]] EdgeEdgeStep edge_edge(const FeaturePair& pair) const {
        const auto& v = pair.vertices;
        const auto edge = [](std::span<const Vec3> vertices, Index from, Index to) -> Segment {
            return {vertices[from], vertices[to]};
        };
        return {edge(a.start_vertices(), v[0], v[1]), edge(b.start_vertices(), v[2], v[3]),
                edge(a.vertices(), v[0], v[1]), edge(b.vertices(), v[2], v[3])};
    }
    [[nodiscard]] bool paths_near(const VertexFaceStep& step) const {
        Box box;
        for (std::size_t k = 0; k < 3; ++k) {
            box.extend(step.face_start[k]);
            box.extend(step.face_end[k]);
        }
        return box.grown(reach).overlaps(Segment{step.vertex_start, step.vertex_end}.bounds());
    }
    [[nodiscard]] bool paths_near(const EdgeEdgeStep& step) const {
        return hull(step.a_start.bounds(), step.a_end.bounds())
            .grown(reach)
            .overlaps(hull(step.b_start.bounds(), step.b_end.bounds()));
    }
};

struct Part {
    std::vector<SurfaceImpact> impacts;
    std::size_t tested = 0;
    double latest = 1;
};

bool comes_before(const SurfaceImpact& p, const SurfaceImpact& q) {
    return p.impact.time != q.impact.time ? p.impact.time < q.impact.time : p.features < q.features;
}

template <class Step>
void test(const Question& question, const FeaturePair& pair, const Step& step, Part& part) {
    if (!question.paths_near(step)) return;
    ++part.tested;
    ContinuousContactOptions options = question.options.contact;
    options.latest = part.latest;
    const SurfaceImpact impact{pair, time_of_impact(step, options)};
    if (!impact.impact.hit) return;
    if (question.options.goal == ImpactGoal::all) return part.impacts.push_back(impact);
    if (part.impacts.empty())
        part.impacts.push_back(impact);
    else if (comes_before(impact, part.impacts.front()))
        part.impacts.front() = impact;
    part.latest = std::min(part.latest, impact.impact.time);
}

void test_features(const Question& question, std::span<const IdPair> candidates, Part& part) {
    for (const IdPair& triangles : candidates) {
        if (!question.present(triangles)) continue;
        each_feature_pair(question.a, question.b, triangles, [&](const FeaturePair& pair) {
            if (pair.kind == FeatureKind::vertex_face)
                test(question, pair, question.vertex_face(pair), part);
            else
                test(question, pair, question.edge_edge(pair), part);
        });
    }
}

// Chunks of a round run in parallel; each starts with the earliest time of the previous rounds.
void test_all(const Question& question, std::span<const IdPair> candidates, SurfaceSweep& result) {
    double latest = question.options.contact.latest;
    const std::size_t step = sweep_chunk * round_size;
    for (std::size_t first = 0; first < candidates.size(); first += step) {
        const auto round = candidates.subspan(first, std::min(step, candidates.size() - first));
        std::vector<Part> parts((round.size() + sweep_chunk - 1) / sweep_chunk);
        parallel_for(round.size(), sweep_chunk, [&](std::size_t begin, std::size_t end) {
            parts[begin / sweep_chunk].latest = latest;
            test_features(question, round.subspan(begin, end - begin), parts[begin / sweep_chunk]);
        });
        for (const Part& part : parts) {
            result.impacts.insert(result.impacts.end(), part.impacts.begin(), part.impacts.end());
            result.tested += part.tested;
            latest = std::min(latest, part.latest);
        }
    }
}

double reach_of(const DeformingSurface& a, const DeformingSurface& b, const SurfaceSweepOptions& options) {
    if (!std::isfinite(options.contact.minimum_separation))
        throw Error(Cause::invalid_argument,
                    fmt::format("separation {} is not finite", options.contact.minimum_separation),
                    {.element = "option minimum_separation"});
    const Box bounds = hull(a.bounds(), b.bounds());
    const double largest = std::max(bounds.lower.cwiseAbs().maxCoeff(), bounds.upper.cwiseAbs().maxCoeff());
    // The last term covers the rounding of enlarged boxes.
    return std::max(0.0, options.contact.minimum_separation) * (1 + 1e-9) + rounding_error(32) * largest;
}

} // namespace

void surface_sweep(const DeformingSurface& a, const DeformingSurface& b, const SurfaceSweepOptions& options,
                   SurfaceScratch& scratch, SurfaceSweep& result) {
    const Question question{a, b, options, reach_of(a, b, options)};
    result.impacts.clear();
    result.tested = 0;
    scratch.candidates.clear();
    if (&a == &b)
        TriangleTree::close_pairs(a.tree(), question.reach, scratch.candidates);
    else
        TriangleTree::close_pairs(a.tree(), b.tree(), question.reach, scratch.candidates);
    test_all(question, scratch.candidates, result);
    std::sort(result.impacts.begin(), result.impacts.end(), comes_before);
    if (options.goal == ImpactGoal::first && result.impacts.size() > 1) result.impacts.resize(1);
    const bool proven = std::any_of(result.impacts.begin(), result.impacts.end(),
                                    [](const SurfaceImpact& i) { return !i.impact.truncated; });
    result.status = proven ? Status::overlapping : result.impacts.empty() ? Status::disjoint : Status::undecided;
    result.time = result.impacts.empty() ? options.contact.latest : result.impacts.front().impact.time;
    result.more_contacts = result.impacts.size() > options.max_impacts;
    if (result.more_contacts) result.impacts.resize(options.max_impacts);
}

SurfaceSweep surface_sweep(const DeformingSurface& a, const DeformingSurface& b, const SurfaceSweepOptions& options) {
    SurfaceScratch scratch;
    SurfaceSweep result;
    surface_sweep(a, b, options, scratch, result);
    return result;
}

SurfaceSweep surface_sweep(const DeformingSurface& surface, const SurfaceSweepOptions& options) {
    return surface_sweep(surface, surface, options);
}

} // namespace fathom::deformable
