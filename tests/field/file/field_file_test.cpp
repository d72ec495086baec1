#include "field_bytes.h"

#include <contract/field_contract.h>
#include <fathom/base/file.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>
#include <support/plain_fields.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

namespace fathom {
namespace field_file_test {

using testing::BallField;
using testing::error_of;
using testing::put_at;
using testing::read_field_bytes;
using testing::ScratchFolder;
using testing::section_at;

GridField small_grid(GridStorage storage = GridStorage::code16, double scale = 1, int resolution = 40) {
    BakeOptions options;
    options.resolution = resolution;
    options.storage = storage;
    options.band = 1;
    return bake(testing::TorusField(scale, 0.3 * scale), options);
}

std::string text_of(const std::filesystem::path& path) {
    const Bytes bytes = read_whole_file(path);
    return {reinterpret_cast<const char*>(bytes.span().data()), bytes.size()};
}

std::string written(const GridField& field, std::string_view note = "a note") {
    const ScratchFolder folder;
    write_field(field, folder / "a.fathom", note);
    return text_of(folder / "a.fathom");
}

template <class T>
void expect_same(std::span<const T> a, std::span<const T> b, const char* name) {
    ASSERT_EQ(a.size(), b.size()) << name;
    EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0) << name; // memcmp takes no null
}

TEST(FieldFile, gives_back_every_bit) {
    for (const GridStorage storage : {GridStorage::code16, GridStorage::float32})
        for (const double scale : {1e-3, 1.0, 1e3}) {
            const ScratchFolder folder;
            const GridField field = small_grid(storage, scale);
            ASSERT_GT(field.data().stored_bricks(), 10u);
            ASSERT_LT(field.data().stored_bricks(), field.layout().brick_count());
            write_field(field, folder / "a.fathom", "{\"source\": \"torus\"}");
            const FieldFile file = read_field(folder / "a.fathom");
            const GridData &a = field.data(), &b = file.field.data();
            EXPECT_EQ(file.note, "{\"source\": \"torus\"}");
            EXPECT_EQ(a.layout, b.layout);
            EXPECT_EQ(a.storage, b.storage);
            EXPECT_EQ(std::tie(a.band, a.near_error, a.far_error, a.lipschitz, a.step),
                      std::tie(b.band, b.near_error, b.far_error, b.lipschitz, b.step));
            expect_same(a.corners, b.corners, "corners");
            expect_same(a.brick_of, b.brick_of, "brick_of");
            expect_same(a.bases, b.bases, "bases");
            expect_same(a.codes, b.codes, "codes");
            expect_same(a.values, b.values, "values");
            expect_same(a.block_ranges, b.block_ranges, "block_ranges");
            ASSERT_EQ(a.levels.size(), b.levels.size());
            for (std::size_t l = 0; l < a.levels.size(); ++l) expect_same(a.levels[l], b.levels[l], "level");
        }
}

TEST(FieldFile, a_mapped_field_answers_as_the_one_in_memory) {
    const ScratchFolder folder;
    const GridField field = small_grid();
    write_field(field, folder / "a.fathom");
    const GridField mapped = read_field(folder / "a.fathom").field; // the file object is gone, the mapping stays
    std::filesystem::remove(folder / "a.fathom");
    Random random(1);
    std::vector<Vec3> points;
    for (int i = 0; i < 5000; ++i) points.push_back(1.5 * field.domain().size().x() * random.in_ball());
    std::vector<double> expected(points.size()), found(points.size());
    field.distances(points, expected);
    mapped.distances(points, found);
    EXPECT_EQ(expected, found);
    for (int i = 0; i < 2000; ++i) {
        Box box;
        box.extend(random.in_box(field.domain()));
        box.extend(box.lower + 0.3 * random.in_ball());
        const Interval a = field.range(box), b = mapped.range(box);
        ASSERT_EQ(a.lower, b.lower);
        ASSERT_EQ(a.upper, b.upper);
    }
    EXPECT_EQ(field.bounds().lower, mapped.bounds().lower);
}

TEST(FieldFile, a_mapped_field_keeps_the_contract) {
    const ScratchFolder folder;
    write_field(small_grid(), folder / "a.fathom");
    testing::FieldContract contract;
    contract.name = "mapped torus";
    contract.region = Box::around(Vec3::Zero(), Vec3::Constant(2));
    contract.boxes = testing::count_of(2000, 1000000);
    contract.gradient_tolerance = 1e-3;
    const auto counts = check_field_contract(read_field(folder / "a.fathom").field, contract);
    EXPECT_GT(counts.outside, contract.boxes / 20);
    EXPECT_GT(counts.inside + counts.mixed, contract.boxes / 20);
}

TEST(FieldFile, has_the_same_bytes_for_any_number_of_threads) {
    const auto with_threads = [](std::size_t threads) {
        set_thread_count(threads);
        const std::string bytes = written(small_grid(GridStorage::code16, 1, 360));
        const GridField again = read_field_bytes(bytes).field;
        EXPECT_EQ(written(again), bytes);
        set_thread_count(0);
        return bytes;
    };
    const std::string one = with_threads(1);
    EXPECT_GT(one.size(), std::size_t{5} << 20) << "large enough for several blocks";
    EXPECT_EQ(one, with_threads(2));
}

TEST(FieldFile, a_single_flipped_bit_is_rejected_anywhere) {
    const std::string whole = written(bake(BallField(Vec3::Zero(), 1), {.box = {}, .resolution = 8, .band = 0.1}));
    ASSERT_NO_THROW(static_cast<void>(read_field_bytes(whole)));
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        try {
            static_cast<void>(read_field_bytes(damaged));
            ADD_FAILURE() << "bit " << bit;
        } catch (const Error& error) {
            refused += error.place().file == "memory.fathom" && !error.reason().empty();
        }
    }
    EXPECT_EQ(refused, 8 * whole.size());
    EXPECT_GT(whole.size(), 2000u);
}

