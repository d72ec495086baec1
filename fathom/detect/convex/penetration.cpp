// The expanding polytope algorithm, and refinement of the directions that it finds.
#include <fathom/detect/convex/penetration.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom::convex {

namespace {

constexpr int max_points = 192, max_faces = 2 * max_points;
constexpr double near_best = 0.9995;      // cosine: faces around a refined direction, which curvature keeps inside
constexpr double same_direction = 0.9998; // cosine: directions that are closer count as one (1.1 degrees)
constexpr int max_pieces = 6;             // that are combined where faces lead to no minimum
constexpr int max_refined = 12, max_tried = 32; // faces from which directions are refined, at once and in all

struct Face {
    int at[3];     // counter-clockwise seen from outside
    int beside[3]; // face behind the edge from corner k to corner k + 1
    Vec3 normal;   // unit; 0 for a face without area
    double distance;
    bool alive, visible;
    bool final; // it lies on the boundary of the difference
};

class Polytope {
public:
    explicit Polytope(const Difference& difference) : d_(difference) {}

    Penetration run(const Simplex& inside, double gap, bool around);

private:
    struct Edge {
        int face, side; // of a face that stays: its edge to a face that goes
    };

    // A point farther out than the points of the simplex, for a tetrahedron. False if the difference is flat: then
    // `best_` has the direction in which it is.
    bool grow_to_tetrahedron(const Simplex& inside);
    bool add_off(const Vec3* directions, int count);
    bool add_off_plane();
    [[nodiscard]] double span_distance(const Vec3& w) const;
    void start_faces();
    int make_face(int a, int b, int c);
    [[nodiscard]] int nearest(double& least, bool skip_best) const;
    void expand_all(double gap, bool skip_best = false);
    bool expand(int face, const DifferencePoint& point);
    [[nodiscard]] bool is_visible(int face, const Vec3& w) const {
        return faces_[face].normal.dot(w) - faces_[face].distance > d_.rounding;
    }
    bool connect(const Edge* horizon, int count, int point);

    // ---- Directions
    void consider(const Direction& direction);
    void consider_axes();
    void consider_axes_of(const Body& body, const Mat3& turn, bool opposite);
    [[nodiscard]] Direction direction_of(const Face& face, double height) const;
    [[nodiscard]] Simplex simplex_of(const Face& face) const;
    void refine_faces();
    int pieces_near_best(DifferencePoint (&pieces)[max_pieces]) const;
    void refine_pieces();
    [[nodiscard]] bool is_stationary() const;
    void add_best_point();
    [[nodiscard]] Simplex around_origin() const;

