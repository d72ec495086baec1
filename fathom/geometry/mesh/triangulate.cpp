// Ear clipping with a waiting list for every blocking vertex, and a k-d tree to find that vertex.
#include <fathom/geometry/mesh/triangulate.h>

#include <fathom/geometry/exact/predicates.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fathom {

namespace {

constexpr std::size_t tree_pays_from = 48; // number of corners; below, a traversal of the ring is faster
constexpr int forced_choice_looks_at = 16; // number of corners tested

// Work is counted in visited vertices and boxes, about 20 ns each. Ordinary polygons need 5 to 400 per corner.
constexpr std::uint64_t max_work_per_corner = 1000;
// Initial allowance of a triangulator for work on polygons without a valid triangulation.
constexpr std::uint64_t work_at_first = 100'000'000;
constexpr std::uint64_t work_earned_per_corner = 16;

// Area vector of a polygon: twice its area times its normal, up to a positive factor. Safe for any finite coordinates.
Vec3 area_direction(std::span<const Vec3> vertices, std::span<const Index> corners) {
    const Vec3 origin = 0.5 * vertices[corners[0]]; // halved, so that differences do not overflow
    double reach = 0;
    for (const Index c : corners) reach = std::max(reach, (0.5 * vertices[c] - origin).cwiseAbs().maxCoeff());
    Vec3 sum = Vec3::Zero();
    if (reach == 0) return sum;
    Vec3 last = Vec3::Zero();
    for (const Index c : corners) {
        const Vec3 now = (0.5 * vertices[c] - origin) / reach;
        sum += last.cross(now);
        last = now;
    }
    return sum;
}

// True if the box is strictly to the right of the line from a to b, and rounding errors cannot change the result.
bool right_of(const Vec2& a, const Vec2& b, const Vec2& lower, const Vec2& upper) {
    const Vec2 d = b - a;
    const double x = (d.y() > 0 ? lower.x() : upper.x()) - a.x(); // the corner furthest to the left of the line
    const double y = (d.x() > 0 ? upper.y() : lower.y()) - a.y();
    const double first = d.x() * y;
    const double second = d.y() * x;
    return first - second < -0x1p-48 * (std::abs(first) + std::abs(second));
}

// A k-d tree of the corners in the plane. Each node has its bounding box and the number of remaining corners. Long thin
// triangles, which are frequent in ear clipping, overlap few boxes that are not empty.
class CornerTree {
public:
    template <class Point>
    void build(std::size_t count, Point point) {
        members_.resize(count);
        std::iota(members_.begin(), members_.end(), Index{0});
        leaf_of_.resize(count);
        nodes_.clear();
        add_node(0, static_cast<Index>(count), no_index, point);
    }
    void clear() { nodes_.clear(); }
    [[nodiscard]] bool in_use() const { return !nodes_.empty(); }

    void remove(Index corner) {
        for (Index n = leaf_of_[corner]; n != no_index; n = nodes_[n].parent) --nodes_[n].alive;
    }

    // The first corner, in the order of the tree, that is in a box that the counter-clockwise triangle may overlap and
    // for which test(corner) is true. Adds the number of visited boxes and corners to `work`.
    template <class Test>
    [[nodiscard]] Index find(const std::array<Vec2, 3>& triangle, std::uint64_t& work, Test test) const {
        const Vec2 lower = triangle[0].cwiseMin(triangle[1]).cwiseMin(triangle[2]);
        const Vec2 upper = triangle[0].cwiseMax(triangle[1]).cwiseMax(triangle[2]);
        std::array<Index, 64> stack;
        std::size_t height = 0;
        stack[height++] = 0;
        while (height > 0) {
            const Index n = stack[--height];
            const Node& node = nodes_[n];
            ++work;
            if (node.alive == 0 || (node.lower.array() > upper.array()).any() ||
                (node.upper.array() < lower.array()).any())
                continue;
            if (right_of(triangle[2], triangle[0], node.lower, node.upper) ||
                right_of(triangle[0], triangle[1], node.lower, node.upper) ||
                right_of(triangle[1], triangle[2], node.lower, node.upper))
                continue;
            if (node.right != no_index) {
                stack[height++] = node.right;
                stack[height++] = n + 1;
                continue;
            }
            work += node.end - node.begin;
            for (Index m = node.begin; m < node.end; ++m)
                if (test(members_[m])) return members_[m];
        }
        return no_index;
    }

private:
    static constexpr Index leaf_size = 8;

