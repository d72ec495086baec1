// Contact reduction: the deepest contact, then farthest-point sampling, both by branch and bound over the same bounding
// spheres.
#include <fathom/detect/mesh_field/contact_reduction.h>

#include <fathom/base/error.h>
#include <fathom/detect/mesh_field/mesh_in_field_frame.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>
#include <unordered_map>

// ---- Bounding spheres of triangles, and the bounds that field evaluations give for them. One thread at a time.
namespace fathom::mesh_field {

// A bounding sphere of several triangles, or of one.
struct Item {
    Index side = 0;
    Index place = 0; // node of the tree, or position of a triangle
    bool triangle = false;
    bool evaluated = false;      // `evaluation` is the evaluation at its own centre; else at a sphere containing it
    bool touches = false;        // all of its triangles touch
    Sphere sphere{};             // in the field's frame
    MeshEvaluation evaluation{}; // for fields other than meshes, the point found is the evaluated point
    double bound = -HUGE_VAL;    // lower bound on the field over the item
    TriangleInFieldFrame* contact = nullptr; // set after descent
    Vec3 world = Vec3::Zero();               // point of the contact, or centre of the sphere (m, world)
    double gap = HUGE_VAL;                   // distance of that point from the first `compared` selected contacts (m)
    std::size_t compared = 0;

    [[nodiscard]] double value() const { return evaluation.found.sample.distance; }
    // Upper bound on the distance of its contacts from the selected ones.
    [[nodiscard]] double farthest() const { return contact ? gap : gap + sphere.radius; }
    // Key for opening: the lower bound on that distance for a triangle, the upper bound for other items.
    [[nodiscard]] double opening_key() const { return triangle ? gap - sphere.radius : farthest(); }
};

// A mesh in a field, with field evaluations and the bounds that follow from them.
class Side {
public:
    Side(const MeshInField& given, double margin)
        : frame(*given.mesh, given.mesh_pose, *given.field, given.field_pose, margin, 0), mesh_(frame.mesh_field()),
          slope_(mesh_ ? 1 : given.field->lipschitz()),
          error_(frame.error() + (mesh_ ? mesh_->error_bound() + 0.5 * mesh_->thickness() : 0)) {}

    const MeshInFieldFrame frame;

    // An evaluation of a mesh costs a microsecond, and its result saves many of the next ones: no batches.
    [[nodiscard]] bool one_by_one() const { return mesh_ != nullptr; }

    void evaluate(Item& item) const {
        item.evaluation = {item.sphere.center, mesh_->nearest(item.sphere.center, within(item, item.sphere.center))};
        set_evaluated(item);
    }
    void set_value(Item& item, double value) const {
        item.evaluation = {item.sphere.center, {{value, Vec3::Zero()}, item.sphere.center}};
        set_evaluated(item);
    }
    // For a triangle that was evaluated: whether its centre or a corner touches.
    [[nodiscard]] bool is_seen_to_touch(const Item& item) {
        if (item.value() <= frame.margin()) return true;
        const auto touches = [&](const MeshEvaluation& evaluation) {
            return evaluation.found.sample.distance <= frame.margin();
        };
        return mesh_ ? std::ranges::any_of(known_evaluations(item), touches) : has_corner_in(item);
    }
    // For a triangle that was evaluated: whether a quick proof shows that it stays above the level.
    [[nodiscard]] bool stays_above(const Item& item, double level) {
        return mesh_ && mesh_field::stays_above(*mesh_, frame.corners(item.place), known_evaluations(item), level);
    }
    // Evaluations at the centre and the corners of a triangle.
    [[nodiscard]] std::array<MeshEvaluation, 4> known_evaluations(const Item& item) {
        std::array<MeshEvaluation, 4> found = {item.evaluation};
        const Triangle& vertices = frame.mesh().vertices(item.place);
        const MeshInFieldFrame::Corners corners = frame.corners(item.place);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [at, is_new] = corners_.try_emplace(vertices[k]);
            if (is_new) at->second = {corners[k], mesh_->nearest(corners[k], within(item, corners[k]))};
            found[k + 1] = at->second;
        }
        return found;
    }
    [[nodiscard]] std::size_t corner_evaluations() const { return corners_.size(); }

