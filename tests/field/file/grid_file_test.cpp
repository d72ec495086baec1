#include <fathom/base/encode/bytes.h>
#include <fathom/base/file.h>
#include <fathom/base/parallel.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/grid/bake.h>
#include <support/plain_fields.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

#include <array>
#include <cstring>

namespace fathom {
namespace grid_file_test {

using testing::bytes_of;
using testing::error_of;
using testing::ScratchFolder;

const std::array<const char*, 5> endings = {"npy", "nrrd", "vti", "sdf", "dist"};

GridField torus(GridStorage storage = GridStorage::float32, double scale = 1) {
    BakeOptions options;
    options.resolution = 40;
    options.storage = storage;
    return bake(testing::TorusField(scale, 0.3 * scale), options);
}

GridReadOptions placed_as(const GridField& field) {
    GridReadOptions options;
    options.origin = field.layout().origin;
    options.cell = field.layout().cell;
    return options;
}

GridFile read_text(std::string_view text, std::string_view name, const GridReadOptions& options = {}) {
    return read_grid_file(bytes_of(text), name, options);
}

Cause cause_of(std::string_view text, std::string_view name, const GridReadOptions& options = {}) {
    const Error error = error_of([&] { static_cast<void>(read_text(text, name, options)); });
    EXPECT_EQ(error.place().file, name) << error.what();
    return error.cause();
}

std::string text_of(const std::filesystem::path& path) {
    const Bytes bytes = read_whole_file(path);
    return {reinterpret_cast<const char*>(bytes.span().data()), bytes.size()};
}

// Every sample of the lattice.
std::vector<double> all_samples(const GridField& field) {
    std::vector<double> values;
    const GridLayout& layout = field.layout();
    for (int k = 0; k <= layout.cells(2); ++k)
        for (int j = 0; j <= layout.cells(1); ++j)
            for (int i = 0; i <= layout.cells(0); ++i) values.push_back(field.sample_value({i, j, k}));
    return values;
}

TEST(GridFile, every_format_gives_back_what_was_written) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const GridStorage storage : {GridStorage::float32, GridStorage::code16})
            for (const char* ending : endings)
                for (const bool doubles : {false, true}) {
                    const ScratchFolder folder;
                    const GridField field = torus(storage, scale);
                    const std::filesystem::path path = folder / std::string("grid.").append(ending);
                    GridWriteOptions options;
                    options.doubles = doubles;
                    write_grid_file(field, path, options);
                    const GridFile file = read_grid_file(path, placed_as(field));
                    EXPECT_TRUE(file.format.starts_with(ending) || std::string_view(ending) == "dist") << file.format;
                    const GridLayout &a = field.layout(), &b = file.field.layout();
                    ASSERT_EQ(a.bricks, b.bricks) << ending;
                    EXPECT_EQ(a.origin, b.origin) << ending;
                    EXPECT_NEAR(a.cell, b.cell, 1e-15 * a.cell) << ending;
                    EXPECT_EQ(file.field.error_bound(), HUGE_VAL) << "nobody said how good the samples are";
                    const std::vector<double> expected = all_samples(field), found = all_samples(file.field);
                    const double largest = 4 * scale;
                    for (std::size_t i = 0; i < expected.size(); ++i)
                        ASSERT_NEAR(expected[i], found[i], 1.2e-7 * largest) << ending << " sample " << i;
                }
}

TEST(GridFile, floats_come_back_to_the_bit_and_writing_again_gives_the_same_bytes) {
    for (const char* ending : endings) {
        const ScratchFolder folder;
        BakeOptions options;
        options.box = Box::around(Vec3(0.5, 0.25, 0), Vec3(2, 2, 1));
        options.resolution = 32; // places and cells without rounding
        options.storage = GridStorage::float32;
        options.dense = true;
        const GridField field = bake(testing::TorusField(1, 0.3), options);
        const std::filesystem::path first = folder / std::string("a.").append(ending),
                                    second = folder / std::string("b.").append(ending);
        write_grid_file(field, first);
        const GridField again = read_grid_file(first, placed_as(field)).field;
        ASSERT_EQ(field.layout(), again.layout()) << ending;
        ASSERT_EQ(field.data().values.size(), again.data().values.size());
        EXPECT_EQ(std::memcmp(field.data().values.data(), again.data().values.data(), again.data().values.size_bytes()),
                  0)
            << ending;
        write_grid_file(again, second);
        EXPECT_EQ(text_of(first), text_of(second)) << ending;
    }
}

