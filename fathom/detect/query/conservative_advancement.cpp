// Conservative advancement with a stack of open time intervals, the earliest on top.
#include <fathom/detect/query/conservative_advancement.h>

#include <fathom/base/motion.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double max_uncertain_time = 1.0 / 64; // of time: limit on the interval that an uncertain probe closes
constexpr double shortest_probed = 1e-15;       // of time: shorter intervals stay open
constexpr double shortest_known = 1e-12; // of time: in a shorter interval a proven contact is not located further

struct Piece {
    double start, end;
    bool touches_at_start, touches_at_end; // false: clear there, or not known
    bool filled = false;                   // in contact at all times
    // Set if a probe in the interval was uncertain: probes at shorter intervals than this give no information; else 0.
    double hard = 0;
};

class Search {
public:
    Search(CallableRef<TimeProbe(double)> probe, const AdvancementOptions& options)
        : probe_(probe), options_(options) {}

    AdvancementResult run() {
        const TimeProbe at_start = probe_at(0), at_end = probe_at(1);
        const double from = reach(at_start), to = 1 - reach(at_end);
        if (at_end.touching) push({std::max(to, 0.0), 1, true, true, true});
        push({from, to, at_start.touching, at_end.touching});
        if (at_start.touching) push({0, std::min(from, 1.0), true, true, true});
        if (!options_.all && at_start.touching) open_.clear();
        while (!open_.empty()) {
            const Piece piece = open_.back();
            open_.pop_back();
            if (options_.all || piece.start < witness_) process(piece);
        }
        return finish();
    }

private:
    TimeProbe probe_at(double time) {
        ++result_.probes;
        const TimeProbe answer = probe_(time);
        if (answer.touching) witness_ = std::min(witness_, std::max(time - reach(answer), 0.0));
        return answer;
    }

    // Time for which a gap excludes contact, or a depth maintains it.
    [[nodiscard]] double reach(const TimeProbe& probe) const {
        const double distance = probe.touching ? probe.contact_distance : probe.gap;
        if (!(distance > 0)) return 0;
        return options_.speed > 0 ? std::min(inward(distance / options_.speed), 2.0) : 2;
    }

    void push(const Piece& piece) {
        if (piece.start < piece.end || (piece.start == piece.end && (piece.touches_at_start || piece.touches_at_end)))
            open_.push_back(piece);
    }

    void process(const Piece& piece) {
        const double width = piece.end - piece.start, middle = piece.start + 0.5 * width;
        const bool in_contact = piece.touches_at_start && piece.touches_at_end,
                   beside_contact = piece.touches_at_start || piece.touches_at_end;
        const bool spent = result_.probes >= options_.max_evaluations;
        if (piece.filled) return keep_open(piece, false);
        // An interval that is not next to a contact is probably clear: it is probed however short it is, so that it
        // does not stay open needlessly.
        const double finest = piece.hard > 0 ? piece.hard : beside_contact ? options_.tolerance : shortest_probed;
        if (width <= finest || (in_contact && width <= options_.resolution) || spent) {
            result_.budget_exhausted = result_.budget_exhausted || (spent && width > options_.tolerance);
            return keep_open(piece, is_certain(piece));
        }
        if (width <= shortest_known && is_certain(piece)) return keep_open(piece, true);
        const TimeProbe answer = probe_at(middle);
        const double known = reach(answer);
        const double uncertain = answer.touching ? piece.hard : hardness(answer);
        const double hard = uncertain > 0 ? std::max(piece.hard, uncertain) : 0;
        push({middle + known, piece.end, answer.touching, piece.touches_at_end, false, hard});
        if (answer.touching)
            push({std::max(middle - known, piece.start), std::min(middle + known, piece.end), true, true, true});
        push({piece.start, middle - known, piece.touches_at_start, answer.touching, false, hard});
    }

    // Interval length below which probes give no more information than this one; 0 if this one was informative.
    [[nodiscard]] double hardness(const TimeProbe& probe) const {
        const double uncertain = 0.25 * probe.uncertainty;
        if (probe.gap > uncertain) return 0;
        return std::max(options_.tolerance, options_.speed > 0 && std::isfinite(uncertain)
                                                ? std::min(uncertain / options_.speed, max_uncertain_time)
                                                : 0.0);
    }