    struct Node {
        Vec2 lower;
        Vec2 upper;
        Index begin; // first entry in members_
        Index end;
        Index alive;
        Index parent;
        Index right; // the left child is the next node; no_index for a leaf
    };

    // Splits at the median, so that the tree is balanced.
    template <class Point>
    Index add_node(Index begin, Index end, Index parent, Point point) {
        const Index n = static_cast<Index>(nodes_.size());
        Vec2 lower = point(members_[begin]);
        Vec2 upper = lower;
        for (Index m = begin; m < end; ++m) {
            lower = lower.cwiseMin(point(members_[m]));
            upper = upper.cwiseMax(point(members_[m]));
        }
        nodes_.push_back({lower, upper, begin, end, end - begin, parent, no_index});
        if (end - begin <= leaf_size) {
            for (Index m = begin; m < end; ++m) leaf_of_[members_[m]] = n;
            return n;
        }
        const int axis = upper.x() - lower.x() > upper.y() - lower.y() ? 0 : 1;
        const Index middle = begin + (end - begin) / 2;
        // Equal coordinates are ordered by index, so that the tree and the result are the same on every platform.
        const auto less = [&](Index i, Index k) {
            return point(i)[axis] < point(k)[axis] || (point(i)[axis] == point(k)[axis] && i < k);
        };
        const auto at = [this](Index m) { return members_.begin() + static_cast<std::ptrdiff_t>(m); };
        std::nth_element(at(begin), at(middle), at(end), less);
        add_node(begin, middle, n, point);
        const Index right = add_node(middle, end, n, point);
        nodes_[n].right = right;
        return n;
    }

    std::vector<Node> nodes_;
    std::vector<Index> members_;
    std::vector<Index> leaf_of_;
};

// FIFO queue of fixed capacity.
class Queue {
public:
    void reset(std::size_t capacity) {
        slots_.resize(capacity);
        head_ = size_ = 0;
    }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    void push(Index value) { slots_[(head_ + size_++) % slots_.size()] = value; }
    [[nodiscard]] Index pop() {
        const Index value = slots_[head_];
        head_ = (head_ + 1) % slots_.size();
        --size_;
        return value;
    }

private:
    std::vector<Index> slots_;
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

} // namespace

class PolygonTriangulator::EarClipper {
public:
    // Projects the polygon into the plane, counter-clockwise.
    void set(std::span<const Vec3> vertices, std::span<const Index> corners);
    // Appends the two triangles of a quadrilateral. Returns false if neither diagonal is inside.
    bool cut_quadrilateral(std::span<const Vec3> vertices, std::vector<Triangle>& triangles) const;
    // Subtracts the work from `allowance` if no valid triangulation is found.
    bool clip_all(std::vector<Triangle>& triangles, std::uint64_t& allowance);

private:
    struct Corner {
        Vec2 point;
        Index vertex;
        Index previous;
        Index next;
        Index waiting = no_index;   // first corner that waits for the removal of this one
        Index waits_for = no_index; // corner that this one waits for; `before` and `after` link the list of that corner
        Index before = no_index;
        Index after = no_index;
        bool alive = true;
        bool queued = false;
        bool moved = false; // a neighbour was removed while this corner was in the queue
        bool noted_flat = false;
    };

    [[nodiscard]] const Vec2& point(Index corner) const { return ring_[corner].point; }
    // Equal points are tested first: they are frequent in polygons with bridges and in damaged ones, and the exact test
    // is slow if the result is 0.
    [[nodiscard]] int turn(Index a, Index b, Index c) const {
        if (point(a) == point(b) || point(b) == point(c) || point(c) == point(a)) return 0;
        return orient2d(point(a), point(b), point(c));
    }
    [[nodiscard]] int turn(Index corner) const { return turn(ring_[corner].previous, corner, ring_[corner].next); }

