// Construction of the empty-space map of a level.
#include <fathom/detect/point_field/empty_space_map.h>

#include <fathom/base/parallel.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <cmath>

namespace fathom::point_field {

namespace {

constexpr std::size_t chunk = 512; // bricks

struct Band {
    double low, high; // values in [low, high] count as the level

    [[nodiscard]] bool overlaps(double least, double most) const { return least <= high && most >= low; }
};

// Initial values for Sweeps: 0 for a brick that contains the level, otherwise the longest jump, with the inside bit if
// the brick is inside.
void classify(const GridData& data, const Band& band, HugeVector<std::uint8_t>& out) {
    out.resize(data.layout.brick_count() + 4); // gathers read four bytes at once
    parallel_for(data.layout.brick_count(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const Interval range = brick_range(data, b);
            if (band.overlaps(range.lower, range.upper))
                out[b] = 0;
            else
                out[b] = range.upper < band.low ? EmptySpaceMap::inside_bit | EmptySpaceMap::longest_jump
                                                : EmptySpaceMap::longest_jump;
        }
    });
}

// Chebyshev distances to the nearest 0, exact after two sweeps: each row is updated from its preceding neighbours.
class Sweeps {
public:
    Sweeps(const GridLayout& layout, HugeVector<std::uint8_t>& map)
        : nx_(layout.bricks[0]), ny_(layout.bricks[1]), nz_(layout.bricks[2]), map_(map),
          near_(static_cast<std::size_t>(nx_) + 2) {}

    void run() {
        for (int z = 0; z < nz_; ++z)
            for (int y = 0; y < ny_; ++y) update_row(y, z, -1);
        for (int z = nz_ - 1; z >= 0; --z)
            for (int y = ny_ - 1; y >= 0; --y) update_row(y, z, 1);
    }

private:
    using Byte = std::uint8_t;
    static constexpr Byte most = EmptySpaceMap::longest_jump;

    Byte* row(int y, int z) { return map_.data() + (std::ptrdiff_t{z} * ny_ + y) * nx_; }

    void update_from(int y, int z) {
        if (y < 0 || y >= ny_ || z < 0 || z >= nz_) return;
        const Byte* from = row(y, z);
        Byte* near = near_.data() + 1;
        for (int x = 0; x < nx_; ++x) near[x] = std::min(near[x], static_cast<Byte>(from[x] & most));
    }

    void update_row(int y, int z, int side) {
        std::fill(near_.begin(), near_.end(), most);
        update_from(y + side, z);
        for (int dy = -1; dy <= 1; ++dy) update_from(y + dy, z + side);
        Byte* own = row(y, z);
        for (int x = 0; x < nx_; ++x) {
            const auto at = static_cast<std::size_t>(x);
            const int least = std::min({near_[at], near_[at + 1], near_[at + 2]}) + 1;
            own[x] = static_cast<Byte>((own[x] & ~most) | std::min<int>(own[x] & most, least));
        }
        int before = most;
        for (int n = 0; n < nx_; ++n) {
            Byte& mine = own[side < 0 ? n : nx_ - 1 - n];
            before = std::min<int>(mine & most, before + 1);
            mine = static_cast<Byte>((mine & ~most) | before);
        }
    }

    int nx_, ny_, nz_;
    HugeVector<std::uint8_t>& map_;
    std::vector<Byte> near_; // minimum of the neighbouring rows, with a border
};

void number_held(EmptySpaceMap& map, std::size_t count) {
    map.ranks.resize(count / 64 + 1);
    Index total = 0;
    for (std::size_t b = 0; b < count; ++b) {
        EmptySpaceMap::RankWord& word = map.ranks[b / 64];
        if (b % 64 == 0) word.before = total;
        if (map.clearances[b] & EmptySpaceMap::longest_jump) continue;
        word.bits |= std::uint64_t{1} << (b % 64);
        map.places.push_back(static_cast<Index>(b));
        ++total;
    }
}

// The samples of a stored brick as bits, in the order of brick_sample(): at most `high`, at least `low`.
struct SampleBits {
    std::array<std::uint16_t, 81> below{}, above{}; // nine bits for each row

