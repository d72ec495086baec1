// The deepest point of a triangle in a mesh, by spheres.
#include <fathom/detect/mesh_field/triangle_in_mesh.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t most_looks = 18; // the first four among them
constexpr double still = 1e-10;        // of the longest edge: as triangle_descent.cpp
constexpr double rounding = 1e-13;     // of squares
// Of the longest edge: triangles less deep than this take many balls, and a descent is quicker.
constexpr double deep_enough = 0.5, deep_enough_to_prove = 0.25;

// A point of the triangle: corner 0 + u edge 1 + v edge 2.
struct Place {
    double u, v;
};

// |q - center|^2 - radius^2 over the triangle. They differ from each other by linear functions.
struct Square {
    double constant, by_u, by_v;
    double uu, uv, vv; // the same for all

    [[nodiscard]] double at(const Place& p) const {
        return constant + p.u * (by_u + p.u * uu + p.v * uv) + p.v * (by_v + p.v * vv);
    }
    [[nodiscard]] double above(const Square& b, const Place& p) const {
        return (constant - b.constant) + p.u * (by_u - b.by_u) + p.v * (by_v - b.by_v);
    }
};

// The part of the triangle in which one ball leaves the least room: convex, so that the most is in a corner.
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
    [[nodiscard]] double most() const { return most_; } // -infinity where nothing is left

    // Keeps where the other leaves as much or more.
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
    static constexpr std::size_t capacity = most_looks + 3; // every clip adds one corner at most

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
    DepthSearch(const MeshField& mesh, const std::array<Vec3, 3>& corners, const std::array<MeshLook, 4>& looks)
        : mesh_(mesh), origin_(corners[0]), edge_u_(corners[1] - corners[0]), edge_v_(corners[2] - corners[0]),
          uu_(edge_u_.squaredNorm()), uv_(edge_u_.dot(edge_v_)), vv_(edge_v_.squaredNorm()) {
        for (const MeshLook& look : looks) add(look);
    }

    [[nodiscard]] const MeshLook& best() const { return best_; }
    [[nodiscard]] double depth() const { return -best_.found.sample.distance; }
    [[nodiscard]] std::size_t looks() const { return count_ - 4; }
    [[nodiscard]] bool is_full() const { return count_ == most_looks; }
    [[nodiscard]] double size() const { return std::sqrt(std::max({uu_, vv_, uu_ + vv_ - 2 * uv_})); }

    // How much room the balls leave for points deeper than this: squared distance to the nearest, less its squared
    // radius (m^2). And where.
    struct Room {
        Vec3 point;
        double squared;
    };
    [[nodiscard]] Room most_room(double depth) {
        if (depth != cells_depth_) cells_made_ = 0;
        cells_depth_ = depth;
        while (cells_made_ < count_) make_cell(balls_[cells_made_]);
        const auto most = std::max_element(cells_.begin(), cells_.begin() + count_,
                                           [](const Cell& a, const Cell& b) { return a.most() < b.most(); });
        return {origin_ + most->where().u * edge_u_ + most->where().v * edge_v_, most->most()};
    }

    void look(const Vec3& p) { add({p, mesh_.nearest(p, last_.reach(p))}); }

    // Of the squares above, by rounding.
    [[nodiscard]] double error(double depth) const {
        return rounding * (square(depth) + square(size())) + 2 * depth * mesh_.error_bound();
    }

private:
    struct Ball {
        Vec3 center; // from corner 0
        double more; // its radius is the depth and this
    };
    [[nodiscard]] static double square(double x) { return x * x; }

    void add(const MeshLook& look) {
        const double distance = look.found.sample.distance;
        const bool outside = distance > 0 && mesh_.sign().sealed; // else there may be a way in that crosses no surface
        balls_[count_++] = outside ? Ball{look.at - origin_, distance} : Ball{look.found.point - origin_, 0};
        if (count_ == 1 || distance < best_.found.sample.distance) best_ = look;
        last_ = look;
    }

    void make_cell(const Ball& ball) {
        Cell& made = cells_[cells_made_];
        made.set({ball.center.squaredNorm() - square(cells_depth_ + ball.more), -2 * edge_u_.dot(ball.center),
                  -2 * edge_v_.dot(ball.center), uu_, 2 * uv_, vv_});
        for (Cell& other : std::span(cells_).first(cells_made_)) {
            other.clip(made.own());
            made.clip(other.own());
        }
        ++cells_made_;
    }

    const MeshField& mesh_;
    Vec3 origin_, edge_u_, edge_v_;
    double uu_, uv_, vv_;
    std::array<Ball, most_looks> balls_;
    std::size_t count_ = 0;
    std::array<Cell, most_looks> cells_; // of the first so many balls, for this depth
    std::size_t cells_made_ = 0;
    double cells_depth_ = 0;
    MeshLook best_, last_;
};

} // namespace

TriangleLeast least_on_triangle(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                                const std::array<MeshLook, 4>& looks) {
    DepthSearch search(mesh, corners, looks);
    while (search.depth() > deep_enough * search.size() && mesh.thickness() == 0) {
        const DepthSearch::Room room = search.most_room(search.depth());
        if (!(room.squared > 2 * search.depth() * still * search.size() + search.error(search.depth())))
            return {search.best().at, search.best().found.sample, search.looks()};
        if (search.is_full()) break;
        search.look(room.point);
    }
    const NearbyMesh nearby(mesh, looks);
    TriangleLeast least = least_on_triangle(nearby, corners, search.best().at, -search.depth());
    least.look_ups += search.looks();
    return least;
}

bool stays_above(const MeshField& mesh, const std::array<Vec3, 3>& corners, const std::array<MeshLook, 4>& looks,
                 double level) {
    DepthSearch search(mesh, corners, looks);
    while (-level > deep_enough_to_prove * search.size() && search.depth() < -level && mesh.thickness() == 0) {
        const DepthSearch::Room room = search.most_room(-level);
        if (room.squared < -search.error(-level)) return true;
        if (search.is_full()) break;
        search.look(room.point);
    }
    return false;
}

} // namespace fathom
