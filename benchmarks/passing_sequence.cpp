// Benchmarks: the frames of a sequence, run by every rival and judged.
#include <benchmarks/passing_sequence.h>
#include <benchmarks/report.h>
#include <fathom/detect/decomposition/detection_points.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::bench {

namespace {

constexpr std::size_t frame_count = 150;

} // namespace

PassingSequence bunny_cone(const PairBody& bunny) {
    return {"bunny-cone", bunny, std::make_shared<AnalyticField>(shapes::cone(0.2, 0.5)),
            make_cone({.radius = 0.2, .height = 0.5, .segments = 96}), 0.005};
}

PassingSequence armadillo_cylinder(const PairBody& armadillo) {
    return {"armadillo-cylinder", armadillo, std::make_shared<AnalyticField>(shapes::cylinder(0.12, 0.6)),
            make_cylinder({.radius = 0.12, .height = 0.6, .segments = 96}), 0.01};
}

std::vector<Pose> passing_over(const PairBody& scan) {
    const Box box = bounds(scan.mesh.vertices);
    std::vector<Pose> poses(frame_count);
    for (std::size_t k = 0; k < frame_count; ++k) {
        const double t = static_cast<double>(k) / (frame_count - 1), lift = std::cos(6 * std::numbers::pi * t);
        const Vec3 at(box.lower.x() + t * box.size().x(), 0.2 * box.size().y() * std::sin(4 * std::numbers::pi * t),
                      box.upper.z() + 0.15 + 0.36 * lift);
        poses[k] = Pose::from_axis_angle(2 * std::numbers::pi * t, Vec3(0.2, 0.4, 1).normalized(), at);
    }
    return poses;
}

Decomposition whole(const Field& field) {
    const Box box = field.bounds();
    return {{{Pose::from_translation(box.center()), box.half()}}, true};
}

Race race_over(const std::vector<Rival>& rivals, const std::vector<Pose>& poses) {
    Race result{{}, std::vector<std::vector<Answer>>(rivals.size(), std::vector<Answer>(poses.size()))};
    std::vector<std::function<void()>> work;
    for (std::size_t n = 0; n < rivals.size(); ++n)
        work.emplace_back([&, n] {
            for (std::size_t k = 0; k < poses.size(); ++k) result.answers[n][k] = rivals[n].method(poses[k]);
        });
    result.milliseconds = race(work, 2);
    for (double& time : result.milliseconds) time *= 1e3 / static_cast<double>(poses.size());
    return result;
}

Answer by_paper(const PassingSequence& s, const Field& scan, const Decomposition& parts, const Decomposition& shape_box,
                std::size_t max_points, const Pose& pose) {
    const PlainOptions plain{.descent = {.rule = field_field::StepRule::fixed, .step = s.plain_step},
                             .max_points = max_points};
    const PlainResult r = plain_field_collision({{&scan, {}}, &parts}, {{s.shape.get(), pose}, &shape_box}, plain);
    return {r.status == Status::overlapping,
            r.contacts.empty() ? 0 : std::max(r.contacts[0].depth_a, r.contacts[0].depth_b)};
}

std::vector<FrameTruth> truths_of(const PassingSequence& s, const std::vector<Pose>& poses, double scan_error) {
    const testing::OracleBody scan(s.scan.mesh), shape(s.shape_mesh);
    double shape_error = 1e-9;
    for (std::size_t k = 0; k < s.shape_mesh.triangles.size(); ++k) {
        const auto t = s.shape_mesh.corners(k);
        shape_error = std::max(shape_error, std::abs(s.shape->distance((t[0] + t[1] + t[2]) / 3)));
    }
    std::vector<FrameTruth> frames;
    for (const Pose& pose : poses) {
        FrameTruth frame{testing::truth_of(scan, scan_error, shape, shape_error, pose), 0, 0};
        for (const Vec3& v : s.scan.mesh.vertices)
            frame.one_way = std::max(frame.one_way, -s.shape->distance(pose.to_local(v)));
        frame.depth = frame.one_way;
        for (const Vec3& v : s.shape_mesh.vertices)
            frame.depth = std::max(frame.depth, -scan.exact().distance(pose * v));
        frames.push_back(frame);
    }
    return frames;
}

std::string judged(const std::vector<Answer>& answers, const std::vector<FrameTruth>& truths, bool one_way) {
    std::size_t missed = 0, invented = 0, touching = 0, undecided = 0;
    double off = 0;
    for (std::size_t k = 0; k < answers.size(); ++k) {
        const FrameTruth& frame = truths[k];
        undecided += answers[k].undecided;
        missed += frame.truth == testing::Truth::meeting && !answers[k].touches;
        invented += frame.truth == testing::Truth::apart && answers[k].touches;
        if (!(frame.truth == testing::Truth::meeting && answers[k].touches)) continue;
        ++touching;
        off += std::abs(answers[k].depth - (one_way ? frame.one_way : frame.depth));
    }
    return fmt::format("{} of {} frames touch: {} missed, {} invented{}; depth off by {:.1e} mean", touching + missed,
                       answers.size(), missed, invented, undecided > 0 ? fmt::format(", {} undecided", undecided) : "",
                       off / static_cast<double>(std::max<std::size_t>(touching, 1)));
}

} // namespace fathom::bench