    // Updates the bounds of an item from its evaluation. For the field of a mesh, |field(q)| <= |q - c| for every point
    // c of the surface.
    void update_bounds(Item& item) const {
        const double low = mesh_ ? 0 : std::isnan(item.value()) ? -HUGE_VAL : item.value();
        const double reach = item.triangle && mesh_
                                 ? triangle_reach(item.place, frame.to_mesh_frame(item.evaluation.found.point))
                                 : sphere_reach(item.sphere, item.evaluation.found.point);
        const double bound = low - slope_ * reach - error_;
        if (bound > item.bound) item.bound = bound;
        item.touches = item.touches || frame.is_inside(item.value(), around(item));
    }
    // A node is narrower than its sphere: its children or triangles give a better bound without an evaluation.
    void tighten_bounds(Item& item) const {
        if (item.triangle || !mesh_ || !(item.bound > -HUGE_VAL)) return; // not evaluated yet
        const SphereNode& node = frame.mesh().tree().nodes()[item.place];
        const TriangleSphereTree& mesh = frame.mesh();
        const Vec3 c = frame.to_mesh_frame(item.evaluation.found.point);
        double reach = 0;
        for (Index k = node.first; k < node.first + node.size(); ++k) {
            const double own =
                node.is_leaf() ? triangle_reach(k, c)
                               : sphere_reach({mesh.tree().sphere(mesh.tree().nodes()[k]).center, mesh.reach(k)}, c);
            reach = std::max(reach, own);
        }
        item.bound = std::max(item.bound, -reach - error_);
    }
    [[nodiscard]] bool is_clear(const Item& item) const {
        return item.bound > frame.margin() || frame.is_clear(item.value(), around(item));
    }

private:
    void set_evaluated(Item& item) const {
        item.evaluated = true;
        item.touches = item.touches || (item.triangle && item.value() <= frame.margin());
        update_bounds(item);
    }
    [[nodiscard]] double within(const Item& item, const Vec3& p) const {
        return item.bound > -HUGE_VAL ? item.evaluation.reach(p) + frame.error() : HUGE_VAL;
    }
    [[nodiscard]] bool has_corner_in(const Item& item) const {
        std::array<double, 3> values;
        frame.field().distances(frame.corners(item.place), values);
        return std::ranges::any_of(values, [&](double value) { return value <= frame.margin(); });
    }
    // Upper bound on the distance of its points from a surface point c; for a triangle, c is in the mesh's frame.
    [[nodiscard]] static double sphere_reach(const Sphere& sphere, const Vec3& c) {
        return (sphere.center - c).norm() + sphere.radius;
    }
    [[nodiscard]] double triangle_reach(std::size_t place, const Vec3& c) const {
        double squared = 0;
        for (const Vec3& corner : frame.mesh().corners(place)) squared = std::max(squared, (corner - c).squaredNorm());
        return std::sqrt(squared);
    }
    // Radius of a sphere about the evaluated point that contains the item.
    [[nodiscard]] static double around(const Item& item) {
        return (item.sphere.center - item.evaluation.at).norm() + item.sphere.radius;
    }

    const MeshField* mesh_;
    double slope_;
    double error_;
    std::unordered_map<Index, MeshEvaluation> corners_; // by vertex
};

namespace {

constexpr std::size_t batch = 64; // evaluations in one batch, for fields that are faster in batches

class ContactReducer {
public:
    ContactReducer(std::span<const MeshInField> given, const ReductionOptions& options)
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
    // Order: the largest key first; of equal keys the item that was created first.
    struct Entry {
        double key;
        Item* item;
        std::size_t made;
        bool operator<(const Entry& other) const { return key < other.key || (key == other.key && made > other.made); }
    };
    using Heap = std::vector<Entry>;