    const Difference& d_;
    DifferencePoint points_[max_points];
    Face faces_[max_faces];
    int free_[max_faces]; // faces that are gone, and whose places are used again
    int point_count_ = 0, face_count_ = 0, free_count_ = 0;
    Direction best_{};
    double second_ = HUGE_VAL; // least height of a direction that differs from the best one
    double lower_ = 0;         // least distance of the faces, at its best
    bool encloses_ = false;
    Vec3 tried_[max_tried]; // normals of faces from which directions were refined
    int tried_count_ = 0;
    bool closed_ = true; // the faces enclose the polytope
};

// Barycentric shares of the point of a triangle's plane that is closest to the origin, not negative.
Vec3 shares_at_origin(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = (b - a).cross(c - a);
    const double squared = normal.squaredNorm();
    if (!(squared > 0)) return {1, 0, 0};
    Vec3 shares((b.cross(c)).dot(normal), (c.cross(a)).dot(normal), (a.cross(b)).dot(normal));
    shares = (shares / squared).cwiseMax(0);
    const double sum = shares.sum();
    return sum > 0 ? Vec3(shares / sum) : Vec3(1, 0, 0);
}

// ---- Start

double Polytope::span_distance(const Vec3& w) const {
    const Vec3 from = w - points_[0].w;
    if (point_count_ == 1) return from.norm();
    const Vec3 along = (points_[1].w - points_[0].w).normalized();
    return (from - from.dot(along) * along).norm();
}

bool Polytope::add_off(const Vec3* directions, int count) {
    DifferencePoint best = points_[0];
    double farthest = -1;
    for (int k = 0; k < count; ++k)
        for (const double sign : {1.0, -1.0}) {
            const DifferencePoint p = d_.certainly_farthest(sign * directions[k]);
            if (const double off = span_distance(p.w); off > farthest) farthest = off, best = p;
        }
    if (!(farthest > 4 * d_.rounding)) return false;
    points_[point_count_++] = best;
    return true;
}

bool Polytope::add_off_plane() {
    const Vec3 normal = (points_[1].w - points_[0].w).cross(points_[2].w - points_[0].w).normalized();
    const DifferencePoint up = d_.certainly_farthest(normal), down = d_.certainly_farthest(-normal);
    const double above = normal.dot(up.w), below = -normal.dot(down.w), level = normal.dot(points_[0].w);
    points_[point_count_++] = above - level > level + below ? up : down;
    return above + below > 4 * d_.rounding;
}

bool Polytope::grow_to_tetrahedron(const Simplex& inside) {
    for (int k = 0; k < inside.count; ++k) {
        points_[point_count_] = inside.points[k];
        const bool apart = point_count_ == 0 || span_distance(inside.points[k].w) > 4 * d_.rounding;
        if (point_count_ < 3 && apart) ++point_count_;
    }
    const Vec3 axes[3] = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    Vec3 flat = Vec3::UnitX();
    if (point_count_ == 1 && !add_off(axes, 3)) {
        flat = Vec3::UnitX();
    } else {
        const Vec3 along = (points_[1].w - points_[0].w).normalized();
        const Vec3 u = any_perpendicular(along), v = along.cross(u);
        const Vec3 around[4] = {u, v, (u + v).normalized(), (u - v).normalized()};
        if (point_count_ == 2 && !add_off(around, 4)) {
            flat = u;
        } else {
            flat = (points_[1].w - points_[0].w).cross(points_[2].w - points_[0].w).normalized();
            if (add_off_plane()) return true;
        }
    }
    for (const double sign : {1.0, -1.0}) consider({sign * flat, d_.height(sign * flat), inside.on_a(), inside.on_b()});
    return false;
}

int Polytope::make_face(int a, int b, int c) {
    if (free_count_ == 0 && face_count_ == max_faces) return -1;
    const int at = free_count_ > 0 ? free_[--free_count_] : face_count_++;
    const Vec3 &p = points_[a].w, &q = points_[b].w, &r = points_[c].w;
    const Vec3 normal = (q - p).cross(r - p);
    const double length = normal.norm();
    Face face{{a, b, c}, {-1, -1, -1}, Vec3::Zero(), HUGE_VAL, true, false, !(length > 0)};
    if (length > 0) {
        face.normal = normal / length;
        face.distance = std::max({face.normal.dot(p), face.normal.dot(q), face.normal.dot(r)});
    }
    faces_[at] = face;
    return at;
}

void Polytope::start_faces() {
    const Vec3 e = points_[1].w - points_[0].w, f = points_[2].w - points_[0].w, g = points_[3].w - points_[0].w;
    if (e.cross(f).dot(g) > 0) std::swap(points_[1], points_[2]);
    constexpr int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    constexpr int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int k = 0; k < 4; ++k) {
        make_face(corners[k][0], corners[k][1], corners[k][2]);
        std::copy(beside[k], beside[k] + 3, faces_[k].beside);
    }
}

// ---- Expansion

// The nearest face that may not be on the boundary of the difference; `least` is the distance of the nearest of all.
int Polytope::nearest(double& least, bool skip_best) const {
    int best = -1;
    least = HUGE_VAL;
    for (int k = 0; k < face_count_; ++k) {
        if (!faces_[k].alive) continue;
        least = std::min(least, faces_[k].distance);
        if (skip_best && faces_[k].normal.dot(best_.normal) > near_best) continue;
        if (!faces_[k].final && (best < 0 || faces_[k].distance < faces_[best].distance)) best = k;
    }
    return best;
}

