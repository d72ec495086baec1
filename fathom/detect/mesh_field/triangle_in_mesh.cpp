// The deepest point of a triangle: by descent in any field, by bounds from spheres in the field of a mesh.
#include <fathom/detect/mesh_field/triangle_in_mesh.h>

#include <fathom/base/rounding.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <cmath>

namespace fathom::mesh_field {

// ---- Descent on one triangle in any field

namespace {

constexpr int max_descent_steps = 20;
constexpr int max_trials = 12;
constexpr int max_cuts = 30;
constexpr double still = 1e-10; // of the longest edge: shorter steps count as no motion

// Linear approximation of the field from one sample, at corner 0 + u edge 1 + v edge 2: constant + u by_u + v by_v.
struct Cut {
    double constant = 0, by_u = 0, by_v = 0;

    [[nodiscard]] double at(double u, double v) const { return constant + u * by_u + v * by_v; }
};

// The last few cuts; their maximum is the model of the field.
class Cuts {
public:
    static constexpr std::size_t capacity = 12;

    void add(const Cut& cut) {
        cuts_[next_] = cut;
        next_ = (next_ + 1) % capacity;
        count_ = std::min(count_ + 1, capacity);
    }

    void keep_newest(std::size_t wanted) {
        Cuts kept;
        for (std::size_t k = std::min(wanted, count_); k > 0; --k) kept.add(cuts_[(next_ + capacity - k) % capacity]);
        *this = kept;
    }

    struct Lowest {
        double u = 0, v = 0, value = HUGE_VAL;
    };
    // Minimum of the model over the triangle u, v >= 0, u + v <= 1: at a corner, where two cuts intersect on its
    // border, or where three cuts intersect.
    [[nodiscard]] Lowest lowest() const {
        Lowest best;
        for (const auto& [u, v] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}) offer(u, v, best);
        for (std::size_t i = 0; i < count_; ++i)
            for (std::size_t j = i + 1; j < count_; ++j) {
                const Cut d = difference(cuts_[i], cuts_[j]);
                offer(0, -d.constant / d.by_v, best);
                offer(-d.constant / d.by_u, 0, best);
                const double u = -(d.constant + d.by_v) / (d.by_u - d.by_v);
                offer(u, 1 - u, best);
                for (std::size_t k = j + 1; k < count_; ++k) {
                    const Cut e = difference(cuts_[i], cuts_[k]);
                    const double area = d.by_u * e.by_v - d.by_v * e.by_u;
                    offer((d.by_v * e.constant - e.by_v * d.constant) / area,
                          (e.by_u * d.constant - d.by_u * e.constant) / area, best);
                }
            }
        return best;
    }

private:
    [[nodiscard]] static Cut difference(const Cut& a, const Cut& b) {
        return {a.constant - b.constant, a.by_u - b.by_u, a.by_v - b.by_v};
    }

    void offer(double u, double v, Lowest& best) const {
        if (!(u >= 0 && v >= 0 && u + v <= 1 + rounding_error(10))) return; // also if there is no intersection
        double highest = -HUGE_VAL;
        for (std::size_t k = 0; k < count_; ++k) highest = std::max(highest, cuts_[k].at(u, v));
        if (highest < best.value) best = {u, v, highest};
    }

    std::array<Cut, capacity> cuts_{};
    std::size_t count_ = 0, next_ = 0;
};

class Descent {
public:
    Descent(const Field& field, const std::array<Vec3, 3>& corners, TriangleMinimum& at)
        : field_(field), corners_(corners), at_(at), edge_u_(corners[1] - corners[0]), edge_v_(corners[2] - corners[0]),
          size_(
              std::sqrt(std::max({edge_u_.squaredNorm(), edge_v_.squaredNorm(), (edge_u_ - edge_v_).squaredNorm()}))) {
        const Vec3 up = edge_u_.cross(edge_v_);
        if (up.squaredNorm() > 0) normal_ = up.normalized();
        note(at.point, at.sample);
    }

