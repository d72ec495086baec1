// Reading and writing of OpenVDB level sets. This is the only file that includes OpenVDB (slow to compile, MPL-2.0).
// Bricks of 8 x 8 x 8 cells correspond to OpenVDB's leaves: sample (i, j, k) is voxel (i, j, k). Beyond the band
// OpenVDB stores only the sign and the fact that the distance is at least the background value, and the grid stores the
// same.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/error.h>
#include <fathom/base/isolate.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/file/sample_lattice.h>
#include <fathom/field/grid/grid_assembler.h>

#include <fmt/format.h>
#include <openvdb/openvdb.h>

#include <cstring>
#include <limits>

#include <unistd.h>

namespace fathom {

namespace {

namespace fs = std::filesystem;
using openvdb::Coord;
using openvdb::FloatGrid;

constexpr double widest_band = 3; // cells

// Header of the data from the child process. It is followed by a byte for each brick (1: stored), the corners, and the
// samples of stored bricks.
struct Head {
    std::array<double, 3> origin{};
    double cell = 0;
    double background = 0;
    std::array<std::int32_t, 3> bricks{};
    std::uint32_t stored = 0;
};

template <class T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
    const auto raw = std::as_bytes(values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

FloatGrid::Ptr first_level_set(const std::string& path) {
    openvdb::initialize();
    openvdb::io::File file(path);
    file.open(false); // no delayed loading: all data is read here
    for (auto name = file.beginName(); name != file.endName(); ++name) {
        const auto grid = openvdb::gridPtrCast<FloatGrid>(file.readGrid(name.gridName()));
        if (grid && grid->getGridClass() == openvdb::GRID_LEVEL_SET) return grid;
    }
    throw std::runtime_error("contains no level set of floats");
}

double cell_of(const FloatGrid& grid) {
    const openvdb::Vec3d zero = grid.transform().indexToWorld(openvdb::Vec3d(0, 0, 0));
    const double cell = grid.voxelSize().x();
    for (int k = 0; k < 3; ++k) {
        openvdb::Vec3d along(0, 0, 0);
        along[k] = 1;
        openvdb::Vec3d step = grid.transform().indexToWorld(along) - zero;
        step[k] -= cell;
        if (!(step.length() <= 1e-6 * cell)) throw std::runtime_error("cells are not cubes along x, y and z");
    }
    return cell;
}

// Runs in the child process.
class Reader {
public:
    Reader(const std::string& path, GridStorage storage, std::size_t limit)
        : grid_(first_level_set(path)), storage_(storage), limit_(limit) {}

    std::vector<std::byte> read() {
        place();
        mark_stored();
        head_.stored = static_cast<std::uint32_t>(std::count(stored_.begin(), stored_.end(), 1));
        if (grid_bytes(layout_, storage_, head_.stored) > limit_) throw std::bad_alloc();
        std::vector<std::byte> bytes;
        append(bytes, std::span<const Head>(&head_, 1));
        append(bytes, std::span<const char>(stored_));
        auto values = grid_->getConstAccessor();
        for (std::size_t c = 0; c < layout_.corner_count(); ++c) {
            const auto p = layout_.corner_position(c);
            const float value = values.getValue(first_.offsetBy(p[0] * 8, p[1] * 8, p[2] * 8));
            append(bytes, std::span<const float>(&value, 1));
        }
        for (std::size_t b = 0; b < stored_.size(); ++b)
            if (stored_[b]) append_brick(bytes, b, values);
        return bytes;
    }

private:
    void place() {
        grid_->tree().voxelizeActiveTiles();
        const openvdb::CoordBBox box = grid_->evalActiveVoxelBoundingBox();
        if (box.empty()) throw std::runtime_error("contains no active voxels");
        first_ = box.min().offsetBy(-1); // so that the border is beyond the band
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<int>(k);
            const std::int64_t cells = std::int64_t{box.max()[axis]} + 2 - box.min()[axis];
            if (cells > max_bricks_along) throw std::bad_alloc();
            head_.bricks[k] = static_cast<std::int32_t>((cells + brick_cells - 1) / brick_cells);
        }
        const openvdb::Vec3d origin = grid_->indexToWorld(first_);
        head_.origin = {origin.x(), origin.y(), origin.z()};
        head_.cell = cell_of(*grid_);
        head_.background = std::abs(static_cast<double>(grid_->background()));
        layout_.bricks = head_.bricks;
        layout_.cell = head_.cell;
        static_cast<void>(counts_of(layout_, 0, limit_, {}));
        stored_.assign(layout_.brick_count(), 0);
    }

    // A voxel on the border between bricks is a sample of each.
    void mark_stored() {
        for (auto voxel = grid_->cbeginValueOn(); voxel; ++voxel) {
            const Coord at = voxel.getCoord() - first_;
            for (int d = 0; d < 8; ++d) {
                std::array<int, 3> brick;
                bool valid = true;
                for (int k = 0; k < 3; ++k) {
                    const bool lower = (d >> k & 1) != 0;
                    if (lower && at[k] % brick_cells != 0) valid = false;
                    const int b = at[k] / brick_cells - (lower ? 1 : 0);
                    valid = valid && b >= 0 && b < layout_.bricks[static_cast<std::size_t>(k)];
                    brick[static_cast<std::size_t>(k)] = b;
                }
                if (valid) stored_[layout_.brick_index(brick)] = 1;
            }
        }
    }

    void append_brick(std::vector<std::byte>& bytes, std::size_t b, FloatGrid::ConstAccessor& values) const {
        const auto p = layout_.brick_position(b);
        std::array<float, brick_size> samples;
        for (int s = 0; s < static_cast<int>(brick_size); ++s)
            samples[static_cast<std::size_t>(s)] =
                values.getValue(first_.offsetBy(p[0] * 8 + s % 9, p[1] * 8 + s / 9 % 9, p[2] * 8 + s / 81));
        append(bytes, std::span<const float>(samples));
    }

    FloatGrid::Ptr grid_;
    GridStorage storage_;
    std::size_t limit_;
    Coord first_;
    Head head_;
    GridLayout layout_;
    std::vector<char> stored_;
};

// Runs in the parent process; data from the child is checked again.
class Assembly {
public:
    Assembly(std::span<const std::byte> bytes, const GridReadOptions& options, const std::string& name)
        : source_{bytes, name}, reader_(source_), options_(options) {}

