// Batched grid traversal of many segments, compiled once for each SIMD target.
// A single traversal is limited by memory latency and mispredicted branches. Therefore 128 segments are in flight, and
// their work is grouped by kind: jumps, eight at a time in float (the margin of the map covers their rounding), then
// the entry of bricks that contain the level, then the cells. Each stage prefetches the data of the next.
#if defined(FATHOM_DETECT_GRID_WAVE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_DETECT_GRID_WAVE_INL_H
#undef FATHOM_DETECT_GRID_WAVE_INL_H
#else
#define FATHOM_DETECT_GRID_WAVE_INL_H
#endif

#include <fathom/detect/point_field/brick_batch-inl.h>
#include <fathom/detect/point_field/cell_batch-inl.h>
#include <fathom/detect/point_field/grid_traversal-inl.h>

#include <hwy/highway.h>

#include <bit>
#include <memory>

HWY_BEFORE_NAMESPACE();
namespace fathom::point_field::HWY_NAMESPACE {

using FloatLanes = hn::CappedTag<float, 8>;
using IntLanes = hn::RebindToSigned<FloatLanes>;

template <class Tag, class Mask>
HWY_INLINE unsigned mask_bits(Tag d, Mask mask) {
    alignas(8) std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, mask, bytes);
    return bytes[0];
}

// A path for the jumps: in units of bricks, from its start, with speed 1 along its longest axis.
struct JumpPath {
    float start[3], direction[3], inverse[3];
    float brick[3]; // the current brick
    float end;
};

HWY_INLINE void set_jump_path(const GridPath& path, const BrickPosition& brick, JumpPath& jump) {
    const double fastest = std::max({std::abs(path.step[0]), std::abs(path.step[1]), std::abs(path.step[2])});
    const double scale = fastest > 0 ? 1 / fastest : 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const double direction = path.step[k] * scale;
        const bool still = !(std::abs(direction) > 1e-9); // moves by less than the rounding of a float
        jump.brick[k] = static_cast<float>(brick[k]);
        jump.start[k] = still ? jump.brick[k] + 0.5f : static_cast<float>(path.at(k, path.begin) * (1.0 / brick_cells));
        jump.direction[k] = still ? 0.0f : static_cast<float>(direction);
        jump.inverse[k] = still ? 1e30f : static_cast<float>(fastest * path.inverse[k]);
    }
    jump.end = static_cast<float>((path.end - path.begin) * fastest * (1.0 / brick_cells));
}

// Eight paths that jump simultaneously.
class JumpLanes {
public:
    static constexpr int width = 8;
    struct Outcome {
        unsigned done; // lanes that stop
        unsigned held; // of these: lanes in a brick that contains the level
    };

    JumpLanes() = default; // every lane is in brick 0, at its end

    HWY_INLINE void set(int lane, const JumpPath& path) {
        for (int k = 0; k < 3; ++k) {
            start_[k][lane] = path.start[k];
            direction_[k][lane] = path.direction[k];
            inverse_[k][lane] = path.inverse[k];
            brick_[k][lane] = path.brick[k];
        }
        end_[lane] = path.end;
    }
    HWY_INLINE BrickPosition brick(int lane) const {
        return {static_cast<int>(brick_[0][lane]), static_cast<int>(brick_[1][lane]), static_cast<int>(brick_[2][lane]),
                0};
    }

    HWY_ATTR HWY_INLINE Outcome step(const std::uint8_t* clearances, const std::array<int, 3>& bricks) {
        Outcome outcome{0, 0};
        for (int first = 0; first < width; first += static_cast<int>(hn::Lanes(FloatLanes())))
            step_some(clearances, bricks, first, outcome);
        return outcome;
    }

private:
    HWY_ATTR HWY_INLINE void step_some(const std::uint8_t* clearances, const std::array<int, 3>& bricks, int first,
                                       Outcome& outcome) {
        const FloatLanes d;
        const IntLanes di;
        const auto bx = hn::Load(d, brick_[0] + first), by = hn::Load(d, brick_[1] + first),
                   bz = hn::Load(d, brick_[2] + first);
        const auto nx = hn::Set(di, bricks[0]), ny = hn::Set(di, bricks[1]);
        const auto index = hn::Add(hn::ConvertTo(di, bx),
                                   hn::Mul(nx, hn::Add(hn::ConvertTo(di, by), hn::Mul(ny, hn::ConvertTo(di, bz)))));
        const auto bytes = hn::GatherOffset(di, reinterpret_cast<const std::int32_t*>(clearances), index);
        const auto clearance = hn::ConvertTo(d, hn::And(bytes, hn::Set(di, EmptySpaceMap::longest_jump)));
        const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f);
        const auto held = hn::Eq(clearance, zero);
        const auto reach = hn::Sub(clearance, one);