    void run() {
        if (!(size_ > 0)) return;
        double step = size_; // slopes are about 1, so this step crosses the triangle
        bool crossed = false;
        for (int k = 0; k < max_descent_steps; ++k)
            if (!advance(step, crossed)) break;
        if (crossed) follow_creases();
    }

private:
    [[nodiscard]] Vec3 flat(const Vec3& g) const { return g - normal_.dot(g) * normal_; }

    [[nodiscard]] Sample evaluate(const Vec3& p) {
        ++at_.evaluations;
        Sample sample = field_.sample(p);
        note(p, sample);
        return sample;
    }
    void note(const Vec3& p, const Sample& s) {
        cuts_.add({s.distance + s.gradient.dot(corners_[0] - p), s.gradient.dot(edge_u_), s.gradient.dot(edge_v_)});
    }

    // One step against the slope, shortened until the field decreases enough. Returns false if there is none. Sets the
    // next step, and `crossed` if a step had to be shortened or the slope reversed, which indicates a crease.
    bool advance(double& step, bool& crossed) {
        const Vec3 slope = flat(at_.sample.gradient);
        const Vec3 step_vector = closest_point(at_.point - step * slope, corners_).point - at_.point;
        const double rate = slope.dot(step_vector);
        if (!(step_vector.norm() > still * size_) || !(rate < 0)) return false;
        double share = 1;
        for (int trial = 0; trial < max_trials; ++trial) {
            const Vec3 next = at_.point + share * step_vector;
            const Sample sample = evaluate(next);
            if (sample.distance <= at_.sample.distance + 1e-4 * share * rate) {
                crossed = crossed || flat(sample.gradient).dot(slope) < 0;
                accept(next, sample, step);
                return true;
            }
            crossed = true;
            const double bulge = 2 * (sample.distance - at_.sample.distance - share * rate);
            share = bulge > 0 ? std::clamp(-rate * share * share / bulge, 0.1 * share, 0.6 * share) : 0.5 * share;
            if (!(share * step_vector.norm() > still * size_)) return false;
        }
        return false;
    }

    void accept(const Vec3& next, const Sample& sample, double& step) {
        const Vec3 moved = next - at_.point;
        const double curve = moved.dot(flat(sample.gradient) - flat(at_.sample.gradient));
        step = curve > 0 ? std::clamp(moved.squaredNorm() / curve, 1e-8 * size_, 1e2 * size_) : 1e2 * size_;
        at_.point = next;
        at_.sample = sample;
    }

    // Descent stops at a crease. The minimum of the model is evaluated next (Kelley 1960); in a convex field it is also
    // a lower bound that ends the search.
    void follow_creases() {
        cuts_.keep_newest(4); // short steps give nearly equal cuts
        for (const Vec3& corner : corners_) (void)evaluate(corner);
        int in_vain = 0;
        for (int k = 0; k < max_cuts && in_vain < 6; ++k) {
            const Cuts::Lowest lowest = cuts_.lowest();
            if (!(at_.sample.distance - lowest.value > still * size_)) return;
            const Vec3 next = corners_[0] + lowest.u * edge_u_ + lowest.v * edge_v_;
            const Sample sample = evaluate(next);
            ++in_vain;
            if (!(sample.distance < at_.sample.distance)) continue;
            at_.point = next;
            at_.sample = sample;
            in_vain = 0;
        }
    }

    const Field& field_;
    const std::array<Vec3, 3>& corners_;
    TriangleMinimum& at_;
    Vec3 edge_u_, edge_v_;
    double size_;
    Vec3 normal_ = Vec3::Zero();
    Cuts cuts_;
};

} // namespace

TriangleMinimum minimum_on_triangle(const Field& field, const std::array<Vec3, 3>& corners, const Vec3& start,
                                    double value) {
    TriangleMinimum least;
    least.point = start;
    std::array<double, 3> at_corners;
    field.distances(corners, at_corners);
    for (std::size_t k = 0; k < 3; ++k)
        if (at_corners[k] < value || std::isnan(value)) value = at_corners[k], least.point = corners[k];
    least.sample = field.sample(least.point);
    least.evaluations = 4;
    if (std::isfinite(least.sample.distance) && is_finite(least.sample.gradient)) Descent(field, corners, least).run();
    return least;
}

