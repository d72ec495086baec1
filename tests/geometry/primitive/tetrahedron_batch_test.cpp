#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#include <index/simd_targets.h>
#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace tetrahedron_batch_test {

using namespace fathom::testing;

// Pairs of tetrahedra that share nothing by index.
struct Batch {
    TetMesh a, b;
    std::vector<IdPair> pairs;

    static void put(TetMesh& mesh, const std::array<Vec3, 4>& corners) {
        const auto first = static_cast<Index>(mesh.vertices.size());
        mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
        mesh.tetrahedra.push_back({first, first + 1, first + 2, first + 3});
    }
    void add(const std::array<Vec3, 4>& first, const std::array<Vec3, 4>& second) {
        put(a, first);
        put(b, second);
        pairs.push_back({static_cast<Index>(pairs.size()), static_cast<Index>(pairs.size())});
    }
    [[nodiscard]] std::vector<std::uint8_t> answers() const {
        std::vector<std::uint8_t> out(pairs.size(), 7);
        tetrahedra_overlap({a.vertices, a.tetrahedra}, {b.vertices, b.tetrahedra}, pairs, out);
        return out;
    }
};

TEST(TetrahedronBatch, answers_as_the_exact_test_does_for_every_family_of_pairs) {
    const std::size_t count = count_of(20000, 1000000 / 9), part = 20000;
    for (const Family family : all_families) {
        SimplexPairs source(31, static_cast<std::uint64_t>(family));
        std::size_t wrong = 0, hits = 0;
        for (std::size_t done = 0; done < count; done += part) {
            Batch batch;
            for (std::size_t k = 0; k < part; ++k) {
                const auto [a, b] = source.make<4>(family);
                batch.add(a, b);
            }
            const auto found = batch.answers();
            for (std::size_t k = 0; k < part; ++k) {
                const bool truth = tetrahedra_overlap_exact(batch.a.corners(k), batch.b.corners(k));
                wrong += found[k] != (truth ? 1 : 0);
                hits += truth;
            }
        }
        const double rate = static_cast<double>(hits) / static_cast<double>((count + part - 1) / part * part);
        EXPECT_EQ(wrong, 0u) << family_names[static_cast<std::size_t>(family)];
        EXPECT_GT(rate, 0.05);
        EXPECT_LT(rate, 0.95);
    }
}

TEST(TetrahedronBatch, near_misses_and_shallow_overlaps_are_distinguished) {
    // b moved along the face normal of a by ever smaller steps: the floats must give up before they err.
    SimplexPairs source(32);
    Batch batch;
    for (std::size_t k = 0; k < count_of(20000, 400000); ++k) {
        const auto [a, b] = source.make<4>(k % 2 ? Family::touching_edge : Family::touching_corner);
        const double size = (a[1] - a[0]).norm() * std::pow(10.0, -source.random().uniform(1, 12));
        const Vec3 step = size * source.random().direction();
        batch.add(a, {b[0] + step, b[1] + step, b[2] + step, b[3] + step});
    }
    const auto found = batch.answers();
    std::size_t wrong = 0, hits = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        const bool truth = tetrahedra_overlap_exact(batch.a.corners(k), batch.b.corners(k));
        wrong += found[k] != (truth ? 1 : 0);
        hits += truth;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(hits, found.size() / 5);
    EXPECT_LT(hits, found.size() * 4 / 5);
}

TEST(TetrahedronBatch, every_instruction_set_and_thread_count_gives_the_same_answers) {
    SimplexPairs source(33);
    Batch batch;
    for (std::size_t k = 0; k < 5003; ++k) {
        const auto [a, b] = source.make<4>(all_families[k % all_families.size()]);
        batch.add(a, b);
    }
    const auto first = batch.answers();
    for_each_simd_target([&](const char* target) { EXPECT_EQ(batch.answers(), first) << target; });
    for (const std::size_t threads : {1, 2}) {
        set_thread_count(threads);
        EXPECT_EQ(batch.answers(), first);
    }
    set_thread_count(0);
    std::size_t kept = 0;
    for (const auto answer : first) kept += answer;
    EXPECT_EQ(overlapping_tetrahedra({batch.a.vertices, batch.a.tetrahedra}, {batch.b.vertices, batch.b.tetrahedra},
                                     batch.pairs)
                  .size(),
              kept);
}

TEST(TetrahedronBatch, survives_numbers_of_any_size_and_none) {
    const std::array<Vec3, 4> unit = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    const auto moved = [&](double scale, const Vec3& shift) {
        std::array<Vec3, 4> t = unit;
        for (Vec3& p : t) p = scale * p + shift;
        return t;
    };
    for (const double scale : {0x1p-1040, 0x1p-500, 0x1p-30, 0x1p30, 0x1p500, 0x1p1000}) {
        Batch batch;
        batch.add(moved(scale, Vec3::Zero()), moved(scale * 0.25, scale * Vec3::Constant(0.125)));
        batch.add(moved(scale, Vec3::Zero()), moved(scale, scale * Vec3::Constant(0.5)));
        EXPECT_EQ(batch.answers(), (std::vector<std::uint8_t>{1, 0})) << scale;
    }
    Batch batch;
    batch.add(unit, moved(std::numeric_limits<double>::quiet_NaN(), Vec3::Zero()));
    batch.add(moved(1, Vec3::Constant(std::numeric_limits<double>::infinity())), unit);
    EXPECT_EQ(batch.answers().size(), 2u);
    EXPECT_TRUE(Batch().answers().empty());
    std::vector<std::uint8_t> too_short(1);
    EXPECT_THROW(tetrahedra_overlap({batch.a.vertices, batch.a.tetrahedra}, {batch.b.vertices, batch.b.tetrahedra},
                                    batch.pairs, too_short),
                 Error);
}

} // namespace tetrahedron_batch_test
} // namespace fathom