    GridFile build() {
        const auto raw = reader_.take(sizeof(Head), "the header");
        std::memcpy(&head_, raw.data(), sizeof(Head));
        layout_ = {{head_.origin[0], head_.origin[1], head_.origin[2]}, head_.cell, head_.bricks};
        static_cast<void>(counts_of(layout_, head_.stored, source_.bytes.size(), {.file = source_.name}));
        std::vector<bool> stored(layout_.brick_count());
        for (std::size_t b = 0; b < stored.size(); ++b) stored[b] = reader_.read<std::uint8_t>("bricks") != 0;
        std::vector<float> corners(layout_.corner_count());
        for (float& corner : corners) corner = finite();
        GridAssembler assembler(layout_, options_.storage, std::move(corners), stored);
        for (std::size_t b = 0; b < stored.size(); ++b)
            if (stored[b]) set(assembler, b);
        return finish(std::move(assembler));
    }

private:
    float finite() {
        const float value = reader_.read<float>("a voxel");
        if (!std::isfinite(value))
            throw Error(Cause::non_finite, "a voxel is not a finite number", {.file = source_.name});
        return value;
    }

    void set(GridAssembler& assembler, std::size_t brick) {
        std::array<double, brick_size> samples;
        for (double& sample : samples) sample = static_cast<double>(finite());
        check_reach(samples, layout_.cell, options_.storage,
                    {.file = source_.name, .element = "brick", .index = static_cast<std::int64_t>(brick)});
        assembler.set(brick, samples);
    }

    [[nodiscard]] GridFile finish(GridAssembler assembler) const {
        // A point with a distance this small is surrounded by active samples, so its brick is stored.
        const double band = std::max(0.0, head_.background - 0.87 * layout_.cell);
        GridData data = std::move(assembler).finish(band, {options_.error, options_.lipschitz});
        data.far_error = std::numeric_limits<double>::infinity();
        return {GridField(std::move(data)),
                "vdb",
                {},
                {fmt::format("farther than {} m from the surface, distances are limited to that value: a lower bound",
                             head_.background)}};
    }