// ---- Global search in the field of a mesh

namespace {

constexpr std::size_t max_spheres = 18; // limit on evaluations, including the first four
constexpr double rounding = 1e-13;      // relative error of squares of a few products and sums: 900 roundings
// Of the longest edge: triangles less deep than this need many spheres, and descent is faster.
constexpr double deep_enough = 0.5, deep_enough_to_prove = 0.25;

// A point of the triangle: corner 0 + u edge 1 + v edge 2.
struct Place {
    double u, v;
};

// |q - center|^2 - radius^2 over the triangle. Two of these functions differ by a linear function.
struct Square {
    double constant, by_u, by_v;
    double uu, uv, vv; // equal for all spheres

    [[nodiscard]] double at(const Place& p) const {
        return constant + p.u * (by_u + p.u * uu + p.v * uv) + p.v * (by_v + p.v * vv);
    }
    [[nodiscard]] double above(const Square& b, const Place& p) const {
        return (constant - b.constant) + p.u * (by_u - b.by_u) + p.v * (by_v - b.by_v);
    }
};

// The part of the triangle in which one sphere gives the smallest bound: a convex polygon, so the maximum is at a
// corner.
class Cell {
public:
    void set(const Square& own) {
        own_ = own;
        corners_[0] = {0, 0}, corners_[1] = {1, 0}, corners_[2] = {0, 1};
        count_ = 3;
        find_most();
    }

    [[nodiscard]] const Square& own() const { return own_; }
    [[nodiscard]] const Place& where() const { return where_; }
    [[nodiscard]] double most() const { return most_; } // -infinity if the cell is empty

    // Keeps the part in which the other sphere gives an equal or larger bound.
    void clip(const Square& other) {
        std::array<double, capacity> spare;
        bool all = true;
        for (std::size_t k = 0; k < count_; ++k) all = (spare[k] = other.above(own_, corners_[k])) >= 0 && all;
        if (all) return;
        std::array<Place, capacity> kept;
        std::size_t count = 0;
        for (std::size_t k = 0; k < count_; ++k) {
            const std::size_t next = k + 1 < count_ ? k + 1 : 0;
            const Place &p = corners_[k], &q = corners_[next];
            if (spare[k] >= 0) kept[count++] = p;
            if ((spare[k] >= 0) == (spare[next] >= 0)) continue;
            const double share = spare[k] / (spare[k] - spare[next]);
            kept[count++] = {p.u + share * (q.u - p.u), p.v + share * (q.v - p.v)};
        }
        std::copy_n(kept.begin(), count_ = count, corners_.begin());
        find_most();
    }

private:
    static constexpr std::size_t capacity = max_spheres + 3; // every clip adds at most one corner

    void find_most() {
        most_ = -HUGE_VAL;
        for (std::size_t k = 0; k < count_; ++k)
            if (const double value = own_.at(corners_[k]); value > most_) most_ = value, where_ = corners_[k];
    }

    Square own_;
    std::array<Place, capacity> corners_;
    std::size_t count_ = 0;
    double most_ = -HUGE_VAL;
    Place where_{};
};

class DepthSearch {
public:
    DepthSearch(const MeshField& mesh, const std::array<Vec3, 3>& corners, const std::array<MeshEvaluation, 4>& known)
        : mesh_(mesh), origin_(corners[0]), edge_u_(corners[1] - corners[0]), edge_v_(corners[2] - corners[0]),
          uu_(edge_u_.squaredNorm()), uv_(edge_u_.dot(edge_v_)), vv_(edge_v_.squaredNorm()) {
        for (const MeshEvaluation& evaluation : known) add(evaluation);
    }

    [[nodiscard]] const MeshEvaluation& best() const { return best_; }
    [[nodiscard]] double depth() const { return -best_.found.sample.distance; }
    [[nodiscard]] std::size_t evaluations() const { return count_ - 4; }
    [[nodiscard]] bool is_full() const { return count_ == max_spheres; }
    [[nodiscard]] double size() const { return std::sqrt(std::max({uu_, vv_, uu_ + vv_ - 2 * uv_})); }