// Removes the faces that see the point, and joins the point with their boundary. False if that boundary is not one
// loop, which only rounding can cause.
bool Polytope::expand(int face, const DifferencePoint& point) {
    if (point_count_ == max_points) return false;
    int open[max_faces], open_count = 0, gone[max_faces], gone_count = 0;
    Edge horizon[max_faces];
    int edges = 0;
    faces_[face].visible = true;
    open[open_count++] = face;
    while (open_count > 0) {
        const int at = open[--open_count];
        gone[gone_count++] = at;
        for (const int next : faces_[at].beside) {
            if (faces_[next].visible) continue;
            if (is_visible(next, point.w)) {
                faces_[next].visible = true;
                open[open_count++] = next;
            }
        }
    }
    for (int k = 0; k < gone_count; ++k)
        for (const int next : faces_[gone[k]].beside) {
            if (faces_[next].visible) continue;
            const int back = static_cast<int>(std::find(faces_[next].beside, faces_[next].beside + 3, gone[k]) -
                                              faces_[next].beside);
            if (back == 3 || edges == max_faces) return false;
            horizon[edges++] = {next, back};
        }
    for (int k = gone_count - 1; k >= 0; --k) {
        faces_[gone[k]].alive = faces_[gone[k]].visible = false;
        free_[free_count_++] = gone[k];
    }
    points_[point_count_] = point;
    return edges >= 3 && connect(horizon, edges, point_count_++);
}

bool Polytope::connect(const Edge* horizon, int count, int point) {
    int from[max_points]; // new face whose edge of the horizon starts at a point
    std::fill(from, from + point_count_ + 1, -1);
    int made[max_faces];
    for (int k = 0; k < count; ++k) {
        Face& outer = faces_[horizon[k].face];
        const int side = horizon[k].side, b = outer.at[side], a = outer.at[(side + 1) % 3];
        const int face = make_face(a, b, point);
        if (face < 0 || from[a] >= 0) return false;
        faces_[face].beside[0] = horizon[k].face;
        faces_[horizon[k].face].beside[side] = face;
        from[a] = face;
        made[k] = face;
    }
    for (int k = 0; k < count; ++k) {
        const int next = from[faces_[made[k]].at[1]];
        if (next < 0) return false;
        faces_[made[k]].beside[1] = next;
        faces_[next].beside[2] = made[k];
    }
    return true;
}

// ---- Directions

void Polytope::consider(const Direction& direction) {
    const bool same = best_.normal.dot(direction.normal) > same_direction;
    if (direction.height < best_.height) {
        if (!same) second_ = best_.height;
        best_ = direction;
    } else if (!same) {
        second_ = std::min(second_, direction.height);
    }
}

// Normals of faces of curved cores, which a polytope only approaches.
void Polytope::consider_axes_of(const Body& body, const Mat3& turn, bool opposite) {
    if (body.core == Core::ellipsoid) {
        for (int axis = 0; axis < 3; ++axis)
            for (const double sign : {1.0, -1.0}) {
                const Vec3 normal = sign * turn.col(axis);
                const DifferencePoint p = d_.certainly_farthest(normal);
                if (p.w.dot(normal) > 1.01 * best_.height) continue;
                Simplex s;
                s.points[0] = p, s.shares[0] = 1, s.count = 1;
                const Direction found = refined(d_, s, normal);
                consider(found.height < HUGE_VAL ? found : Direction{normal, p.w.dot(normal), p.a, p.b});
            }
    }
    if (body.core != Core::frustum) return;
    for (const double sign : {1.0, -1.0}) {
        if ((sign > 0 ? body.half.y() : body.half.x()) == 0) continue;
        const Vec3 normal = (opposite ? -sign : sign) * turn.col(2);
        const DifferencePoint p = d_.certainly_farthest(normal);
        const double height = p.w.dot(normal);
        if (!(height < best_.height)) {
            consider({normal, height, p.a, p.b});
            continue;
        }
        // The point of the other body that is deepest, if it is over the face.
        const Vec3 on_a = opposite ? p.a : Vec3(p.b + height * normal),
                   on_b = opposite ? Vec3(p.a - height * normal) : p.b;
        const Vec3 on_face = opposite ? Vec3(d_.turn.transpose() * (on_b - d_.move)) : on_a;
        const double radius = sign > 0 ? body.half.y() : body.half.x();
        if (std::hypot(on_face.x(), on_face.y()) <= radius)
            consider({normal, height, on_a, on_b});
        else
            consider({normal, height, p.a, p.b});
    }
}

void Polytope::consider_axes() {
    consider_axes_of(d_.a, Mat3::Identity(), false);
    consider_axes_of(d_.b, d_.turn, true);
}