        const auto sx = hn::Load(d, start_[0] + first), sy = hn::Load(d, start_[1] + first),
                   sz = hn::Load(d, start_[2] + first);
        const auto ix = hn::Load(d, inverse_[0] + first), iy = hn::Load(d, inverse_[1] + first),
                   iz = hn::Load(d, inverse_[2] + first);
        const auto exit_time = [&](auto b, auto s, auto i) HWY_ATTR {
            const auto plane = hn::IfThenElse(hn::Lt(i, zero), hn::Sub(b, reach), hn::Add(b, clearance));
            return hn::Mul(hn::Sub(plane, s), i);
        };
        const auto tx = exit_time(bx, sx, ix), ty = exit_time(by, sy, iy), tz = exit_time(bz, sz, iz);
        const auto t = hn::Min(tx, hn::Min(ty, tz));
        const auto next = [&](auto b, auto s, const float* directions, auto i, auto own, int count) HWY_ATTR {
            const auto at = hn::Floor(hn::Add(s, hn::Mul(t, hn::Load(d, directions + first))));
            const auto last = hn::Set(d, static_cast<float>(count - 1)); // rounding must not leave the grid
            const auto within =
                hn::Min(hn::Max(at, hn::Max(hn::Sub(b, reach), zero)), hn::Min(hn::Add(b, reach), last));
            const auto beyond = hn::IfThenElse(hn::Lt(i, zero), hn::Sub(b, clearance), hn::Add(b, clearance));
            return hn::IfThenElse(hn::Eq(own, t), beyond, within);
        };
        const auto x = next(bx, sx, direction_[0], ix, tx, bricks[0]),
                   y = next(by, sy, direction_[1], iy, ty, bricks[1]);
        const auto z = next(bz, sz, direction_[2], iz, tz, bricks[2]);
        const auto inside = [&](auto b, int count) HWY_ATTR {
            return hn::And(hn::Ge(b, zero), hn::Lt(b, hn::Set(d, static_cast<float>(count))));
        };
        const auto goes_on =
            hn::And(hn::And(hn::Lt(t, hn::Load(d, end_ + first)), hn::Not(held)),
                    hn::And(inside(x, bricks[0]), hn::And(inside(y, bricks[1]), inside(z, bricks[2]))));
        hn::Store(hn::IfThenElse(goes_on, x, bx), d, brick_[0] + first);
        hn::Store(hn::IfThenElse(goes_on, y, by), d, brick_[1] + first);
        hn::Store(hn::IfThenElse(goes_on, z, bz), d, brick_[2] + first);
        outcome.done |= mask_bits(d, hn::Not(goes_on)) << first;
        outcome.held |= mask_bits(d, held) << first;
    }

    alignas(32) float start_[3][width] = {};
    alignas(32) float direction_[3][width] = {};
    alignas(32) float inverse_[3][width] = {};
    alignas(32) float brick_[3][width] = {};
    alignas(32) float end_[width] = {};
};

inline constexpr std::size_t paths_in_flight = 128;

// Result of each segment: its first contact.
struct FirstOfEach {
    using Visitor = FirstContact;
    static constexpr std::size_t looked_ahead = 2; // cells that are computed in advance, or all of the same slice
    double level;
    std::span<double> times;

    Visitor visitor(std::size_t, double slack) { return {level, slack}; }
    void done(std::size_t segment, std::size_t, const Visitor& visitor) const { times[segment] = visitor.time; }
    void nothing(std::size_t segment, bool finite) const {
        times[segment] = finite ? no_contact : std::numeric_limits<double>::quiet_NaN();
    }
};

// Result of each segment: all contact intervals. Each path in flight has its own list.
struct AllOfEach {
    using Visitor = AllContacts;
    static constexpr std::size_t looked_ahead = max_in_slice * brick_cells;
    double level;
    WalkIntervals* out;
    std::vector<std::vector<ContactInterval>> lists = std::vector<std::vector<ContactInterval>>(paths_in_flight);

