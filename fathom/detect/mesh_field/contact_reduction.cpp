// The deepest contact by bounds, then the farthest ones by gaps, both best first over the same balls.
#include <fathom/detect/mesh_field/contact_reduction.h>

#include <fathom/base/error.h>
#include <fathom/detect/mesh_field/mesh_in_field_frame.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>
#include <unordered_map>

// What reduce_contacts.cpp works on: balls over triangles, and a mesh in a field with what look-ups say
// of them. Private to it. One thread at a time.
namespace fathom::mesh_field {

// A ball over triangles that are not yet told apart, or over one.
struct Item {
    Index side = 0;
    Index place = 0; // node of the tree, or place of a triangle
    bool triangle = false;
    bool asked = false;                      // `look` is of its own centre; else of a ball that holds it
    bool touches = false;                    // all of its triangles do
    Sphere ball{};                           // in the field's frame
    MeshLook look{};                         // of a field that is no mesh, the point found is that asked
    double bound = -HUGE_VAL;                // the field is nowhere less on it
    TriangleInFieldFrame* contact = nullptr; // descended on
    Vec3 world = Vec3::Zero();               // the contact's point, or the ball's centre (m)
    double gap = HUGE_VAL;                   // of that, from the first `compared` contacts taken (m)
    std::size_t compared = 0;

    [[nodiscard]] double value() const { return look.found.sample.distance; }
    [[nodiscard]] double farthest() const {
        return contact ? gap : gap + ball.radius;
    } // no contact of it has a larger gap
    [[nodiscard]] double distance_lower_bound() const {
        return triangle ? gap - ball.radius : farthest();
    } // opening it may find no less
};

// A mesh in a field, and what look-ups say there.
class Side {
public:
    Side(const MeshInField& given, double margin)
        : seen(*given.mesh, given.mesh_pose, *given.field, given.field_pose, margin, 0), mesh_(seen.mesh_field()),
          slope_(mesh_ ? 1 : given.field->lipschitz()),
          error_(seen.error() + (mesh_ ? mesh_->error_bound() + 0.5 * mesh_->thickness() : 0)) {}

    const MeshInFieldFrame seen;

    // A look-up of a mesh costs a microsecond, and bounds the next ones well enough to spare many.
    [[nodiscard]] bool one_by_one() const { return mesh_ != nullptr; }

    void ask(Item& item) const {
        item.look = {item.ball.center, mesh_->nearest(item.ball.center, within(item, item.ball.center))};
        set_asked(item);
    }
    void answer(Item& item, double value) const {
        item.look = {item.ball.center, {{value, Vec3::Zero()}, item.ball.center}};
        set_asked(item);
    }
    // Of a triangle that was asked: whether its middle or a corner touches.
    [[nodiscard]] bool is_seen_to_touch(const Item& item) {
        if (item.value() <= seen.margin()) return true;
        const auto touches = [&](const MeshLook& look) { return look.found.sample.distance <= seen.margin(); };
        return mesh_ ? std::ranges::any_of(looks(item), touches) : has_corner_in(item);
    }
    // Of a triangle that was asked: whether it is quickly seen to have nothing at or below the level.
    [[nodiscard]] bool stays_above(const Item& item, double level) {
        return mesh_ && mesh_field::stays_above(*mesh_, seen.corners(item.place), looks(item), level);
    }
    // Its middle and corners.
    [[nodiscard]] std::array<MeshLook, 4> looks(const Item& item) {
        std::array<MeshLook, 4> found = {item.look};
        const Triangle& vertices = seen.mesh().vertices(item.place);
        const MeshInFieldFrame::Corners corners = seen.corners(item.place);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [at, is_new] = corners_.try_emplace(vertices[k]);
            if (is_new) at->second = {corners[k], mesh_->nearest(corners[k], within(item, corners[k]))};
            found[k + 1] = at->second;
        }
        return found;
    }
    [[nodiscard]] std::size_t corner_look_ups() const { return corners_.size(); }