    Source source_;
    ByteReader reader_;
    const GridReadOptions& options_;
    Head head_;
    GridLayout layout_;
};

// Distance up to which every sample lies in a stored brick, at most three cells.
double written_band(const GridData& data) {
    const double widest = widest_band * data.layout.cell;
    return data.stored_bricks() == data.layout.brick_count() ? widest : std::min(widest, data.band);
}

void write_sample(FloatGrid::Accessor& values, const Coord& at, double value, double band) {
    if (std::abs(value) < band)
        values.setValueOn(at, static_cast<float>(value));
    else
        values.setValueOff(at, static_cast<float>(value < 0 ? -band : band));
}

// Writes the voxels that the brick owns; those on the upper border of the grid belong to its last bricks.
void write_brick(FloatGrid& grid, FloatGrid::Accessor& values, const GridData& data, std::size_t b, double band) {
    const auto p = data.layout.brick_position(b);
    const Coord first(p[0] * 8, p[1] * 8, p[2] * 8);
    std::array<double, brick_size> samples;
    read_lattice(data, p, samples);
    const bool stored = data.brick_of[b] != no_index;
    if (!stored && samples[0] < 0) grid.tree().addTile(1, first, static_cast<float>(-band), false);
    std::array<int, 3> count;
    for (std::size_t k = 0; k < 3; ++k) count[k] = p[k] + 1 == data.layout.bricks[k] ? 9 : 8;
    for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j)
            for (int i = 0; i < count[0]; ++i) {
                const double value = samples[brick_sample(i, j, k)];
                const bool border = i == 8 || j == 8 || k == 8;
                if (stored || (border && value < 0)) write_sample(values, first.offsetBy(i, j, k), value, band);
            }
}

FloatGrid::Ptr level_set_of(const GridData& data, double band) {
    openvdb::initialize();
    const FloatGrid::Ptr grid = FloatGrid::create(static_cast<float>(band));
    const auto transform = openvdb::math::Transform::createLinearTransform(data.layout.cell);
    transform->postTranslate({data.layout.origin.x(), data.layout.origin.y(), data.layout.origin.z()});
    grid->setTransform(transform);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    grid->setName("distance");
    auto values = grid->getAccessor();
    for (std::size_t b = 0; b < data.layout.brick_count(); ++b) write_brick(*grid, values, data, b, band);
    return grid;
}

} // namespace

GridFile read_vdb(const fs::path& path, const GridReadOptions& options) {
    const std::string name = path.string();
    const std::size_t limit = memory_limit(options, fs::file_size(path));
    const IsolateResult result =
        run_isolated([&] { return Reader(name, options.storage, limit).read(); }, {.memory = limit, .seconds = 600});
    if (result.status == IsolateStatus::out_of_memory)
        throw Error(Cause::too_large, fmt::format("takes more memory than the limit of {} MB", limit >> 20),
                    {.file = name});
    if (result.status == IsolateStatus::threw) throw Error(Cause::import_failed, result.reason, {.file = name});
    if (result.status != IsolateStatus::finished)
        throw Error(Cause::import_failed, fmt::format("OpenVDB failed: {}", result.reason), {.file = name});
    return Assembly(result.bytes, options, name).build();
}

void write_vdb(const GridField& field, const fs::path& path) {
    const double band = written_band(field.data());
    if (!(band > 0))
        throw Error(Cause::unsupported, "the field states no band, which a level set requires",
                    {.file = path.string()});
    fs::path temporary = path;
    temporary.replace_filename(fmt::format(".{}-{}.tmp", path.filename().string(), ::getpid()));
    try {
        openvdb::io::File(temporary.string()).write(openvdb::GridPtrVec{level_set_of(field.data(), band)});
        fs::rename(temporary, path);
    } catch (const std::exception& error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw Error(Cause::cannot_write, error.what(), {.file = path.string()});
    }
}

} // namespace fathom