Simplex Polytope::simplex_of(const Face& face) const {
    Simplex s;
    const Vec3 shares = shares_at_origin(points_[face.at[0]].w, points_[face.at[1]].w, points_[face.at[2]].w);
    s.count = 3;
    for (int k = 0; k < 3; ++k) s.points[k] = points_[face.at[k]], s.shares[k] = shares[k];
    return s;
}

Direction Polytope::direction_of(const Face& face, double height) const {
    const Simplex s = simplex_of(face);
    return {face.normal, height, s.on_a(), s.on_b()};
}

// Newton's method from every face that may hide a smaller height than the best one.
void Polytope::refine_faces() {
    const auto is_new = [&](const Vec3& normal) {
        return std::none_of(tried_, tried_ + tried_count_,
                            [&](const Vec3& t) { return t.dot(normal) > same_direction; });
    };
    for (int count = 0; count < max_refined && tried_count_ < max_tried; ++count) {
        int from = -1;
        for (int k = 0; k < face_count_; ++k) {
            const Face& f = faces_[k];
            if (!f.alive || f.distance > best_.height + tie_share * d_.size || !is_new(f.normal)) continue;
            if (from < 0 || f.distance < faces_[from].distance) from = k;
        }
        if (from < 0) return;
        tried_[tried_count_++] = faces_[from].normal;
        const Direction found = refined(d_, simplex_of(faces_[from]), faces_[from].normal);
        if (found.height < HUGE_VAL) consider(found);
    }
}

// Different pieces of the points around the best direction: the highest ones.
int Polytope::pieces_near_best(DifferencePoint (&pieces)[max_pieces]) const {
    int count = 0;
    const auto add = [&](const DifferencePoint& p) {
        int at = 0;
        while (at < count && !pieces[at].same_pieces(p)) ++at;
        const double height = p.w.dot(best_.normal);
        if (at < count) {
            if (height > pieces[at].w.dot(best_.normal)) pieces[at] = p;
        } else if (count < max_pieces) {
            pieces[count++] = p;
        } else {
            DifferencePoint* const lowest = std::min_element(pieces, pieces + count, [&](const auto& q, const auto& r) {
                return q.w.dot(best_.normal) < r.w.dot(best_.normal);
            });
            if (height > lowest->w.dot(best_.normal)) *lowest = p;
        }
    };
    for (int k = 0; k < face_count_; ++k)
        if (faces_[k].alive && faces_[k].normal.dot(best_.normal) > near_best)
            for (const int at : faces_[k].at) add(points_[at]);
    return count;
}

// Newton's method from every three and two pieces near the best direction. Where more than three pieces are nearly
// level, the faces may not lead to those that are at the minimum.
void Polytope::refine_pieces() {
    DifferencePoint pieces[max_pieces];
    const int count = pieces_near_best(pieces);
    for (int size = 3; size >= 2; --size)
        for (int mask = 0; mask < 1 << count && !is_stationary(); ++mask) {
            if (std::popcount(static_cast<unsigned>(mask)) != size) continue;
            Simplex s;
            for (int k = 0; k < count; ++k)
                if (mask >> k & 1) s.points[s.count] = pieces[k], s.shares[s.count++] = 1.0 / size;
            if (const Direction found = refined(d_, s, best_.normal); found.height < HUGE_VAL) consider(found);
        }
}

// Expands until the least height is known to the gap, or the polytope is full. Faces of polyhedra are found exactly,
// and all that are as near as the best one.
void Polytope::expand_all(double gap, bool skip_best) {
    while (closed_) {
        double least = 0;
        const int at = nearest(least, skip_best);
        if (least < HUGE_VAL) lower_ = std::max(lower_, std::min(least, best_.height));
        encloses_ = encloses_ || (least < HUGE_VAL && least >= -d_.rounding);
        if (at < 0) return;
        Face& face = faces_[at];
        const double near = gap > 0 ? -std::max(d_.rounding, gap * best_.height) : tie_share * d_.size;
        if (face.distance >= best_.height + near) return;
        const DifferencePoint& p = points_[face.at[2]];
        const DifferencePoint next = d_.farthest(face.normal, p.piece_a, p.piece_b);
        const double height = next.w.dot(face.normal);
        consider(direction_of(face, height));
        if (height - face.distance <= d_.rounding)
            face.final = true;
        else
            closed_ = expand(at, next);
    }
}

// Whether the points of the best direction prove that it is a local minimum.
bool Polytope::is_stationary() const {
    return (best_.on_a - best_.on_b - best_.height * best_.normal).norm() <= 16 * d_.rounding;
}