    void prepare();
    void process(Index corner, std::vector<Triangle>& triangles);
    [[nodiscard]] Index blocking(Index corner);
    [[nodiscard]] bool blocks(Index candidate, const std::array<Index, 3>& ear);
    [[nodiscard]] bool enters(Index twin, const std::array<Index, 3>& ear, std::size_t at) const;
    void clip(Index corner, std::vector<Triangle>& triangles);
    [[nodiscard]] bool is_spike(Index corner) const;
    [[nodiscard]] bool points_outward(Index spike) const;
    void wait(Index corner, Index obstacle);
    void stop_waiting(Index corner);
    void enqueue(Index corner);
    void enqueue_all();
    void note_flat(Index corner);
    [[nodiscard]] Index next_flat();
    [[nodiscard]] Index forced_choice();
    void end_with_fan(std::vector<Triangle>& triangles);

    std::vector<Corner> ring_;
    CornerTree tree_;
    Queue queue_;
    std::vector<Index> flat_;     // stack of corners that were collinear with their neighbours
    std::size_t left_ = 0;        // number of remaining corners
    Index anchor_ = 0;            // any remaining corner
    bool sweep_may_help_ = false; // a corner waits for a corner at the same point, whose neighbours may have changed
    std::uint64_t work_ = 0;
};

void PolygonTriangulator::EarClipper::set(std::span<const Vec3> vertices, std::span<const Index> corners) {
    const Vec3 direction = area_direction(vertices, corners);
    int axis = 0;
    direction.cwiseAbs().maxCoeff(&axis);
    int u = (axis + 1) % 3;
    int v = (axis + 2) % 3;
    if (direction[axis] < 0) std::swap(u, v);
    const Index count = static_cast<Index>(corners.size());
    ring_.resize(count);
    for (Index i = 0; i < count; ++i) {
        const Vec3& p = vertices[corners[i]];
        ring_[i] = {.point = Vec2(p[u], p[v]),
                    .vertex = corners[i],
                    .previous = (i + count - 1) % count,
                    .next = (i + 1) % count};
    }
}

bool PolygonTriangulator::EarClipper::cut_quadrilateral(std::span<const Vec3> vertices,
                                                        std::vector<Triangle>& triangles) const {
    const std::array<Index, 4> v = {ring_[0].vertex, ring_[1].vertex, ring_[2].vertex, ring_[3].vertex};
    const bool first_inside = turn(0, 1, 2) > 0 && turn(2, 3, 0) > 0;
    const bool second_inside = turn(1, 2, 3) > 0 && turn(3, 0, 1) > 0;
    if (!first_inside && !second_inside) return false;
    const double first = (vertices[v[2]] - vertices[v[0]]).squaredNorm();
    const double second = (vertices[v[3]] - vertices[v[1]]).squaredNorm();
    const bool smallest_on_first = std::min(v[0], v[2]) < std::min(v[1], v[3]);
    const bool along_first =
        !second_inside || (first_inside && (first < second || (first == second && smallest_on_first)));
    if (along_first) {
        triangles.push_back({v[0], v[1], v[2]});
        triangles.push_back({v[0], v[2], v[3]});
    } else {
        triangles.push_back({v[0], v[1], v[3]});
        triangles.push_back({v[1], v[2], v[3]});
    }
    return true;
}

void PolygonTriangulator::EarClipper::prepare() {
    left_ = ring_.size();
    anchor_ = 0;
    work_ = 0;
    sweep_may_help_ = false;
    flat_.clear();
    queue_.reset(left_);
    tree_.clear();
    if (left_ >= tree_pays_from) tree_.build(left_, [this](Index i) -> const Vec2& { return ring_[i].point; });
    for (Index i = 0; i < ring_.size(); ++i)
        if (is_spike(i)) enqueue(i); // before the removal of others inverts them
    for (Index i = 0; i < ring_.size(); ++i) enqueue(i);
}

bool PolygonTriangulator::EarClipper::clip_all(std::vector<Triangle>& triangles, std::uint64_t& allowance) {
    prepare();
    const std::uint64_t max_work = std::min(max_work_per_corner * ring_.size(), allowance);
    bool clean = true;
    while (left_ > 3 && work_ <= max_work) {
        if (!queue_.empty()) {
            process(queue_.pop(), triangles);
        } else if (sweep_may_help_) {
            sweep_may_help_ = false;
            enqueue_all();
        } else if (const Index corner = next_flat(); corner != no_index) {
            clip(corner, triangles);
        } else {
            clip(forced_choice(), triangles);
            clean = false;
        }
    }
    clean = clean && left_ <= 3;
    if (!clean) allowance -= std::min(work_, allowance);
    end_with_fan(triangles);
    return clean;
}

void PolygonTriangulator::EarClipper::process(Index corner, std::vector<Triangle>& triangles) {
    Corner& c = ring_[corner];
    c.queued = false;
    if (!c.alive) return;
    if (c.moved) { // moves to the end of the queue, so that ears are removed all around and triangles are well shaped
        c.moved = false;
        enqueue(corner);
        return;
    }
    ++work_;
    stop_waiting(corner);
    const int side = turn(corner);
    if (side == 0 && is_spike(corner) && points_outward(corner)) return clip(corner, triangles);
    if (side == 0) note_flat(corner);
    if (side <= 0) return;
    const Index obstacle = blocking(corner);
    if (obstacle == no_index) {
        clip(corner, triangles);
    } else {
        wait(corner, obstacle);
    }
}

// True if the boundary goes to the corner and straight back.
bool PolygonTriangulator::EarClipper::is_spike(Index corner) const {
    return point(ring_[corner].previous) == point(ring_[corner].next);
}

bool PolygonTriangulator::EarClipper::points_outward(Index spike) const {
    const Index base = ring_[spike].previous;
    const Index before = ring_[base].previous;
    const Index after = ring_[ring_[spike].next].next;
    const bool left_of_first = turn(before, base, spike) > 0;
    const bool left_of_second = turn(base, after, spike) > 0;
    const bool convex = turn(before, base, after) > 0;
    return convex ? !(left_of_first && left_of_second) : !(left_of_first || left_of_second);
}

void PolygonTriangulator::EarClipper::wait(Index corner, Index obstacle) {
    Corner& c = ring_[corner];
    c.waits_for = obstacle;
    c.before = no_index;
    c.after = ring_[obstacle].waiting;
    if (c.after != no_index) ring_[c.after].before = corner;
    ring_[obstacle].waiting = corner;
}

void PolygonTriangulator::EarClipper::stop_waiting(Index corner) {
    Corner& c = ring_[corner];
    if (c.waits_for == no_index) return;
    if (c.after != no_index) ring_[c.after].before = c.before;
    (c.before != no_index ? ring_[c.before].after : ring_[c.waits_for].waiting) = c.after;
    c.waits_for = no_index;
}

Index PolygonTriangulator::EarClipper::blocking(Index corner) {
    const std::array<Index, 3> ear = {ring_[corner].previous, corner, ring_[corner].next};
    if (tree_.in_use())
        return tree_.find({point(ear[0]), point(ear[1]), point(ear[2])}, work_,
                          [&](Index candidate) { return blocks(candidate, ear); });
    for (Index i = ring_[ear[2]].next; i != ear[0]; i = ring_[i].next) {
        ++work_;
        if (blocks(i, ear)) return i;
    }
    return no_index;
}

bool PolygonTriangulator::EarClipper::blocks(Index candidate, const std::array<Index, 3>& ear) {
    if (!ring_[candidate].alive) return false;
    const auto& [a, b, c] = ear;
    if (candidate == a || candidate == b || candidate == c) return false;
    const Vec2& p = point(candidate);
    for (std::size_t at = 0; at < 3; ++at)
        if (p == point(ear[at])) {
            const bool blocked = enters(candidate, ear, at);
            sweep_may_help_ |= blocked;
            return blocked;
        }
    // The new edge is tested first, since most corners are beyond it.
    return turn(c, a, candidate) >= 0 && turn(a, b, candidate) >= 0 && turn(b, c, candidate) >= 0;
}

// `twin` is at the position of corner `at` of the ear (as at a bridge to a hole). True if the boundary through it
// enters the ear.
bool PolygonTriangulator::EarClipper::enters(Index twin, const std::array<Index, 3>& ear, std::size_t at) const {
    const Index before = ear[(at + 2) % 3];
    const Index after = ear[(at + 1) % 3];
    const auto inside = [&](Index p) { return turn(before, ear[at], p) > 0 && turn(ear[at], after, p) > 0; };
    return inside(ring_[twin].previous) || inside(ring_[twin].next);
}

void PolygonTriangulator::EarClipper::clip(Index corner, std::vector<Triangle>& triangles) {
    Corner& c = ring_[corner];
    triangles.push_back({ring_[c.previous].vertex, c.vertex, ring_[c.next].vertex});
    ring_[c.previous].next = c.next;
    ring_[c.next].previous = c.previous;
    c.alive = false;
    --left_;
    anchor_ = c.next;
    for (const Index neighbour : {c.previous, c.next}) {
        ring_[neighbour].moved = ring_[neighbour].queued;
        enqueue(neighbour);
    }
    for (Index i = c.waiting; i != no_index; i = ring_[i].after) enqueue(i);
    if (tree_.in_use()) tree_.remove(corner);
}

void PolygonTriangulator::EarClipper::enqueue(Index corner) {
    Corner& c = ring_[corner];
    if (c.queued || !c.alive) return;
    c.queued = true;
    queue_.push(corner);
}

void PolygonTriangulator::EarClipper::enqueue_all() {
    Index i = anchor_;
    do {
        enqueue(i);
        i = ring_[i].next;
    } while (i != anchor_);
    work_ += left_;
}

void PolygonTriangulator::EarClipper::note_flat(Index corner) {
    if (!ring_[corner].noted_flat) flat_.push_back(corner);
    ring_[corner].noted_flat = true;
}

Index PolygonTriangulator::EarClipper::next_flat() {
    while (!flat_.empty()) {
        const Index corner = flat_.back();
        flat_.pop_back();
        ring_[corner].noted_flat = false;
        if (ring_[corner].alive && turn(corner) == 0) return corner;
    }
    return no_index;
}

Index PolygonTriangulator::EarClipper::forced_choice() {
    Index i = anchor_;
    for (int k = 0; k < forced_choice_looks_at; ++k, i = ring_[i].next)
        if (turn(i) > 0) return i;
    return i;
}

void PolygonTriangulator::EarClipper::end_with_fan(std::vector<Triangle>& triangles) {
    const Index hub = anchor_;
    for (Index i = ring_[hub].next; ring_[i].next != hub; i = ring_[i].next)
        triangles.push_back({ring_[hub].vertex, ring_[i].vertex, ring_[ring_[i].next].vertex});
}

PolygonTriangulator::PolygonTriangulator() : clipper_(std::make_unique<EarClipper>()), allowance_(work_at_first) {}
PolygonTriangulator::~PolygonTriangulator() = default;

bool PolygonTriangulator::triangulate(std::span<const Vec3> vertices, std::span<const Index> corners,
                                      std::vector<Triangle>& triangles) {
    if (corners.size() < 3) return true;
    if (corners.size() == 3 || corners.size() > max_corners) {
        for (std::size_t i = 2; i < corners.size(); ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
        return corners.size() == 3;
    }
    clipper_->set(vertices, corners);
    if (corners.size() == 4 && clipper_->cut_quadrilateral(vertices, triangles)) return true;
    allowance_ += work_earned_per_corner * corners.size();
    return clipper_->clip_all(triangles, allowance_);
}

} // namespace fathom