    Visitor visitor(std::size_t slot, double slack) {
        lists[slot].clear();
        return {level, slack, &lists[slot]};
    }
    void done(std::size_t segment, std::size_t slot, const Visitor&) {
        const auto& list = lists[slot];
        out->places[segment] = {static_cast<Index>(out->intervals.size()), static_cast<Index>(list.size())};
        out->intervals.insert(out->intervals.end(), list.begin(), list.end());
    }
    void nothing(std::size_t segment, bool finite) const { out->places[segment] = {0, finite ? 0 : no_index}; }
};

template <class Answers>
class Wave {
public:
    using Visitor = typename Answers::Visitor;

    Wave(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments, Answers answers)
        : data_(data), map_(map), segments_(segments), answers_(std::move(answers)),
          slots_(std::make_unique_for_overwrite<Slots>()) {}

    // Each stage is a loop that computes without branches and a loop that branches, so that a misprediction discards no
    // computation.
    HWY_ATTR void run() {
        for (std::size_t s = flight; s-- > 0;) unused_.push(s);
        for (;;) {
            begin_paths();
            if (jumping_.size + holding_.size + visiting_.size + jumpers_ == 0) return;
            jump_all();
            look_up_ranks();
            enter_bricks();
            visit_cells();
            leave_bricks();
        }
    }

private:
    static constexpr std::size_t flight = paths_in_flight;
    static constexpr std::size_t groups = 4; // groups of lanes, processed in turn

    struct Slot {
        GridPath path;
        JumpPath jump;
        Candidates run;
        BrickPosition brick;
        std::size_t segment, rank, index; // rank and index are those of the brick
        std::size_t first_cell, end_cell; // range of its candidates in the batch
        bool begins, goes_on;
        alignas(Visitor) std::byte visitor[sizeof(Visitor)];

        Visitor& contacts() { return *std::launder(reinterpret_cast<Visitor*>(visitor)); }
    };
    // Columns of exactly 4096 bytes would all map to one set of the cache.
    static constexpr std::size_t batch_room = 4 * flight + 24;
    struct Slots {
        std::array<Slot, flight> list;
        BrickBatch<flight + 8> bricks;
        CellBatch<batch_room> batch;                   // candidates; those of a slot are consecutive
        std::array<std::uint8_t, batch_room> slice_of; // by candidate
    };
    struct SlotList {
        std::array<std::uint16_t, flight> list;
        std::size_t size = 0;

        void push(std::size_t slot) { list[size++] = static_cast<std::uint16_t>(slot); }
        std::size_t pop() { return list[--size]; }
    };

    HWY_ATTR void begin_paths() {
        SlotList begun;
        while (unused_.size > 0 && next_ < segments_.size()) {
            const std::size_t segment = next_++;
            const Segment& s = segments_[segment];
            const std::size_t number = unused_.list[unused_.size - 1];
            Slot& slot = slots_->list[number];
            set_grid_path(data_.layout, s, slot.path);
            const bool finite = s.start.allFinite() && s.end.allFinite() && (s.end - s.start).allFinite();
            if (!finite || !(slot.path.begin <= slot.path.end)) {
                answers_.nothing(segment, finite);
                continue;
            }
            slot.segment = segment;
            slot.brick = first_brick(data_.layout, slot.path);
            slot.index = index_of(slot.brick);
            __builtin_prefetch(&map_.clearances[slot.index]);
            set_jump_path(slot.path, slot.brick, slot.jump);
            begun.push(unused_.pop());
        }
        for (std::size_t n = 0; n < begun.size; ++n) {
            const std::size_t number = begun.list[n];
            Slot& slot = slots_->list[number];
            Visitor& visitor = *new (slot.visitor) Visitor(answers_.visitor(number, walk_slack(data_, slot.path)));
            slot.begins = map_.clearance(slot.index) == 0;
            if (slot.begins)
                holding_.push(number);
            else if (visitor.clear(map_.inside(slot.index), slot.path.begin, slot.path.begin))
                finish(number);
            else
                jumping_.push(number);
        }
    }

    [[nodiscard]] HWY_INLINE std::size_t index_of(const BrickPosition& b) const {
        return data_.layout.brick_index({b[0], b[1], b[2]});
    }

    void finish(std::size_t number) {
        Slot& slot = slots_->list[number];
        answers_.done(slot.segment, number, slot.contacts());
        unused_.push(number);
    }

    void end(std::size_t number) {
        slots_->list[number].contacts().ends(slots_->list[number].path.end);
        finish(number);
    }