// The nearest point of the boundary of the difference, as a corner: the faces around it then prove the least height.
void Polytope::add_best_point() {
    DifferencePoint nearest;
    nearest.a = best_.on_a, nearest.b = best_.on_b, nearest.w = nearest.a - nearest.b;
    const DifferencePoint top = d_.farthest(best_.normal);
    nearest.piece_a = top.piece_a, nearest.piece_b = top.piece_b;
    const auto height_over = [&](const Face& f) { return f.alive ? f.normal.dot(nearest.w) - f.distance : -HUGE_VAL; };
    const Face* const from = std::max_element(
        faces_, faces_ + face_count_, [&](const Face& f, const Face& g) { return height_over(f) < height_over(g); });
    const int at = static_cast<int>(from - faces_);
    if (closed_ && at < face_count_ && is_visible(at, nearest.w)) closed_ = expand(at, nearest);
}

// A corner and the face behind it, seen from the origin.
Simplex Polytope::around_origin() const {
    Simplex best;
    double least = -HUGE_VAL;
    for (int k = 0; k < face_count_; ++k) {
        const Face& face = faces_[k];
        if (!face.alive || face.normal.isZero(0)) continue;
        Eigen::Matrix4d corners;
        corners.row(3).setOnes();
        const int at[4] = {face.at[0], face.at[1], face.at[2], 0};
        for (int i = 0; i < 4; ++i) corners.col(i).head<3>() = points_[at[i]].w / d_.size;
        const Eigen::Vector4d shares = corners.fullPivLu().solve(Eigen::Vector4d::UnitW());
        if (!shares.allFinite() || !(shares.minCoeff() > least)) continue;
        least = shares.minCoeff();
        best.count = 4;
        const double sum = shares.cwiseMax(0).sum();
        for (int i = 0; i < 4; ++i) best.points[i] = points_[at[i]], best.shares[i] = std::max(shares[i], 0.0) / sum;
    }
    return best;
}

Penetration Polytope::run(const Simplex& inside, double gap, bool around) {
    if (grow_to_tetrahedron(inside)) {
        start_faces();
        consider_axes();
        if (d_.a.is_polyhedron() && d_.b.is_polyhedron()) {
            expand_all(0);
            if (!closed_) refine_faces();
        } else {
            expand_all(1e-2);
            refine_faces();
            if (is_stationary()) {
                expand_all(1e-9, true);
                if (gap < 1e-2) {
                    add_best_point();
                    expand_all(gap);
                }
            } else {
                expand_all(1e-7);
            }
            refine_faces();
            if (!is_stationary()) refine_pieces();
        }
    }
    best_.height = std::max(best_.height, d_.height(best_.normal));
    Penetration result{best_, std::min(lower_, best_.height), second_ > best_.height + tie_share * d_.size, encloses_};
    if (encloses_ && around) result.around = around_origin();
    return result;
}

} // namespace

Penetration penetration(const Difference& difference, const Simplex& inside, double gap, bool around) {
    return Polytope(difference).run(inside, gap, around);
}

bool is_well_determined(const Difference& d, const Direction& best) {
    constexpr double angle = 0.0175; // one degree
    const double least = best.height + tie_share * d.size;
    const Vec3 &n = best.normal, u = any_perpendicular(n), v = n.cross(u);
    const DifferencePoint top = d.farthest(n);
    const auto is_higher = [&](const Vec3& normal) {
        if (top.w.dot(normal) > least) return true;
        return d.farthest(normal, top.piece_a, top.piece_b).w.dot(normal) > least;
    };
    for (const Vec3& aside : {u, v, Vec3(-u), Vec3(-v)})
        if (!is_higher((n + angle * aside).normalized())) return false;
    // Along the valleys of bodies of revolution, and across their axes.
    const auto is_even = [&](const Body& body, const Vec3& axis) {
        if (body.core != Core::frustum || std::abs(n.dot(axis)) > 0.999) return false;
        return !is_higher(Eigen::AngleAxisd(angle, axis) * n) || !is_higher(2 * n.dot(axis) * axis - n);
    };
    if (is_even(d.a, Vec3::UnitZ()) || is_even(d.b, d.turn.col(2))) return false;
    return is_higher(-n);
}

} // namespace fathom::convex