    void push(Heap& heap, double key, Item* item) {
        heap.push_back({key, item, made_++});
        std::push_heap(heap.begin(), heap.end());
    }
    static Item* pop(Heap& heap) {
        std::pop_heap(heap.begin(), heap.end());
        Item* item = heap.back().item;
        heap.pop_back();
        return item;
    }

    void find_deepest();
    void evaluate(std::span<Item* const> round);
    void descend(std::span<Item* const> round);
    template <class Visit>
    void open(const Item& parent, const Visit& visit);
    [[nodiscard]] std::vector<Item*> prove(double level);

    void enqueue(Item* item);
    void compare(Item& item) const;
    [[nodiscard]] Item* top(Heap& heap);
    void process(Item* item);
    void enqueue_touching();
    [[nodiscard]] bool process_uncertain();
    [[nodiscard]] Item* farthest();
    void list(Item* item);
    void list_farthest();

    const ReductionOptions& options_;
    std::deque<Side> sides_;
    std::vector<std::size_t> number_; // index of each side in the input
    bool one_by_one_ = true;
    std::deque<Item> items_;
    std::deque<TriangleInFieldFrame> triangles_; // triangles after descent
    std::vector<Item*> touching_;                // touching items that are not in a heap
    std::vector<Item*> doubtful_;                // triangles not found to touch, without descent so far
    std::vector<Item*> astray_;                  // triangles whose descent ended above the margin, but that may touch
    std::vector<Item*> rest_;                    // items that are not the deepest
    std::size_t made_ = 0;
    double best_;                // the margin, or the smallest value found on a triangle
    Heap found_, sure_, unsure_; // by distance from the selected contacts: contacts; touching items; uncertain items
    std::vector<Vec3> taken_;    // selected contacts (m, world)
    std::vector<double> gaps_;   // distance of each from the earlier ones (m)
    ReductionResult out_;
};

// Evaluates the fields at the centres of items.
void ContactReducer::evaluate(std::span<Item* const> round) {
    std::array<Vec3, batch> points;
    std::array<double, batch> values;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        std::array<Item*, batch> batch_items;
        std::size_t count = 0;
        for (Item* item : round)
            if (item->side == s) points[count] = item->sphere.center, batch_items[count++] = item;
        if (!sides_[s].one_by_one())
            sides_[s].frame.field().distances(std::span(points).first(count), std::span(values).first(count));
        for (std::size_t k = 0; k < count; ++k) {
            if (sides_[s].one_by_one())
                sides_[s].evaluate(*batch_items[k]);
            else
                sides_[s].set_value(*batch_items[k], values[k]);
        }
        out_.evaluations += count;
    }
}

// Descends on triangles that were evaluated.
void ContactReducer::descend(std::span<Item* const> round) {
    std::vector<Item*> at_once;
    for (Item* item : round) {
        item->contact = &triangles_.emplace_back(
            TriangleInFieldFrame{.place = item->place, .center = item->sphere.center, .value = item->value()});
        Side& side = sides_[item->side];
        if (side.one_by_one())
            side.frame.descend(*item->contact, side.known_evaluations(*item));
        else
            at_once.push_back(item);
    }
    each_triangle(at_once.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) sides_[at_once[k]->side].frame.descend(*at_once[k]->contact);
    });
    for (Item* item : round) {
        (item->contact->touches ? touching_ : astray_).push_back(item);
        best_ = std::min(best_, item->contact->least.sample.distance); // NaN changes nothing
        ++out_.descents;
    }
}

// Visits the children or triangles of an item that may touch.
template <class Visit>
void ContactReducer::open(const Item& parent, const Visit& visit) {
    const Side& side = sides_[parent.side];
    const SphereNode& node = side.frame.mesh().tree().nodes()[parent.place];
    for (Index k = node.first; k < node.first + node.size(); ++k) {
        Item child{.side = parent.side,
                   .place = k,
                   .triangle = node.is_leaf(),
                   .touches = parent.touches,
                   .evaluation = parent.evaluation,
                   .bound = parent.bound};
        child.sphere = child.triangle ? side.frame.sphere(k) : side.frame.node(k);
        side.update_bounds(child);
        if (!side.is_clear(child)) visit(&items_.emplace_back(child));
    }
}