    // What its look says of an item. Of the field of a mesh, |field(q)| <= |q - c| for every point c of the surface.
    void judge(Item& item) const {
        const double low = mesh_ ? 0 : std::isnan(item.value()) ? -HUGE_VAL : item.value();
        const double reach = item.triangle && mesh_
                                 ? triangle_reach(item.place, seen.to_mesh_frame(item.look.found.point))
                                 : ball_reach(item.ball, item.look.found.point);
        const double bound = low - slope_ * reach - error_;
        if (bound > item.bound) item.bound = bound;
        item.touches = item.touches || seen.is_inside(item.value(), around(item));
    }
    // A node is narrower than its ball: its children or triangles bound it better, at no look-up.
    void judge_closely(Item& item) const {
        if (item.triangle || !mesh_ || !(item.bound > -HUGE_VAL)) return; // nothing was looked up yet
        const SphereNode& node = seen.mesh().tree().nodes()[item.place];
        const TriangleSphereTree& mesh = seen.mesh();
        const Vec3 c = seen.to_mesh_frame(item.look.found.point);
        double reach = 0;
        for (Index k = node.first; k < node.first + node.size(); ++k) {
            const double own = node.is_leaf()
                                   ? triangle_reach(k, c)
                                   : ball_reach({mesh.tree().sphere(mesh.tree().nodes()[k]).center, mesh.reach(k)}, c);
            reach = std::max(reach, own);
        }
        item.bound = std::max(item.bound, -reach - error_);
    }
    [[nodiscard]] bool is_clear(const Item& item) const {
        return item.bound > seen.margin() || seen.is_clear(item.value(), around(item));
    }

private:
    void set_asked(Item& item) const {
        item.asked = true;
        item.touches = item.touches || (item.triangle && item.value() <= seen.margin());
        judge(item);
    }
    [[nodiscard]] double within(const Item& item, const Vec3& p) const {
        return item.bound > -HUGE_VAL ? item.look.reach(p) + seen.error() : HUGE_VAL;
    }
    [[nodiscard]] bool has_corner_in(const Item& item) const {
        std::array<double, 3> values;
        seen.field().distances(seen.corners(item.place), values);
        return std::ranges::any_of(values, [&](double value) { return value <= seen.margin(); });
    }
    // How far from a surface point c a point of it can be; of a triangle, with c in the mesh's frame.
    [[nodiscard]] static double ball_reach(const Sphere& ball, const Vec3& c) {
        return (ball.center - c).norm() + ball.radius;
    }
    [[nodiscard]] double triangle_reach(std::size_t place, const Vec3& c) const {
        double squared = 0;
        for (const Vec3& corner : seen.mesh().corners(place)) squared = std::max(squared, (corner - c).squaredNorm());
        return std::sqrt(squared);
    }
    // A ball round where was looked that holds the item.
    [[nodiscard]] static double around(const Item& item) {
        return (item.ball.center - item.look.at).norm() + item.ball.radius;
    }

    const MeshField* mesh_;
    double slope_;
    double error_;
    std::unordered_map<Index, MeshLook> corners_; // by vertex
};

namespace {

constexpr std::size_t batch = 64; // look-ups at a time of fields that are quicker so

class Spread {
public:
    Spread(std::span<const MeshInField> given, const ReductionOptions& options)
        : options_(options), best_(options.margin) {
        for (const MeshInField& g : given) {
            if (g.mesh->size() == 0) continue;
            Side& side = sides_.emplace_back(g, options.margin);
            number_.push_back(static_cast<std::size_t>(&g - given.data()));
            one_by_one_ = one_by_one_ && side.one_by_one();
        }
    }

    [[nodiscard]] ReductionResult run();

private:
    // The largest key first; of equals the item that was made first.
    struct Entry {
        double key;
        Item* item;
        std::size_t made;
        bool operator<(const Entry& other) const { return key < other.key || (key == other.key && made > other.made); }
    };
    using Heap = std::vector<Entry>;