    // Keeps the lanes full and stops when half of them would be empty; the paths that are still jumping continue with
    // the next ones.
    HWY_ATTR void jump_all() {
        std::size_t taken = 0;
        const auto refill = [&](std::size_t g, int lane) HWY_ATTR {
            if (taken == jumping_.size) {
                live_[g] &= ~(1u << lane);
                --jumpers_;
                return;
            }
            const std::uint16_t number = jumping_.list[taken++];
            owner_[g][static_cast<std::size_t>(lane)] = number;
            lanes_[g].set(lane, slots_->list[number].jump);
        };
        for (std::size_t g = 0; g < groups; ++g)
            for (unsigned idle = ~live_[g] & 0xff; idle && taken < jumping_.size; idle &= idle - 1) {
                live_[g] |= idle & (~idle + 1);
                ++jumpers_;
                refill(g, std::countr_zero(idle));
            }
        while (jumpers_ > 0 && (jumpers_ > groups * JumpLanes::width / 2 || holding_.size + visiting_.size == 0))
            for (std::size_t g = 0; g < groups; ++g) {
                if (!live_[g]) continue;
                const JumpLanes::Outcome outcome = lanes_[g].step(map_.clearances.data(), data_.layout.bricks);
                for (unsigned rest = outcome.done & live_[g]; rest; rest &= rest - 1) {
                    const int lane = std::countr_zero(rest);
                    land(owner_[g][static_cast<std::size_t>(lane)], lanes_[g].brick(lane),
                         (outcome.held >> lane & 1) != 0);
                    refill(g, lane);
                }
            }
        jumping_.size = 0;
    }

    // After the jumps, a path is in a brick that contains the level, or at its end.
    HWY_ATTR HWY_INLINE void land(std::size_t number, const BrickPosition& brick, bool held) {
        if (!held) return end(number);
        Slot& slot = slots_->list[number];
        slot.brick = brick;
        slot.index = index_of(brick);
        __builtin_prefetch(&map_.ranks[slot.index / 64]);
        holding_.push(number);
    }

    HWY_ATTR void look_up_ranks() {
        for (std::size_t n = 0; n < holding_.size; ++n) {
            Slot& slot = slots_->list[holding_.list[n]];
            slot.rank = map_.rank(slot.index);
            __builtin_prefetch(&map_.cells[slot.rank].held[slot.path.longest]);
            __builtin_prefetch(&map_.cells[slot.rank].held[2]);
            __builtin_prefetch(&map_.bricks[slot.rank]);
        }
    }

    HWY_ATTR void enter_bricks() {
        auto& batch = slots_->bricks;
        batch.clear();
        for (std::size_t n = 0; n < holding_.size; ++n)
            batch.add(slots_->list[holding_.list[n]].path, slots_->list[holding_.list[n]].brick);
        batch.analyze();
        for (std::size_t n = 0; n < holding_.size; ++n) {
            Slot& slot = slots_->list[holding_.list[n]];
            const HeldCells& cells = map_.cells[slot.rank];
            if (slot.path.stands)
                slot.run = find_candidates(slot.path, slot.brick, cells); // rare; batches do not support it
            else
                batch.result(n, cells.held[slot.path.longest], slot.run);
        }
        for (std::size_t n = 0; n < holding_.size; ++n) {
            const std::size_t number = holding_.list[n];
            Slot& slot = slots_->list[number];
            if (slot.begins) {
                slot.begins = false;
                const bool inside = begins_inside(data_, map_, slot.rank, slot.path, slot.brick, slot.contacts().slack);
                if (slot.contacts().clear(inside, slot.path.begin, slot.path.begin)) {
                    finish(number);
                    continue;
                }
            }
            if (map_.bricks[slot.rank].first == HeldBrick::far) {
                visit_far(data_, slot.path, slot.brick, slot.run, slot.contacts()) ? finish(number)
                                                                                   : leaving_.push(number);
            } else {
                (slot.run.slices ? visiting_ : leaving_).push(number);
            }
        }
        holding_.size = 0;
    }

    // Some candidates are computed although an earlier contact makes them unnecessary; finding out which would cost
    // more.
    HWY_ATTR void visit_cells() {
        SlotList again;
        for (std::size_t n = 0; n < visiting_.size;) {
            const std::size_t first = n;
            slots_->batch.clear();
            for (; n < visiting_.size && slots_->batch.size() + max_in_slice * brick_cells <= batch_room; ++n)
                list_cells(visiting_.list[n]);
            slots_->batch.analyze(map_, data_.step);
            for (std::size_t v = first; v < n; ++v) {
                const std::size_t number = visiting_.list[v];
                Slot& slot = slots_->list[number];
                if (visit_listed(slot))
                    finish(number);
                else
                    (slot.run.slices ? again : leaving_).push(number);
            }
        }
        visiting_ = again;
    }

