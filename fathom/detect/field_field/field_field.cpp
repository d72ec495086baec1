// Collision of two solids in a canonical order, so that swapping the arguments only swaps names.
#include <fathom/detect/field_field/field_field.h>

#include <fathom/base/error.h>
#include <fathom/detect/field_field/contact_regions.h>
#include <fathom/detect/field_field/overlap_search.h>

#include <algorithm>
#include <cmath>

namespace fathom::field_field {

namespace {

// The solids in order: P's tree is tested in Q's field.
struct Ordered {
    const FieldSphereTree *p, *q;
    Pose pose_p, pose_q;
    bool swapped;

    Ordered(const FieldSphereTree& a, const Pose& pose_a, const FieldSphereTree& b, const Pose& pose_b)
        : p(&a), q(&b), pose_p(pose_a), pose_q(pose_b), swapped(second_first(a, pose_a, b, pose_b)) {
        if (!swapped) return;
        std::swap(p, q);
        std::swap(pose_p, pose_q);
    }

    static bool second_first(const FieldSphereTree& a, const Pose& pose_a, const FieldSphereTree& b,
                             const Pose& pose_b) {
        if (a.bounded() != b.bounded()) return b.bounded();
        // The tree of the slower field is traversed in the faster field, which is evaluated most.
        const auto key = [](const FieldSphereTree& s, const Pose& pose) {
            const Vec3 size = s.bounds().size(), &t = pose.translation;
            const auto& r = pose.rotation.coeffs();
            return std::array<double, 11>{-static_cast<double>(s.field().traits().cost),
                                          size.prod(),
                                          size.x(),
                                          size.y(),
                                          t.x(),
                                          t.y(),
                                          t.z(),
                                          r[0],
                                          r[1],
                                          r[2],
                                          r[3]};
        };
        return key(b, pose_b) < key(a, pose_a);
    }

    [[nodiscard]] FieldPair pair() const { return {p->field(), q->field(), relative(pose_p, pose_q)}; }
    [[nodiscard]] double far() const { return pose_p.translation.norm() + pose_q.translation.norm(); }
    [[nodiscard]] double size() const {
        const double of_p = p->bounds().size().maxCoeff();
        return q->bounded() && !q->empty() ? std::min(of_p, q->bounds().size().maxCoeff()) : of_p;
    }
};

Feature feature_at(const FieldSphereTree& solid, const Pose& pose, const Vec3& world) {
    return {solid.field().feature_at(pose.to_local(world)), no_index};
}

void check(double margin, double tolerance, const FieldSphereTree& a, const FieldSphereTree& b) {
    if (!(margin >= 0) || !std::isfinite(margin))
        throw Error(Cause::invalid_argument, "the margin must be finite and not negative");
    if (!(tolerance >= 0) || !std::isfinite(tolerance))
        throw Error(Cause::invalid_argument, "the tolerance must be finite and not negative");
    if (!a.bounded() && !b.bounded()) throw Error(Cause::invalid_argument, "both solids are unbounded");
}

bool is_smooth(const FieldSphereTree& solid) { return solid.field().traits().smooth; }
bool is_convex(const FieldSphereTree& solid) { return solid.field().traits().convex; }

// A fiftieth of the fields' resolution is far below their error.
double contact_tolerance(const Ordered& o) {
    double finest = 1e-4;
    for (const FieldSphereTree* solid : {o.p, o.q})
        finest = std::max(finest, 0.02 * solid->field().resolution() / o.size());
    return finest;
}

// Some fields compute in float: boxes below 1e-4 of their size give no more information.
double useful_tolerance(const Ordered& o) {
    double finest = 1e-9;
    for (const FieldSphereTree* solid : {o.p, o.q})
        if (solid->field().traits().single_precision) finest = 1e-4;
    return finest * o.size();
}

Contact in_world(const Ordered& o, const RegionContact& c) {
    Contact contact{o.pose_p * c.point_p,
                    o.pose_p * c.point_q,
                    o.pose_p.rotate(c.normal),
                    c.depth,
                    c.region,
                    feature_at(*o.p, o.pose_p, o.pose_p * c.point_p),
                    feature_at(*o.q, o.pose_q, o.pose_p * c.point_q)};
    if (o.swapped) {
        std::swap(contact.point_a, contact.point_b);
        std::swap(contact.feature_a, contact.feature_b);
        contact.normal = -contact.normal;
    }
    return contact;
}

// Numbers the regions from 0 in the order of their deepest contacts.
void number_regions(std::vector<Contact>& contacts) {
    std::vector<Index> seen;
    for (Contact& c : contacts) {
        const auto at = std::find(seen.begin(), seen.end(), c.region);
        const auto number = static_cast<Index>(at - seen.begin());
        if (at == seen.end()) seen.push_back(c.region);
        c.region = number;
    }
}

void add_contacts(const Ordered& o, const FieldPair& pair, const Vec3& common, const CollideOptions& options,
                  CollideResult& result) {
    const bool smooth = is_smooth(*o.p) && is_smooth(*o.q), convex = is_convex(*o.p) && is_convex(*o.q);
    const RegionOptions region_options{.margin = options.margin,
                                       .max_contacts = options.max_contacts,
                                       .tolerance = contact_tolerance(o),
                                       .polish = smooth,
                                       .deepest_tolerance = options.depth_tolerance,
                                       .max_deepest_evaluations = options.max_evaluations / 3};
    const RegionContacts found = convex
                                     ? convex_contacts(pair, common, o.size(), region_options)
                                     : find_contacts(*o.p, *o.q, relative(o.pose_p, o.pose_q), common, region_options);
    result.evaluations += found.evaluations;
    result.more_contacts = found.more_contacts;
    result.depth_bound = found.depth_bound;
    result.contacts.reserve(found.contacts.size());
    for (const RegionContact& c : found.contacts) result.contacts.push_back(in_world(o, c));
    number_regions(result.contacts);
    if (!result.contacts.empty()) result.depth = result.contacts.front().depth;
}

} // namespace

CollideResult collide(const FieldSphereTree& a, const Pose& pose_a, const FieldSphereTree& b, const Pose& pose_b,
                      const CollideOptions& options) {
    check(options.margin, options.tolerance, a, b);
    CollideResult result;
    result.error_bound = a.surface_error() + b.surface_error();
    if (a.empty() || b.empty()) return result;
    if (!is_finite(pose_a) || !is_finite(pose_b)) {
        result.status = Status::undecided;
        result.open_size = HUGE_VAL;
        return result;
    }
    const Ordered o(a, pose_a, b, pose_b);
    const FieldPair pair = o.pair();
    const double tolerance = options.tolerance > 0 ? options.tolerance : useful_tolerance(o);
    const SearchResult found = search(*o.p, *o.q, pair, {options.margin, tolerance, options.max_evaluations, o.far()});
    result.status = found.status;
    result.evaluations = found.evaluations;
    result.open_size = found.open_size;
    if (found.status != Status::overlapping) return result;
    result.witness = o.pose_p * found.in_p;
    if (options.goal != CollideGoal::contacts) return result;
    Vec3 start = found.in_p;
    if (options.margin > 0) { // start from a point of overlap, which is deeper, if there is one
        const SearchResult deeper = search(*o.p, *o.q, pair, {0, tolerance, options.max_evaluations, o.far()});
        result.evaluations += deeper.evaluations;
        if (deeper.status == Status::overlapping) start = deeper.in_p;
    }
    add_contacts(o, pair, start, options, result);
    return result;
}

} // namespace fathom::field_field