    void put(Heap& heap, double key, Item* item) {
        heap.push_back({key, item, made_++});
        std::push_heap(heap.begin(), heap.end());
    }
    static Item* take(Heap& heap) {
        std::pop_heap(heap.begin(), heap.end());
        Item* item = heap.back().item;
        heap.pop_back();
        return item;
    }

    void find_deepest();
    void ask(std::span<Item* const> round);
    void descend(std::span<Item* const> round);
    template <class Visit>
    void open(const Item& parent, const Visit& visit);
    [[nodiscard]] std::vector<Item*> prove(double level);

    void file(Item* item);
    void compare(Item& item) const;
    [[nodiscard]] Item* top(Heap& heap);
    void work_on(Item* item);
    void file_touching();
    [[nodiscard]] bool work_on_rest();
    [[nodiscard]] Item* farthest();
    void list(Item* item);
    void list_farthest();

    const ReductionOptions& options_;
    std::deque<Side> sides_;
    std::vector<std::size_t> number_; // of each side, among those given
    bool one_by_one_ = true;
    std::deque<Item> items_;
    std::deque<TriangleInFieldFrame> triangles_; // that were descended on
    std::vector<Item*> touching_;                // that no heap holds
    std::vector<Item*> doubtful_;                // triangles that were not seen to touch, and were not descended on
    std::vector<Item*> astray_;                  // the descent ended above the margin; they may touch all the same
    std::vector<Item*> rest_;                    // not deepest
    std::size_t made_ = 0;
    double best_;                // the margin, or the least value seen on a triangle
    Heap found_, sure_, unsure_; // by gap: contacts; what touches, and what may
    std::vector<Vec3> taken_;    // m, world
    std::vector<double> gaps_;   // of those, from the ones before
    ReductionResult out_;
};

// Looks at the centres of items.
void Spread::ask(std::span<Item* const> round) {
    std::array<Vec3, batch> points;
    std::array<double, batch> values;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        std::array<Item*, batch> asked;
        std::size_t count = 0;
        for (Item* item : round)
            if (item->side == s) points[count] = item->ball.center, asked[count++] = item;
        if (!sides_[s].one_by_one())
            sides_[s].seen.field().distances(std::span(points).first(count), std::span(values).first(count));
        for (std::size_t k = 0; k < count; ++k) {
            if (sides_[s].one_by_one())
                sides_[s].ask(*asked[k]);
            else
                sides_[s].answer(*asked[k], values[k]);
        }
        out_.evaluations += count;
    }
}

// On triangles that were asked.
void Spread::descend(std::span<Item* const> round) {
    std::vector<Item*> at_once;
    for (Item* item : round) {
        item->contact = &triangles_.emplace_back(
            TriangleInFieldFrame{.place = item->place, .center = item->ball.center, .value = item->value()});
        Side& side = sides_[item->side];
        if (side.one_by_one())
            side.seen.descend(*item->contact, side.looks(*item));
        else
            at_once.push_back(item);
    }
    each_triangle(at_once.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) sides_[at_once[k]->side].seen.descend(*at_once[k]->contact);
    });
    for (Item* item : round) {
        (item->contact->touches ? touching_ : astray_).push_back(item);
        best_ = std::min(best_, item->contact->least.sample.distance); // a value that is no number changes nothing
        ++out_.descents;
    }
}

// Its children or triangles that may touch.
template <class Visit>
void Spread::open(const Item& parent, const Visit& visit) {
    const Side& side = sides_[parent.side];
    const SphereNode& node = side.seen.mesh().tree().nodes()[parent.place];
    for (Index k = node.first; k < node.first + node.size(); ++k) {
        Item child{.side = parent.side,
                   .place = k,
                   .triangle = node.is_leaf(),
                   .touches = parent.touches,
                   .look = parent.look,
                   .bound = parent.bound};
        child.ball = child.triangle ? side.seen.ball(k) : side.seen.node(k);
        side.judge(child);
        if (!side.is_clear(child)) visit(&items_.emplace_back(child));
    }
}