    template <class Sample, class Limit>
    SampleBits(const Sample* samples, Limit low, Limit high) {
        for (std::size_t r = 0; r < 81; ++r)
            for (std::size_t i = 0; i < 9; ++i) {
                const auto v = static_cast<Limit>(samples[9 * r + i]);
                below[r] = static_cast<std::uint16_t>(below[r] | static_cast<unsigned>(v <= high) << i);
                above[r] = static_cast<std::uint16_t>(above[r] | static_cast<unsigned>(v >= low) << i);
            }
    }

    [[nodiscard]] HeldCells cells() const {
        HeldCells result{};
        for (std::size_t k = 0; k < 8; ++k)
            for (std::size_t j = 0; j < 8; ++j) {
                const std::uint64_t some_below = row(below, k, j), some_above = row(above, k, j);
                add_row(result, k, j, some_below & some_above);
                result.inside[k] |= (some_below & ~some_above) << (8 * j);
            }
        return result;
    }

private:
    static void add_row(HeldCells& cells, std::size_t k, std::size_t j, std::uint64_t row) {
        const auto set = [&](std::size_t axis, std::size_t s, std::size_t u, std::size_t v) {
            cells.held[axis][s + (v >= 4 ? 8 : 0)] |= std::uint32_t{1} << (u + 8 * (v % 4));
        };
        for (; row; row &= row - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(row));
            set(0, i, j, k);
            set(1, j, k, i);
            set(2, k, i, j);
        }
    }

    // Bit i: the bit of at least one of the eight corners of cell i, j, k is set.
    static std::uint64_t row(const std::array<std::uint16_t, 81>& bits, std::size_t k, std::size_t j) {
        const unsigned four =
            static_cast<unsigned>(bits[9 * k + j] | bits[9 * k + j + 1] | bits[9 * k + 9 + j] | bits[9 * k + 10 + j]);
        return (four | four >> 1) & 0xff;
    }
};

HeldCells held_cells(const GridData& data, Index stored, const Band& band) {
    if (data.storage == GridStorage::float32)
        return SampleBits(data.values.data() + stored * brick_size, band.low, band.high).cells();
    // Codes are rounded outward by one, because of the rounding of the division.
    const double base = data.bases[stored];
    const double low = std::clamp(std::floor(band.low / data.step - base) - 1, -2e9, 2e9);
    const double high = std::clamp(std::ceil(band.high / data.step - base) + 1, -2e9, 2e9);
    return SampleBits(data.codes.data() + stored * brick_size, static_cast<std::int32_t>(low),
                      static_cast<std::int32_t>(high))
        .cells();
}

void mark_cells(const GridData& data, const Band& band, EmptySpaceMap& map) {
    map.cells.resize(map.places.size());
    map.bricks.resize(map.places.size());
    parallel_for(map.places.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
            const Index stored = data.brick_of[map.places[r]];
            if (stored == no_index) continue;
            map.cells[r] = held_cells(data, stored, band);
            if (data.storage == GridStorage::code16) map.bricks[r].base = data.bases[stored];
        }
    });
}

template <class Sample, class Cell>
void copy_cells(const HeldCells& held, const Sample* samples, Cell* out) {
    constexpr std::array<std::size_t, 8> offsets = {0, 9, 81, 90, 1, 10, 82, 91}; // lower x first
    for (int k = 0; k < brick_cells; ++k)
        for (std::uint64_t rest = held.slice(2, static_cast<std::size_t>(k)); rest; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            const Sample* corner = samples + brick_sample(bit % 8, bit / 8, k);
            for (std::size_t v = 0; v < 8; ++v) (*out)[v] = corner[offsets[v]];
            ++out;
        }
}

void pack_cells(const GridData& data, EmptySpaceMap& map) {
    std::size_t total = 0;
    for (std::size_t r = 0; r < map.places.size(); ++r) {
        if (data.brick_of[map.places[r]] == no_index) continue;
        map.bricks[r].first = static_cast<Index>(total);
        for (std::size_t k = 0; k < brick_cells; ++k) {
            map.bricks[r].before[k] = static_cast<std::uint16_t>(total - map.bricks[r].first);
            total += static_cast<std::size_t>(std::popcount(map.cells[r].slice(2, k)));
        }
    }
    const bool floats = data.storage == GridStorage::float32;
    floats ? map.values.resize(total) : map.codes.resize(total);
    parallel_for(map.places.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
            const Index stored = data.brick_of[map.places[r]];
            if (stored == no_index) continue;
            if (floats)
                copy_cells(map.cells[r], data.values.data() + stored * brick_size,
                           map.values.data() + map.bricks[r].first);
            else
                copy_cells(map.cells[r], data.codes.data() + stored * brick_size,
                           map.codes.data() + map.bricks[r].first);
        }
    });
}