TEST(FieldFile, a_shortened_or_lengthened_file_is_refused) {
    const std::string whole = written(small_grid());
    Random random(2);
    for (int i = 0; i < 300; ++i) {
        const std::size_t length =
            i < 16 ? whole.size() * static_cast<std::size_t>(i) / 16 : random.below(whole.size());
        const Error error = error_of([&] { static_cast<void>(read_field_bytes(whole.substr(0, length))); });
        EXPECT_TRUE(error.cause() == Cause::truncated || error.cause() == Cause::unknown_format) << error.what();
    }
    EXPECT_EQ(error_of([&] { static_cast<void>(read_field_bytes(whole + std::string(64, '\0'))); }).cause(),
              Cause::count_mismatch);
}

// What each change is refused for, although all checksums fit.
TEST(FieldFile, inconsistent_data_with_a_valid_checksum_is_rejected_with_its_reason) {
    const std::string coded = written(small_grid()), plain = written(small_grid(GridStorage::float32));
    const auto cause = [](std::string bytes, std::size_t at, auto value) {
        put_at(bytes, at, value);
        testing::seal(bytes);
        const Error error = error_of([&] { static_cast<void>(read_field_bytes(bytes)); });
        EXPECT_EQ(error.place().file, "memory.fathom");
        return error.cause();
    };
    const double nan = std::nan("");
    EXPECT_EQ(cause(coded, 8, std::uint32_t{2}), Cause::unsupported);
    EXPECT_EQ(cause(coded, 24, nan), Cause::non_finite);
    EXPECT_EQ(cause(coded, 48, 0.0), Cause::non_finite);
    EXPECT_EQ(cause(coded, 48, -1.0), Cause::non_finite);
    EXPECT_EQ(cause(coded, 48, 1e308), Cause::non_finite);
    EXPECT_EQ(cause(coded, 56, std::int32_t{-5}), Cause::malformed);
    EXPECT_EQ(cause(coded, 56, std::int32_t{1 << 30}), Cause::malformed);
    EXPECT_EQ(cause(coded, 56, std::int32_t{1 << 24}), Cause::count_mismatch);
    EXPECT_EQ(cause(coded, 60, std::int32_t{1}), Cause::count_mismatch);
    EXPECT_EQ(cause(coded, 68, std::uint32_t{7}), Cause::unsupported);
    EXPECT_EQ(cause(coded, 68, std::uint32_t{0}), Cause::count_mismatch); // codes taken for floats
    EXPECT_EQ(cause(coded, 72, nan), Cause::non_finite);
    EXPECT_EQ(cause(coded, 80, -1.0), Cause::non_finite);
    EXPECT_EQ(cause(coded, 104, 0.0), Cause::malformed);
    EXPECT_EQ(cause(coded, 104, 1e305), Cause::malformed);
    EXPECT_EQ(cause(coded, 128, std::uint64_t{1} << 62), Cause::malformed); // the note's size
    EXPECT_EQ(cause(coded, 144, ~std::uint64_t{0} - 63), Cause::malformed); // the corners' offset
    EXPECT_EQ(cause(coded, section_at(coded, 1) + 4, std::nanf("")), Cause::non_finite);
    EXPECT_EQ(cause(coded, section_at(coded, 2), std::uint32_t{12345678}), Cause::index_out_of_range);
    EXPECT_EQ(cause(coded, section_at(coded, 3), std::int32_t{2147483647}), Cause::malformed);
    EXPECT_EQ(cause(plain, section_at(plain, 4) + 40, HUGE_VALF), Cause::non_finite);
    EXPECT_EQ(cause(coded, section_at(coded, 5), HUGE_VALF), Cause::malformed);
    EXPECT_EQ(cause(coded, section_at(coded, 6), std::nanf("")), Cause::malformed);
}