    HWY_ATTR HWY_INLINE void list_cells(std::size_t number) {
        Slot& slot = slots_->list[number];
        CellBatch<batch_room>& batch = slots_->batch;
        const HeldBrick& held = map_.bricks[slot.rank];
        const Axes<int> low = {slot.brick[0] * brick_cells, slot.brick[1] * brick_cells, slot.brick[2] * brick_cells,
                               0};
        slot.first_cell = batch.size();
        while (slot.run.slices && !slot.path.stands && batch.size() - slot.first_cell < Answers::looked_ahead) {
            const int slice = first_slice(slot.path, slot.run.slices);
            slot.run.slices &= ~(1u << slice);
            for (std::uint64_t rest = slot.run.slice(static_cast<std::size_t>(slice)); rest; rest &= rest - 1) {
                const Axes<int> cell = candidate_cell(slot.path.longest, slice, std::countr_zero(rest));
                const std::size_t packed = packed_cell(map_, slot.rank, cell);
                slots_->slice_of[batch.size()] = static_cast<std::uint8_t>(slice);
                const Axes<int> place = {low[0] + cell[0], low[1] + cell[1], low[2] + cell[2], 0};
                batch.add(map_, slot.path, place, packed, held.base, slot.run.first, slot.run.last,
                          slot.contacts().slack);
            }
        }
        slot.end_cell = batch.size();
    }

    // Returns true if the visitor stops.
    HWY_ATTR HWY_INLINE bool visit_listed(Slot& slot) {
        if (slot.path.stands) { // rare; batches do not support it
            const unsigned slices = slot.run.slices;
            slot.run.slices = 0;
            return visit_slices(data_, map_, slot.path, slot.brick, slot.rank, slot.run, slices, slot.contacts());
        }
        const CellBatch<batch_room>& batch = slots_->batch;
        for (std::size_t i = slot.first_cell; i < slot.end_cell;) {
            std::array<std::size_t, max_in_slice> order;
            std::size_t count = 0;
            for (const std::uint8_t slice = slots_->slice_of[i]; i < slot.end_cell && slots_->slice_of[i] == slice;
                 ++i) {
                const double t0 = batch.t0(i), t1 = batch.t1(i);
                if (!(t0 <= t1)) continue;
                std::size_t at = count++;
                for (; at > 0 && comes_before(t0, t1, batch.t0(order[at - 1]), batch.t1(order[at - 1])); --at)
                    order[at] = order[at - 1];
                order[at] = i;
            }
            for (std::size_t k = 0; k < count; ++k)
                if (slot.contacts().visit_analysis(batch.result(order[k]), batch.t0(order[k]), batch.t1(order[k])))
                    return true;
        }
        return false;
    }

    HWY_ATTR void leave_bricks() {
        for (std::size_t n = 0; n < leaving_.size; ++n) {
            Slot& slot = slots_->list[leaving_.list[n]];
            slot.goes_on = jump(map_, slot.path, 1, slot.brick);
            for (std::size_t k = 0; k < 3; ++k) slot.jump.brick[k] = static_cast<float>(slot.brick[k]);
            slot.index = slot.goes_on ? index_of(slot.brick) : 0;
        }
        for (std::size_t n = 0; n < leaving_.size; ++n) {
            const std::size_t number = leaving_.list[n];
            Slot& slot = slots_->list[number];
            if (!slot.goes_on)
                end(number);
            else
                (map_.clearance(slot.index) == 0 ? holding_ : jumping_).push(number);
        }
        leaving_.size = 0;
    }

    const GridData& data_;
    const EmptySpaceMap& map_;
    std::span<const Segment> segments_;
    Answers answers_;
    std::unique_ptr<Slots> slots_;
    std::size_t next_ = 0;
    std::array<JumpLanes, groups> lanes_;
    std::array<std::array<std::uint16_t, JumpLanes::width>, groups> owner_;
    std::array<unsigned, groups> live_{}; // bits of the lanes in use
    std::size_t jumpers_ = 0;             // total number of lanes in use
    SlotList unused_, jumping_, holding_, visiting_, leaving_;
};

} // namespace fathom::point_field::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