TEST(GridFile, writes_the_same_bytes_for_any_number_of_threads) {
    const GridField field = torus(GridStorage::code16);
    for (const char* ending : endings) {
        const ScratchFolder folder;
        const std::filesystem::path path = folder / std::string("grid.").append(ending);
        std::array<std::string, 2> bytes;
        for (std::size_t threads = 1; threads <= 2; ++threads) {
            set_thread_count(threads);
            write_grid_file(read_grid_file((write_grid_file(field, path), path), placed_as(field)).field, path);
            bytes[threads - 1] = text_of(path);
        }
        set_thread_count(0);
        EXPECT_EQ(bytes[0], bytes[1]) << ending;
    }
}

TEST(GridFile, the_native_format_uses_the_same_functions) {
    const ScratchFolder folder;
    const GridField field = torus(GridStorage::code16);
    GridWriteOptions options;
    options.note = "about it";
    write_grid_file(field, folder / "a.fathom", options);
    std::filesystem::rename(folder / "a.fathom", folder / "a.dat"); // the format is recognised from the content
    const GridFile file = read_grid_file(folder / "a.dat");
    EXPECT_EQ(file.format, "fathom");
    EXPECT_EQ(file.note, "about it");
    EXPECT_EQ(file.field.error_bound(), field.error_bound());
    const GridFile memory = read_text(text_of(folder / "a.dat"), "memory");
    EXPECT_EQ(memory.field.distance({1, 1, 1}), field.distance({1, 1, 1}));
}

// A lattice of 11 x 4 x 12 samples of a ball, as SDFGen's text.
std::string ball_text(double radius, std::array<int, 3> counts = {11, 4, 12}) {
    std::string text = std::to_string(counts[0]) + " " + std::to_string(counts[1]) + " " + std::to_string(counts[2]) +
                       "\n-1 -0.25 -1\n0.25\n";
    for (int k = 0; k < counts[2]; ++k)
        for (int j = 0; j < counts[1]; ++j)
            for (int i = 0; i < counts[0]; ++i)
                text += std::to_string(Vec3(-1 + 0.25 * i, -0.25 + 0.25 * j, -1 + 0.25 * k).norm() - radius) + "\n";
    return text;
}

TEST(GridFile, a_lattice_of_partial_bricks_is_continued_as_a_lower_bound) {
    const GridFile file = read_text(ball_text(0.5), "ball.sdf");
    EXPECT_EQ(file.field.layout().bricks, (std::array<int, 3>{2, 1, 2}));
    ASSERT_EQ(file.remarks.size(), 1u);
    EXPECT_NE(file.remarks[0].find("extended"), std::string::npos);
    Random random(1);
    const Box given{{-1, -0.25, -1}, {1.5, 0.5, 1.75}};
    std::size_t beyond = 0;
    for (int i = 0; i < 5000; ++i) {
        const Vec3 p = random.in_box(file.field.domain());
        const double truth = p.norm() - 0.5;
        if (given.contains(p)) {
            EXPECT_NEAR(file.field.distance(p), truth, 0.22) << "the linear interpolation of a cone";
        } else {
            EXPECT_LE(file.field.distance(p), truth + 0.06);
            ++beyond;
        }
    }
    EXPECT_GT(beyond, 1000u);
}

