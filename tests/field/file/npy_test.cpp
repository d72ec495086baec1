#include <fathom/base/encode/bytes.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/file/npy_file.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

#include <cstring>

namespace fathom {
namespace npy_test {

using testing::bytes_of;
using testing::error_of;
using testing::ScratchFolder;

// As numpy.lib.format writes it.
std::string npy(std::string_view dictionary, std::string_view data, char major = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += major;
    bytes += '\0';
    std::string text(dictionary);
    text.append(63 - (bytes.size() + (major == 1 ? 2 : 4) + text.size()) % 64, ' ').append("\n");
    if (major == 1)
        append_little_endian(bytes, static_cast<std::uint16_t>(text.size()));
    else
        append_little_endian(bytes, static_cast<std::uint32_t>(text.size()));
    return bytes.append(text).append(data);
}

template <class T>
std::string numbers(std::initializer_list<double> values, std::endian order = std::endian::little) {
    std::string bytes;
    for (const double v : values) append_bytes(bytes, static_cast<T>(v), order);
    return bytes;
}

std::vector<Vec3> points_of(const std::string& bytes) {
    const ScratchFolder folder;
    return read_npy_points(folder.write("points.npy", bytes));
}

TEST(Npy, points_come_in_every_type_and_order) {
    const std::vector<Vec3> expected = {{1, 2, 3}, {4, 5, 6}};
    const auto c = {1., 2., 3., 4., 5., 6.}, fortran = {1., 4., 2., 5., 3., 6.};
    EXPECT_EQ(points_of(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", numbers<double>(c))),
              expected);
    EXPECT_EQ(points_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", numbers<float>(c))),
              expected);
    EXPECT_EQ(points_of(npy("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }",
                            numbers<double>(fortran, std::endian::big))),
              expected);
    EXPECT_EQ(points_of(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }",
                            numbers<float>(c, std::endian::big), 2)),
              expected);
    EXPECT_EQ(
        points_of(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }", numbers<std::int64_t>(c), 3)),
        expected);
    EXPECT_EQ(points_of(npy("{'shape':(2,3),\"fortran_order\":True,'descr':'|u1'}", numbers<std::uint8_t>(fortran))),
              expected);
    EXPECT_TRUE(points_of(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", "")).empty());
}

TEST(Npy, tables_come_back_as_written) {
    const ScratchFolder folder;
    const std::vector<double> values = {1, -0.0, 1e300, std::nan(""), HUGE_VAL, 5e-324, 7, 8};
    for (const std::size_t columns : {1u, 4u, 8u}) {
        write_npy_table(folder / "a.npy", values, columns);
        const NpyTable table = read_npy_table(folder / "a.npy");
        EXPECT_EQ(table.columns, columns);
        ASSERT_EQ(table.values.size(), values.size());
        EXPECT_EQ(std::memcmp(table.values.data(), values.data(), 8 * values.size()), 0);
    }
    write_npy_table(folder / "a.npy", {}, 4);
    EXPECT_EQ(read_npy_table(folder / "a.npy").rows(), 0u);
    EXPECT_EQ(error_of([&] { write_npy_table(folder / "b.npy", values, 3); }).cause(), Cause::invalid_argument);
    const NpyTable row = read_npy_table(folder.write(
        "row.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", numbers<float>({1, 2}))));
    EXPECT_EQ(row.columns, 1u);
    EXPECT_EQ(row.values, (std::vector<double>{1, 2}));
}

TEST(Npy, the_numbers_start_where_numpy_expects_them) {
    const ScratchFolder folder;
    write_npy_table(folder / "a.npy", std::vector<double>(4), 4);
    EXPECT_EQ(std::filesystem::file_size(folder / "a.npy"), 128u + 32);
}

Cause cause_of(const std::string& bytes) {
    const Error error = error_of([&] { static_cast<void>(points_of(bytes)); });
    EXPECT_FALSE(error.place().file.empty());
    return error.cause();
}

TEST(Npy, damaged_files_are_refused_with_their_reason) {
    const std::string data = numbers<double>({1, 2, 3});
    const auto with = [&](std::string_view head) { return npy(head, data); };
    EXPECT_EQ(cause_of("NUMPY"), Cause::unknown_format);
    EXPECT_EQ(cause_of(std::string("\x93NUMPY\x04\0", 8)), Cause::unsupported);
    EXPECT_EQ(cause_of(std::string("\x93NUMPY\x01\0\xff\xff{", 11)), Cause::truncated);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }")), Cause::truncated);
    EXPECT_EQ(cause_of(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }", data + "x")),
              Cause::count_mismatch);
    EXPECT_EQ(
        cause_of(
            with("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904, 3), }")),
        Cause::count_mismatch);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 3), }")),
              Cause::malformed);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3), }")), Cause::malformed);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }")), Cause::unsupported);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 3), }")), Cause::unsupported);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,3), }")),
              Cause::unsupported);
    EXPECT_EQ(cause_of(with("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 3), }")), Cause::unsupported);
    EXPECT_EQ(cause_of(with("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3,), }")), Cause::unsupported);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 3), }")), Cause::malformed);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'fortran_order': False, }")), Cause::malformed);
    EXPECT_EQ(cause_of(with("{'descr': '<f8', 'surprise': 1, 'shape': (1, 3), }")), Cause::malformed);
    EXPECT_EQ(cause_of(with("{'descr': '<f8")), Cause::malformed);
    EXPECT_EQ(cause_of(with("")), Cause::malformed);
}

// The value at [z][y][x] is x + 10 y + 100 z; 2 x 3 x 4 samples along x, y, z.
TEST(Npy, grids_are_indexed_by_z_y_x_or_as_requested) {
    std::string c, fortran;
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 2; ++x) append_little_endian(c, static_cast<float>(x + 10 * y + 100 * z));
    for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 3; ++y)
            for (int z = 0; z < 4; ++z) append_little_endian(fortran, static_cast<float>(x + 10 * y + 100 * z));
    GridReadOptions options;
    options.origin = {1, 2, 3};
    options.cell = 0.5;
    const auto check = [&](std::string_view head, const std::string& data, bool x_first) {
        options.x_first = x_first;
        const GridFile file = read_grid_file(bytes_of(npy(head, data)), "a.npy", options);
        EXPECT_EQ(file.field.distance({1.5, 3, 4.5}), 321) << head;
        EXPECT_EQ(file.field.distance({1.5, 2, 3}), 1) << head;
        EXPECT_EQ(file.remarks.size(), 2u) << "where it was put, and that it was continued";
    };
    check("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3, 2), }", c, false);
    check("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 3, 2), }", fortran, false);
    check("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }", c, true);
    check("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }", fortran, true);
    EXPECT_EQ(error_of([&] {
                  static_cast<void>(read_grid_file(
                      bytes_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (12, 2), }", c)), "a.npy"));
              }).cause(),
              Cause::unsupported);
}

} // namespace npy_test
} // namespace fathom
