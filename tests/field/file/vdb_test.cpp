#include <fathom/base/file.h>
#include <fathom/base/random.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/grid/bake.h>
#include <support/plain_fields.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

namespace fathom {
namespace vdb_test {

using testing::error_of;
using testing::ScratchFolder;

GridField torus(double scale = 1, bool dense = false) {
    BakeOptions options;
    options.box = Box::around(Vec3::Constant(0.1 * scale), Vec3(1.6, 1.6, 0.8) * scale);
    options.resolution = 96;
    options.storage = GridStorage::float32;
    options.dense = dense;
    return bake(testing::TorusField(scale, 0.4 * scale), options);
}

TEST(Vdb, a_build_without_openvdb_reports_it) {
    if (has_openvdb()) GTEST_SKIP() << "this build has it";
    const ScratchFolder folder;
    for (const Error& error :
         {error_of([&] { write_grid_file(torus(), folder / "a.vdb"); }), error_of([&] {
              static_cast<void>(read_grid_file(folder.write("b.vdb", std::string(" BDV\0\0\0\0", 8))));
          })}) {
        EXPECT_EQ(error.cause(), Cause::unsupported);
        EXPECT_NE(error.reason().find("without OpenVDB"), std::string::npos);
    }
}

TEST(Vdb, a_level_set_comes_back_in_its_band_and_keeps_the_sign_past_it) {
    if (!has_openvdb()) GTEST_SKIP() << "built without OpenVDB";
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const bool dense : {false, true}) {
            const ScratchFolder folder;
            const GridField field = torus(scale, dense);
            write_grid_file(field, folder / "a.vdb");
            EXPECT_EQ(folder.file_count(), 1u);
            const GridFile file = read_grid_file(folder / "a.vdb");
            EXPECT_EQ(file.format, "vdb");
            EXPECT_EQ(file.remarks.size(), 1u);
            EXPECT_EQ(file.field.error_bound(), HUGE_VAL);
            EXPECT_LT(file.field.data().stored_bricks(), file.field.layout().brick_count());
            const double cell = field.layout().cell;
            Random random(1);
            std::size_t in_band = 0, inside = 0;
            for (int i = 0; i < 20000; ++i) {
                const Vec3 p = random.in_box(file.field.domain());
                const double truth = field.distance(p), found = file.field.distance(p);
                if (std::abs(truth) < 1.2 * cell) { // all corners of its cell are in the band of three
                    ASSERT_NEAR(found, truth, 1e-6 * scale) << p.transpose();
                    ++in_band;
                } else {
                    ASSERT_EQ(found < 0, truth < 0) << p.transpose();
                    ASSERT_LE(std::abs(found), std::abs(truth) + 1e-6 * scale) << p.transpose();
                    inside += truth < 0;
                }
            }
            EXPECT_GT(in_band, 1000u);
            EXPECT_GT(inside, 1000u);
        }
}

TEST(Vdb, a_stated_error_holds_near_the_surface_only) {
    if (!has_openvdb()) GTEST_SKIP() << "built without OpenVDB";
    const ScratchFolder folder;
    const GridField field = torus();
    write_grid_file(field, folder / "a.vdb");
    GridReadOptions options;
    options.error = 1e-6;
    const GridField found = read_grid_file(folder / "a.vdb", options).field;
    EXPECT_LT(found.near_error_bound(), 1.1 * field.layout().cell);
    EXPECT_EQ(found.error_bound(), HUGE_VAL);
    EXPECT_GT(found.data().band, 2 * field.layout().cell);
}

TEST(Vdb, damaged_files_end_in_an_error_or_a_field) {
    if (!has_openvdb()) GTEST_SKIP() << "built without OpenVDB";
    const ScratchFolder folder;
    write_grid_file(torus(), folder / "a.vdb");
    const Bytes bytes = read_whole_file(folder / "a.vdb");
    const std::string whole(reinterpret_cast<const char*>(bytes.span().data()), bytes.size());
    Random random(3);
    std::size_t refused = 0;
    for (std::size_t k = 1; k < 40; ++k) {
        std::string damaged = whole.substr(0, k < 16 ? whole.size() * k / 16 : whole.size());
        if (k >= 16)
            for (int n = 0; n < 4; ++n)
                damaged[random.below(k % 2 == 0 ? 1000 : damaged.size())] = static_cast<char>(random.bits());
        try {
            static_cast<void>(read_grid_file(folder.write("b.vdb", damaged)));
        } catch (const Error& error) {
            EXPECT_FALSE(error.place().file.empty());
            ++refused;
        }
    }
    EXPECT_GE(refused, 15u);
}

} // namespace vdb_test
} // namespace fathom