// Finds the deepest contact by bounds. Items that cannot be deeper than the best one are kept for later.
void ContactReducer::find_deepest() {
    Heap heap;
    for (Index s = 0; s < sides_.size(); ++s)
        push(heap, HUGE_VAL, &items_.emplace_back(Item{.side = s, .sphere = sides_[s].frame.node(0)}));
    const auto push_back_item = [&](Item* item) { push(heap, -item->bound, item); };
    std::vector<Item*> round, not_evaluated, triangles;
    const auto judged_again = [&](Item* item) { // whether the bound of an item improved
        const double before = item->bound;
        sides_[item->side].tighten_bounds(*item);
        if (item->bound > before) push_back_item(item);
        return item->bound > before;
    };
    while (!heap.empty() && -heap.front().key <= best_) {
        round.clear(), not_evaluated.clear(), triangles.clear();
        while (round.size() < (one_by_one_ ? 1 : batch) && !heap.empty() && -heap.front().key <= best_)
            round.push_back(pop(heap));
        for (Item* item : round) {
            if (judged_again(item)) continue;
            if (!item->evaluated)
                not_evaluated.push_back(item);
            else if (!item->triangle)
                open(*item, push_back_item);
            else
                (sides_[item->side].stays_above(*item, best_) ? rest_ : triangles).push_back(item);
        }
        evaluate(not_evaluated);
        for (Item* item : not_evaluated) {
            if (sides_[item->side].is_clear(*item)) continue;
            if (item->triangle) best_ = std::min(best_, item->value());
            push_back_item(item);
        }
        descend(triangles);
    }
    for (const Entry& entry : heap) rest_.push_back(entry.item);
    if (touching_.empty()) return;
    const std::vector<Item*> proven = prove(best_);
    touching_.insert(touching_.end(), proven.begin(), proven.end());
}