    // The largest bound that the spheres leave for points deeper than `depth`: squared distance to the nearest centre
    // minus its squared radius (m^2), and the point where it is attained.
    struct Room {
        Vec3 point;
        double squared;
    };
    [[nodiscard]] Room max_room(double depth) {
        if (depth != cells_depth_) cells_made_ = 0;
        cells_depth_ = depth;
        while (cells_made_ < count_) make_cell(spheres_[cells_made_]);
        const auto most = std::max_element(cells_.begin(), cells_.begin() + count_,
                                           [](const Cell& a, const Cell& b) { return a.most() < b.most(); });
        return {origin_ + most->where().u * edge_u_ + most->where().v * edge_v_, most->most()};
    }

    void evaluate(const Vec3& p) { add({p, mesh_.nearest(p, last_.reach(p))}); }

    // Rounding error of these squares.
    [[nodiscard]] double error(double depth) const {
        return rounding * (square(depth) + square(size())) + 2 * depth * mesh_.error_bound();
    }

private:
    struct Sphere {
        Vec3 center; // relative to corner 0
        double more; // the radius is the depth plus this
    };
    [[nodiscard]] static double square(double x) { return x * x; }

    void add(const MeshEvaluation& evaluation) {
        const double distance = evaluation.found.sample.distance;
        const bool outside = distance > 0 && mesh_.sign().sealed; // otherwise a path into the body may cross no surface
        spheres_[count_++] =
            outside ? Sphere{evaluation.at - origin_, distance} : Sphere{evaluation.found.point - origin_, 0};
        if (count_ == 1 || distance < best_.found.sample.distance) best_ = evaluation;
        last_ = evaluation;
    }

    void make_cell(const Sphere& sphere) {
        Cell& made = cells_[cells_made_];
        made.set({sphere.center.squaredNorm() - square(cells_depth_ + sphere.more), -2 * edge_u_.dot(sphere.center),
                  -2 * edge_v_.dot(sphere.center), uu_, 2 * uv_, vv_});
        for (Cell& other : std::span(cells_).first(cells_made_)) {
            other.clip(made.own());
            made.clip(other.own());
        }
        ++cells_made_;
    }

    const MeshField& mesh_;
    Vec3 origin_, edge_u_, edge_v_;
    double uu_, uv_, vv_;
    std::array<Sphere, max_spheres> spheres_;
    std::size_t count_ = 0;
    std::array<Cell, max_spheres> cells_; // of the first cells_made_ spheres, for cells_depth_
    std::size_t cells_made_ = 0;
    double cells_depth_ = 0;
    MeshEvaluation best_, last_;
};

} // namespace

TriangleMinimum minimum_on_triangle(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                                    const std::array<MeshEvaluation, 4>& known) {
    DepthSearch search(mesh, corners, known);
    while (search.depth() > deep_enough * search.size() && mesh.thickness() == 0) {
        const DepthSearch::Room room = search.max_room(search.depth());
        if (!(room.squared > 2 * search.depth() * still * search.size() + search.error(search.depth())))
            return {search.best().at, search.best().found.sample, search.evaluations()};
        if (search.is_full()) break;
        search.evaluate(room.point);
    }
    const NearbyMesh nearby(mesh, known);
    TriangleMinimum least = minimum_on_triangle(nearby, corners, search.best().at, -search.depth());
    least.evaluations += search.evaluations();
    return least;
}

bool stays_above(const MeshField& mesh, const std::array<Vec3, 3>& corners, const std::array<MeshEvaluation, 4>& known,
                 double level) {
    DepthSearch search(mesh, corners, known);
    while (-level > deep_enough_to_prove * search.size() && search.depth() < -level && mesh.thickness() == 0) {
        const DepthSearch::Room room = search.max_room(-level);
        if (room.squared < -search.error(-level)) return true;
        if (search.is_full()) break;
        search.evaluate(room.point);
    }
    return false;
}

} // namespace fathom::mesh_field