TEST(GridFile, a_stated_error_is_kept_and_grows_where_the_lattice_was_continued) {
    GridReadOptions options;
    options.error = 1e-6;
    Random random(2);
    for (const auto& [counts, most] : {std::pair<std::array<int, 3>, double>{{9, 9, 17}, 0.22}, {{11, 4, 12}, 9.0}}) {
        const GridField field = read_text(ball_text(0.5, counts), "ball.sdf", options).field;
        EXPECT_LT(field.near_error_bound(), most);
        for (int i = 0; i < 3000; ++i) {
            const Vec3 p = random.in_box(field.domain());
            EXPECT_LE(std::abs(field.distance(p) - (p.norm() - 0.5)), field.near_error_bound());
        }
    }
}

TEST(GridFile, codes_are_refused_where_the_samples_are_steeper_than_a_distance) {
    GridReadOptions options;
    options.storage = GridStorage::code16;
    EXPECT_EQ(read_text(ball_text(0.5), "ball.sdf", options).field.data().storage, GridStorage::code16);
    EXPECT_EQ(cause_of("2 2 2\n0 0 0\n1\n0 100 0 0 0 0 0 0\n", "steep.sdf", options), Cause::unsupported);
    EXPECT_EQ(cause_of("2 2 2\n0 0 0\n1\n1e9 1e9 1e9 1e9 1e9 1e9 1e9 1e9\n", "far.sdf", options), Cause::unsupported);
    EXPECT_EQ(read_text("2 2 2\n0 0 0\n1\n0 3e38 -3e38 0 0 0 0 0\n", "steep.sdf").field.distance({1, 0, 0}), 3e38f);
}

TEST(SdfGen, its_text_is_read_as_written) {
    const GridFile file = read_text("2 2 3\n1 2 3\n0.5\n0 1 2 3\n4 5 6 7\n8 9 10 11\n", "a.sdf");
    EXPECT_EQ(file.field.distance({1, 2, 3}), 0);
    EXPECT_EQ(file.field.distance({1.5, 2, 3}), 1);
    EXPECT_EQ(file.field.distance({1, 2.5, 3}), 2);
    EXPECT_EQ(file.field.distance({1, 2, 4}), 8);
    EXPECT_EQ(file.field.distance({1.25, 2.25, 3.25}), 3.5);
}

TEST(SdfGen, damaged_text_is_refused_with_its_reason) {
    EXPECT_EQ(cause_of("2 2 2\n0 0 0\n1\n0 1 2 3 4 5 6\n", "a.sdf"), Cause::truncated);
    EXPECT_EQ(cause_of("2 2 2\n0 0 0\n1\n0 1 2 3 4 5 6 7 8\n", "a.sdf"), Cause::count_mismatch);
    EXPECT_EQ(cause_of("2 2 2\n0 0 0\n1\n0 1 2 x 4 5 6 7\n", "a.sdf"), Cause::malformed);
    EXPECT_EQ(cause_of("2 2 1\n0 0 0\n1\n0 1 2 3\n", "a.sdf"), Cause::unsupported);
    EXPECT_EQ(cause_of("2 2 -2\n0 0 0\n1\n0 1 2 3 4 5 6 7\n", "a.sdf"), Cause::malformed);
    EXPECT_EQ(cause_of("2 2 2\n0 0 0\n0\n0 1 2 3 4 5 6 7\n", "a.sdf"), Cause::non_finite);
    EXPECT_EQ(cause_of("2 2 2\n0 0 nan\n1\n0 1 2 3 4 5 6 7\n", "a.sdf"), Cause::non_finite);
    EXPECT_EQ(cause_of("99999999999 2 2\n0 0 0\n1\n0\n", "a.sdf"), Cause::too_large);
    EXPECT_EQ(cause_of("9999 9999 9999\n0 0 0\n1\n0\n", "a.sdf"), Cause::too_large);
    EXPECT_EQ(cause_of("100 100 100\n0 0 0\n1\n0\n", "a.sdf"), Cause::count_mismatch);
    EXPECT_EQ(cause_of("", "a.sdf"), Cause::empty);
    EXPECT_EQ(cause_of("2 2 2\n0 0 0\n1\n0 1 2 3 4 5 6 7\n", "a.xyz"), Cause::unknown_format);
    const Error error = error_of([] { static_cast<void>(read_text("2 2 2\n0 0 0\n1\n0 1 2 3 4 nan 6 7\n", "a.sdf")); });
    EXPECT_EQ(error.cause(), Cause::non_finite);
    EXPECT_EQ(error.place().index, 5);
    EXPECT_EQ(
        error_of([] { static_cast<void>(read_text("2 2 2\n0 0 0\n1\n0 1 2 1e39 4 5 6 7\n", "a.sdf")); }).place().index,
        3);
}