// By the bound: what cannot be deeper than the best is left for later.
void Spread::find_deepest() {
    Heap heap;
    for (Index s = 0; s < sides_.size(); ++s)
        put(heap, HUGE_VAL, &items_.emplace_back(Item{.side = s, .ball = sides_[s].seen.node(0)}));
    const auto put_back = [&](Item* item) { put(heap, -item->bound, item); };
    std::vector<Item*> round, unasked, triangles;
    const auto judged_again = [&](Item* item) { // its bound was better than it looked
        const double before = item->bound;
        sides_[item->side].judge_closely(*item);
        if (item->bound > before) put_back(item);
        return item->bound > before;
    };
    while (!heap.empty() && -heap.front().key <= best_) {
        round.clear(), unasked.clear(), triangles.clear();
        while (round.size() < (one_by_one_ ? 1 : batch) && !heap.empty() && -heap.front().key <= best_)
            round.push_back(take(heap));
        for (Item* item : round) {
            if (judged_again(item)) continue;
            if (!item->asked)
                unasked.push_back(item);
            else if (!item->triangle)
                open(*item, put_back);
            else
                (sides_[item->side].stays_above(*item, best_) ? rest_ : triangles).push_back(item);
        }
        ask(unasked);
        for (Item* item : unasked) {
            if (sides_[item->side].is_clear(*item)) continue;
            if (item->triangle) best_ = std::min(best_, item->value());
            put_back(item);
        }
        descend(triangles);
    }
    for (const Entry& entry : heap) rest_.push_back(entry.item);
    if (touching_.empty()) return;
    for (Item* item : prove(best_)) touching_.push_back(item);
}

// Of the triangles on which the descent went astray, those that touch at or below the level.
std::vector<Item*> Spread::prove(double level) {
    std::vector<Item*> found, still;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        std::vector<TriangleInFieldFrame*> open;
        for (const Item* item : astray_)
            if (item->side == s && item->bound <= level) open.push_back(item->contact);
        sides_[s].seen.prove(open, level, options_.max_evaluations);
    }
    for (Item* item : astray_) {
        if (item->contact->touches)
            found.push_back(item);
        else if (level < options_.margin)
            still.push_back(item);
        else
            out_.undecided += !item->contact->cleared;
        item->contact->cleared = false;
    }
    astray_ = still;
    return found;
}

// Where its gap says, among what touches or what may.
void Spread::file(Item* item) {
    const Side& side = sides_[item->side];
    if (!item->contact && side.is_clear(*item)) return;
    item->world = side.seen.field_pose() * (item->contact ? item->contact->least.point : item->ball.center);
    item->gap = HUGE_VAL;
    item->compared = 0;
    compare(*item);
    put(item->contact ? found_ : item->touches ? sure_ : unsure_, item->farthest(), item);
}

void Spread::compare(Item& item) const {
    for (; item.compared < taken_.size(); ++item.compared)
        item.gap = std::min(item.gap, (item.world - taken_[item.compared]).norm());
}

// The item with the largest gap, as far as is known. Gaps only shrink, so an old one is a bound.
Item* Spread::top(Heap& heap) {
    while (!heap.empty()) {
        Item* item = heap.front().item;
        compare(*item);
        if (item->farthest() == heap.front().key) return item;
        (void)take(heap);
        put(heap, item->farthest(), item);
    }
    return nullptr;
}

// One step towards contacts. A ball that touches as a whole need not be asked before it is opened.
void Spread::work_on(Item* item) {
    if (!item->asked && (item->triangle || !item->touches)) {
        ask({&item, 1});
        return file(item);
    }
    if (!item->triangle) return open(*item, [&](Item* child) { file(child); });
    if (!item->touches) {
        item->touches = sides_[item->side].is_seen_to_touch(*item);
        return item->touches ? file(item) : doubtful_.push_back(item);
    }
    descend({&item, 1});
    file_touching();
}