TEST(FieldFile, random_bytes_with_a_valid_checksum_are_rejected_or_usable) {
    const std::string whole = written(small_grid());
    Random random(3);
    std::size_t answered = 0, refused = 0;
    const std::size_t runs = testing::count_of(400, 20000);
    for (std::size_t i = 0; i < runs; ++i) {
        std::string bytes = whole;
        for (std::size_t n = 1 + random.below(4); n > 0; --n)
            put_at(bytes, i % 2 == 0 ? random.below(testing::field_header_size) : random.below(bytes.size()),
                   static_cast<unsigned char>(random.bits()));
        testing::seal(bytes);
        try {
            const GridField field = read_field_bytes(bytes).field;
            for (int k = 0; k < 20; ++k) {
                const Vec3 p = random.in_box(field.domain()), q = random.in_box(field.domain());
                static_cast<void>(field.sample(p));
                static_cast<void>(field.range({p.cwiseMin(q), p.cwiseMax(q)}));
            }
            ++answered;
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(answered, runs / 10);
    EXPECT_GT(refused, runs / 10);
}

TEST(FieldFile, rejects_files_that_are_not_field_files) {
    const ScratchFolder folder;
    EXPECT_EQ(error_of([&] { static_cast<void>(read_field(folder / "missing.fathom")); }).cause(), Cause::cannot_open);
    EXPECT_EQ(error_of([&] { static_cast<void>(read_field(folder.path())); }).cause(), Cause::cannot_open);
    EXPECT_EQ(error_of([&] { static_cast<void>(read_field(folder.write("empty", ""))); }).cause(),
              Cause::unknown_format);
    EXPECT_EQ(error_of([&] { static_cast<void>(read_field(folder.write("text", "solid torus\n"))); }).cause(),
              Cause::unknown_format);
    EXPECT_EQ(error_of([&] { write_field(small_grid(), folder / "no folder" / "a.fathom"); }).cause(),
              Cause::cannot_write);
    EXPECT_EQ(folder.file_count(), 2u) << "and nothing half written stays";
}

TEST(FieldFile, a_grid_that_no_reader_would_take_is_not_written) {
    const ScratchFolder folder;
    GridLayout layout;
    layout.bricks = {1, 1, 1};
    const GridField field = testing::grid_of(
        layout, GridStorage::float32, [](int i, int, int) { return i == 3 ? std::nan("") : 1.0; },
        [](std::size_t) { return true; });
    EXPECT_EQ(error_of([&] { write_field(field, folder / "a.fathom"); }).cause(), Cause::non_finite);
    EXPECT_EQ(folder.file_count(), 0u);
}

} // namespace field_file_test
} // namespace fathom