// 2 x 3 x 2 cells, the value at corner (i, j, k) is i + 10 j + 100 k.
template <class T>
std::string vega_bytes(std::int32_t x, std::int32_t y, std::array<double, 6> box = {0, 0, 0, 1, 1.5, 1}) {
    std::string bytes;
    for (const std::int32_t n : {x, y, 2}) append_little_endian(bytes, n);
    for (const double b : box) append_little_endian(bytes, b);
    for (int k = 0; k <= 2; ++k)
        for (int j = 0; j <= 3; ++j)
            for (int i = 0; i <= 2; ++i) append_little_endian(bytes, static_cast<T>(i + 10 * j + 100 * k));
    return bytes;
}

TEST(Vega, both_precisions_are_read_and_recognised_by_their_size) {
    for (const std::string& bytes : {vega_bytes<float>(-2, 3), vega_bytes<double>(2, 3)}) {
        const GridField field = read_text(bytes, "unnamed").field;
        EXPECT_EQ(field.layout().cell, 0.5);
        EXPECT_EQ(field.distance({0.5, 1, 0.5}), 121);
        EXPECT_EQ(field.distance({1, 1.5, 1}), 232);
    }
}

TEST(Vega, damaged_fields_are_refused_with_their_reason) {
    EXPECT_EQ(cause_of(vega_bytes<float>(-2, -3), "a.dist"), Cause::unsupported);
    EXPECT_EQ(cause_of(vega_bytes<float>(-2, 0), "a.dist"), Cause::malformed);
    EXPECT_EQ(cause_of(vega_bytes<float>(std::numeric_limits<std::int32_t>::min(), 3), "a.dist"), Cause::malformed);
    EXPECT_EQ(cause_of(vega_bytes<float>(-2, 3).substr(0, 100), "a.dist"), Cause::truncated);
    EXPECT_EQ(cause_of(vega_bytes<float>(-2, 3).substr(0, 30), "a.dist"), Cause::truncated);
    EXPECT_EQ(cause_of(vega_bytes<float>(-2, 3) + "x", "a.dist"), Cause::count_mismatch);
    EXPECT_EQ(cause_of(vega_bytes<float>(-100000000, 100000000), "a.dist"), Cause::truncated);
    EXPECT_EQ(cause_of(vega_bytes<float>(-2, 3, {0, 0, 0, 1, 1, 1}), "a.dist"), Cause::unsupported); // no cubes
    EXPECT_EQ(cause_of(vega_bytes<float>(-2, 3, {0, 0, 0, std::nan(""), 1, 1}), "a.dist"), Cause::unsupported);
}

TEST(GridFile, rejects_files_that_would_be_too_large_before_writing) {
    const ScratchFolder folder;
    GridWriteOptions small_file, small_memory;
    small_file.size_limit = 100000;
    small_memory.memory_limit = 1000;
    for (const GridWriteOptions& options : {small_file, small_memory})
        EXPECT_EQ(error_of([&] { write_grid_file(torus(), folder / "a.npy", options); }).cause(), Cause::too_large);
    EXPECT_EQ(error_of([&] { write_grid_file(torus(), folder / "a.xyz"); }).cause(), Cause::unknown_format);
    EXPECT_EQ(folder.file_count(), 0u);
}

} // namespace grid_file_test
} // namespace fathom