// Of the triangles whose descent ended above the margin, those that touch at or below the level.
std::vector<Item*> ContactReducer::prove(double level) {
    std::vector<Item*> found, still;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
        std::vector<TriangleInFieldFrame*> open;
        for (const Item* item : astray_)
            if (item->side == s && item->bound <= level) open.push_back(item->contact);
        sides_[s].frame.prove(open, level, options_.max_evaluations);
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

// Puts an item into the heap of contacts, of touching items or of uncertain items.
void ContactReducer::enqueue(Item* item) {
    const Side& side = sides_[item->side];
    if (!item->contact && side.is_clear(*item)) return;
    item->world = side.frame.field_pose() * (item->contact ? item->contact->least.point : item->sphere.center);
    item->gap = HUGE_VAL;
    item->compared = 0;
    compare(*item);
    push(item->contact ? found_ : item->touches ? sure_ : unsure_, item->farthest(), item);
}

void ContactReducer::compare(Item& item) const {
    for (; item.compared < taken_.size(); ++item.compared)
        item.gap = std::min(item.gap, (item.world - taken_[item.compared]).norm());
}

// The item with the largest upper bound on its gap. Gaps only decrease, so an old one is an upper bound.
Item* ContactReducer::top(Heap& heap) {
    while (!heap.empty()) {
        Item* item = heap.front().item;
        compare(*item);
        if (item->farthest() == heap.front().key) return item;
        (void)pop(heap);
        push(heap, item->farthest(), item);
    }
    return nullptr;
}

// Processes an item by one step: evaluation, opening or descent. A sphere that touches as a whole is opened without
// evaluation.
void ContactReducer::process(Item* item) {
    if (!item->evaluated && (item->triangle || !item->touches)) {
        evaluate({&item, 1});
        return enqueue(item);
    }
    if (!item->triangle) return open(*item, [&](Item* child) { enqueue(child); });
    if (!item->touches) {
        item->touches = sides_[item->side].is_seen_to_touch(*item);
        return item->touches ? enqueue(item) : doubtful_.push_back(item);
    }
    descend({&item, 1});
    enqueue_touching();
}

void ContactReducer::enqueue_touching() {
    for (Item* item : touching_) enqueue(item);
    touching_.clear();
}

// Processes uncertain items by one step. Returns false if none is left.
bool ContactReducer::process_uncertain() {
    if (!unsure_.empty()) {
        process(pop(unsure_));
    } else if (!doubtful_.empty()) {
        descend(doubtful_);
        doubtful_.clear();
        enqueue_touching();
    } else if (!astray_.empty()) {
        touching_ = prove(options_.margin);
        enqueue_touching();
    } else {
        return false;
    }
    return true;
}

// The next contact. Touching spheres are opened while they may contain a farther contact, which costs no evaluation;
// descent on a triangle is done only if it must contain one; uncertain items are evaluated only if their contact could
// be farther by more than the share.
Item* ContactReducer::farthest() {
    for (;;) {
        const Item *found = top(found_), *sure = top(sure_), *unsure = top(unsure_);
        const double gap = found ? found->gap : -1;
        if (sure && (gap < sure->opening_key() || gap < spread_share * sure->farthest()))
            process(pop(sure_));
        else if (unsure && gap < spread_share * unsure->farthest())
            process(pop(unsure_));
        else if (found)
            return pop(found_);
        else if (!process_uncertain())
            return nullptr;
    }
}

void ContactReducer::list(Item* item) {
    gaps_.push_back(item->gap);
    taken_.push_back(item->world);
    out_.contacts.push_back({number_[item->side], sides_[item->side].frame.contact(*item->contact)});
}

void ContactReducer::list_farthest() {
    while (out_.contacts.size() < std::max<std::size_t>(options_.max_contacts, 1)) {
        Item* next = farthest();
        if (!next) return;
        list(next);
    }
    while (found_.empty() && sure_.empty() && process_uncertain()) {
    }
    out_.more_contacts = !found_.empty() || !sure_.empty();
    if (!out_.more_contacts) return;
    // Contacts on points that were already selected come last.
    const auto repeated = std::find_if(gaps_.begin(), gaps_.end(), [](double gap) { return !(gap > 0); });
    out_.contacts.resize(static_cast<std::size_t>(repeated - gaps_.begin()));
}

ReductionResult ContactReducer::run() {
    find_deepest();
    if (touching_.empty()) touching_ = prove(options_.margin);
    if (!touching_.empty()) {
        const auto deeper = [&](const Item* a, const Item* b) {
            const auto key = [&](const Item* i) {
                return std::tuple(i->contact->least.sample.distance, i->side,
                                  sides_[i->side].frame.mesh().triangle(i->place));
            };
            return key(a) < key(b);
        };
        std::iter_swap(touching_.begin(), std::min_element(touching_.begin(), touching_.end(), deeper));
        Item* deepest = touching_.front();
        deepest->world = sides_[deepest->side].frame.field_pose() * deepest->contact->least.point;
        list(deepest);
        touching_.erase(touching_.begin());
        enqueue_touching();
        for (Item* item : rest_) enqueue(item);
        list_farthest();
    }
    for (const TriangleInFieldFrame& t : triangles_) out_.evaluations += t.least.evaluations;
    for (const Side& side : sides_) out_.evaluations += side.corner_evaluations();
    out_.status = !out_.contacts.empty() ? Status::overlapping
                  : out_.undecided > 0   ? Status::undecided
                                         : Status::disjoint;
    return std::move(out_);
}

} // namespace

ReductionResult reduce_contacts(std::span<const MeshInField> sides, const ReductionOptions& options) {
    if (!std::isfinite(options.margin))
        throw Error(Cause::invalid_argument, fmt::format("the margin is {}; it must be finite", options.margin));
    ReductionResult unknown{.status = Status::undecided};
    for (const MeshInField& side : sides)
        if (!is_finite(side.mesh_pose) || !is_finite(side.field_pose)) unknown.undecided += side.mesh->size();
    return unknown.undecided > 0 ? unknown : ContactReducer(sides, options).run();
}

} // namespace fathom::mesh_field