void Spread::file_touching() {
    for (Item* item : touching_) file(item);
    touching_.clear();
}

// A step on what may touch; false where nothing is left.
bool Spread::work_on_rest() {
    if (!unsure_.empty()) {
        work_on(take(unsure_));
    } else if (!doubtful_.empty()) {
        descend(doubtful_);
        doubtful_.clear();
        file_touching();
    } else if (!astray_.empty()) {
        touching_ = prove(options_.margin);
        file_touching();
    } else {
        return false;
    }
    return true;
}

// The next contact. Balls that touch are opened while that may find a farther one, which costs nothing; a triangle is
// descended on where that must; and what only may touch is asked where it could be farther by more than the share.
Item* Spread::farthest() {
    for (;;) {
        const Item *found = top(found_), *sure = top(sure_), *unsure = top(unsure_);
        const double gap = found ? found->gap : -1;
        if (sure && (gap < sure->distance_lower_bound() || gap < spread_share * sure->farthest()))
            work_on(take(sure_));
        else if (unsure && gap < spread_share * unsure->farthest())
            work_on(take(unsure_));
        else if (found)
            return take(found_);
        else if (!work_on_rest())
            return nullptr;
    }
}

void Spread::list(Item* item) {
    gaps_.push_back(item->gap);
    taken_.push_back(item->world);
    out_.contacts.push_back({number_[item->side], sides_[item->side].seen.contact(*item->contact)});
}

void Spread::list_farthest() {
    while (out_.contacts.size() < std::max<std::size_t>(options_.max_contacts, 1)) {
        Item* next = farthest();
        if (!next) return;
        list(next);
    }
    while (found_.empty() && sure_.empty() && work_on_rest()) {
    }
    out_.more_contacts = !found_.empty() || !sure_.empty();
    if (!out_.more_contacts) return;
    // Those on points that were taken come last.
    const auto repeated = std::find_if(gaps_.begin(), gaps_.end(), [](double gap) { return !(gap > 0); });
    out_.contacts.resize(static_cast<std::size_t>(repeated - gaps_.begin()));
}

ReductionResult Spread::run() {
    find_deepest();
    if (touching_.empty()) touching_ = prove(options_.margin);
    if (!touching_.empty()) {
        const auto deeper = [&](const Item* a, const Item* b) {
            const auto key = [&](const Item* i) {
                return std::tuple(i->contact->least.sample.distance, i->side,
                                  sides_[i->side].seen.mesh().triangle(i->place));
            };
            return key(a) < key(b);
        };
        std::iter_swap(touching_.begin(), std::min_element(touching_.begin(), touching_.end(), deeper));
        Item* deepest = touching_.front();
        deepest->world = sides_[deepest->side].seen.field_pose() * deepest->contact->least.point;
        list(deepest);
        touching_.erase(touching_.begin());
        file_touching();
        for (Item* item : rest_) file(item);
        list_farthest();
    }
    for (const TriangleInFieldFrame& t : triangles_) out_.evaluations += t.least.evaluations;
    for (const Side& side : sides_) out_.evaluations += side.corner_look_ups();
    out_.verdict = !out_.contacts.empty() ? Verdict::overlapping
                   : out_.undecided > 0   ? Verdict::undecided
                                          : Verdict::disjoint;
    return std::move(out_);
}

} // namespace

ReductionResult reduce_contacts(std::span<const MeshInField> sides, const ReductionOptions& options) {
    if (!std::isfinite(options.margin))
        throw Error(Cause::invalid_argument, fmt::format("the margin is {}; it must be finite", options.margin));
    ReductionResult unknown{.verdict = Verdict::undecided};
    for (const MeshInField& side : sides)
        if (!is_finite(side.mesh_pose) || !is_finite(side.field_pose)) unknown.undecided += side.mesh->size();
    return unknown.undecided > 0 ? unknown : Spread(sides, options).run();
}

} // namespace fathom::mesh_field