// Free neighbours must be on the same side of the level, and a brick that contains it must continue in its neighbours
// without a jump.
bool brick_is_continuous(const GridData& data, const EmptySpaceMap& map, std::size_t brick) {
    const std::array<int, 3> p = data.layout.brick_position(brick);
    const bool held = map.clearance(brick) == 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const int side : {-1, 1}) {
            std::array<int, 3> q = p;
            q[axis] += side;
            if (q[axis] < 0 || q[axis] >= data.layout.bricks[axis]) continue;
            const std::size_t other = data.layout.brick_index(q);
            const bool other_held = map.clearance(other) == 0;
            if (!held && !other_held && map.inside(brick) != map.inside(other)) return false;
            if (held && !(other_held && side > 0) && face_jump(data, p, axis, side) > 0.5 * map.margin) return false;
        }
    return true;
}

bool is_continuous(const GridData& data, const EmptySpaceMap& map) {
    const auto jumps = parallel_reduce(
        data.layout.brick_count(), 4096, std::size_t{0},
        [&](std::size_t begin, std::size_t end) {
            std::size_t found = 0;
            for (std::size_t b = begin; b < end && found == 0; ++b) found += !brick_is_continuous(data, map, b);
            return found;
        },
        [](std::size_t a, std::size_t b) { return a + b; });
    return jumps == 0;
}

double minimum_on_face(const GridData& data, const std::array<int, 3>& brick, std::size_t axis, int sample) {
    const BrickReader view(data, brick);
    double least = HUGE_VAL;
    for (int n = 0; n < 81; ++n) {
        std::array<int, 3> s;
        s[(axis + 1) % 3] = n % 9;
        s[(axis + 2) % 3] = n / 9;
        s[axis] = sample;
        least = std::min(least, view(s));
    }
    return least;
}

double minimum_at_border(const GridData& data) {
    const std::array<int, 3>& n = data.layout.bricks;
    double least = HUGE_VAL;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (int v = 0; v < n[(axis + 2) % 3]; ++v)
            for (int u = 0; u < n[(axis + 1) % 3]; ++u)
                for (const int side : {0, 1}) {
                    std::array<int, 3> p;
                    p[axis] = side ? n[axis] - 1 : 0;
                    p[(axis + 1) % 3] = u;
                    p[(axis + 2) % 3] = v;
                    least = std::min(least, minimum_on_face(data, p, axis, side * brick_cells));
                }
    return least;
}

double margin_in_cells(const GridLayout& layout) {
    return 0x1p-10 + 0x1p-16 * *std::max_element(layout.bricks.begin(), layout.bricks.end());
}

} // namespace

EmptySpaceMap::EmptySpaceMap(const GridData& data, double at)
    : last_brick{data.layout.bricks[0] - 1.0, data.layout.bricks[1] - 1.0, data.layout.bricks[2] - 1.0, 0}, level(at),
      margin_cells(margin_in_cells(data.layout)) {
    margin = margin_cells * data.lipschitz * data.layout.cell + data.step;
    const Band band{level - margin, level + margin};
    classify(data, band, clearances);
    number_held(*this, data.layout.brick_count());
    Sweeps(data.layout, clearances).run();
    mark_cells(data, band, *this);
    pack_cells(data, *this);
    continuous = is_continuous(data, *this);
    border_minimum = minimum_at_border(data);
}

std::size_t EmptySpaceMap::bytes() const {
    return clearances.size() + ranks.size() * sizeof(RankWord) + cells.size() * sizeof(HeldCells) +
           bricks.size() * sizeof(HeldBrick) + places.size() * sizeof(Index) + codes.size() * sizeof(CodeCell) +
           values.size() * sizeof(FloatCell);
}

} // namespace fathom::point_field