    [[nodiscard]] bool is_certain(const Piece& piece) const {
        return !piece.touches_at_start && !piece.touches_at_end && options_.certain &&
               options_.certain(piece.start, piece.end);
    }

    void keep_open(const Piece& piece, bool certain) {
        left_.push_back(piece);
        if (!certain) return;
        left_.back().touches_at_end = true;
        witness_ = std::min(witness_, piece.end);
    }

    AdvancementResult finish() {
        const double first_open = left_.empty() ? HUGE_VAL : left_.front().start;
        result_.time = std::min({first_open, witness_, 1.0});
        if (witness_ <= 1) {
            result_.status = Status::overlapping;
            result_.error = witness_ - result_.time;
        } else if (!left_.empty()) {
            result_.status = Status::undecided;
        }
        if (options_.all) join();
        return std::move(result_);
    }

    void join() {
        for (const Piece& piece : left_) {
            const bool seen = piece.touches_at_start || piece.touches_at_end;
            if (!result_.intervals.empty() && piece.start <= result_.intervals.back().end + options_.tolerance) {
                result_.intervals.back().end = std::max(result_.intervals.back().end, piece.end);
                result_.intervals.back().proven = result_.intervals.back().proven || seen;
            } else {
                result_.intervals.push_back({piece.start, piece.end, seen});
            }
        }
    }

    CallableRef<TimeProbe(double)> probe_;
    AdvancementOptions options_;
    AdvancementResult result_;
    std::vector<Piece> open_, left_; // left_: neither cleared nor subdivided further, ascending
    double witness_ = HUGE_VAL;      // the earliest time at which contact was found
};

} // namespace

AdvancementResult conservative_advancement(CallableRef<TimeProbe(double)> probe, const AdvancementOptions& options) {
    return Search(probe, options).run();
}

// ---- points_cross(): sides of triangles before and after.

namespace {

constexpr std::size_t max_candidates = 1000;

// Whether the chord intersects the triangle's plane inside the triangle, farther from its edges than any point of the
// path is from the intersection.
bool passes_inside(const Vec3& before, const Vec3& after, const std::array<Vec3, 3>& c, double bend) {
    const int side = orient3d(c[0], c[1], c[2], before);
    if (side * orient3d(c[0], c[1], c[2], after) >= 0) return false;
    const double distance = (after - before).norm() + bend;
    const Vec3 at = closest_point(before, c).point;
    for (std::size_t k = 0; k < 3; ++k)
        if (std::sqrt(closest_point(at, Segment{c[k], c[(k + 1) % 3]}).squared_distance) <= 2 * distance) return false;
    return (at - before).norm() <= distance; // otherwise the plane is crossed outside the triangle
}

} // namespace

bool points_cross(const Shape& points, const Motion& motion_points, const Shape& surface, const Motion& motion_surface,
                  double start, double end) {
    const RelativeMotion seen(motion_points, motion_surface, Path::screw);
    const Mover mover_points(motion_points), mover_surface(motion_surface);
    const double middle = 0.5 * (start + end);
    const double turning = screw_between(motion_points.start, motion_points.end).angle +
                           screw_between(motion_surface.start, motion_surface.end).angle;
    const double distance =
        (seen.over(points.bounds().center(), start, end).speed + turning * points.radius()) * (end - start);
    const double rounding =
        position_rounding(mover_points.pose(middle).translation.norm(), mover_surface.pose(middle).translation.norm(),
                          extent(points), extent(surface));
    const mesh_mesh::MeshCrossings near =
        mesh_mesh::mesh_crossings(points.tree(), mover_points.pose(middle), surface.tree(), mover_surface.pose(middle),
                                  max_candidates, distance + rounding);
    return std::any_of(near.pairs.begin(), near.pairs.end(), [&](const IdPair& pair) {
        const Vec3 p = points.mesh().corners(pair[0])[0];
        return passes_inside(seen.at(p, start), seen.at(p, end), surface.mesh().corners(pair[1]),
                             seen.over(p, start, end).bend + rounding);
    });
}

} // namespace fathom
