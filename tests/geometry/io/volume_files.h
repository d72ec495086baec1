// Helpers for the tests of volume formats: real files, files of other programs, damaged files, and the Error that a
// reader throws.
#pragma once

#include <fathom/base/random.h>
#include <fathom/geometry/io/formats.h>
#include <support/models.h>
#include <support/sources.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

namespace fathom::testing {

[[nodiscard]] inline std::string load(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream.good()) << path;
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

[[nodiscard]] inline std::filesystem::path corpus(const std::string& target) {
    return std::filesystem::path(FATHOM_SOURCE_DIR) / "tests/fuzz/corpus" / target;
}

// The files of a corpus whose name starts so, in order.
[[nodiscard]] inline std::vector<std::filesystem::path> corpus_files(const std::string& target,
                                                                     const std::string& start) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(corpus(target)))
        if (entry.path().filename().string().starts_with(start)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

using Reader = std::function<MeshFile(const Source&)>;

[[nodiscard]] inline std::optional<Error> error_from(const Reader& read, std::string_view text) {
    try {
        (void)read(source_of(text));
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

inline void expect_cause(const Reader& read, std::string_view text, Cause cause, std::string_view words = {}) {
    const std::optional<Error> error = error_from(read, text);
    ASSERT_TRUE(error.has_value()) << "no error, expected " << name(cause) << " for:\n" << text.substr(0, 400);
    EXPECT_EQ(name(error->cause()), name(cause)) << error->what();
    EXPECT_NE(std::string_view(error->what()).find(words), std::string_view::npos) << error->what();
}

// `text` with the first `from` replaced, which must be there.
[[nodiscard]] inline std::string with(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
}

[[nodiscard]] inline double volume(const TetMesh& mesh) {
    double sum = 0;
    for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) sum += signed_volume(mesh.corners(i));
    return sum;
}

[[nodiscard]] inline bool has_note(const MeshFile& file, std::string_view words) {
    return std::any_of(file.report.notes.begin(), file.report.notes.end(),
                       [&](const std::string& note) { return note.find(words) != note.npos; });
}

// The sheared cube that every file of the corpora written by other programs holds: five tetrahedra, one of them
// inverted, a triangle, a quadrilateral and, except for Medit by meshio, a line.
inline void expect_sheared_cube(const MeshFile& file) {
    ASSERT_EQ(file.volume.vertices.size(), 8u);
    ASSERT_EQ(file.volume.tetrahedra.size(), 5u);
    EXPECT_EQ(file.surface.vertices, file.volume.vertices);
    EXPECT_EQ(file.surface.triangles.size(), 3u);
    EXPECT_EQ(file.report.polygons, 1u);
    EXPECT_EQ(file.report.flipped_tetrahedra, 1u);
    EXPECT_DOUBLE_EQ(volume(file.volume), 0.75);
    EXPECT_EQ(boundary(file.volume).triangles.size(), 12u);
    const std::array<Vec3, 4> first = file.volume.corners(0);
    EXPECT_EQ(first[1], Vec3(1, 0, 0));
    EXPECT_EQ(first[2], Vec3(1.125, 0.5, 0));
    EXPECT_EQ(first[3], Vec3(1, 0, 1.5));
}

// Positive tetrahedra on random vertices with full mantissas, some of them of extreme size; one vertex is unused.
[[nodiscard]] inline TetMesh random_tets(std::uint64_t seed, std::size_t count) {
    Random random(seed);
    TetMesh mesh;
    const std::array<double, 5> scales = {1e-300, 1e-3, 1, 1e3, 1e200};
    for (std::size_t i = 0; i < count + 4; ++i) {
        const double scale = i < 5 ? scales[i] : 1;
        mesh.vertices.push_back(scale * random.in_ball());
    }
    for (std::size_t i = 0; i < count; ++i) {
        Tetrahedron t;
        for (Index& v : t) v = static_cast<Index>(random.below(mesh.vertices.size() - 1));
        mesh.tetrahedra.push_back(t);
    }
    (void)orient(mesh);
    return mesh;
}

inline void expect_exact_round_trip(const Reader& read, const std::function<std::string(const TetMesh&)>& write) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{20000}}) {
        const TetMesh mesh = random_tets(count, count);
        const MeshFile file = read(source_of(write(mesh)));
        EXPECT_EQ(file.volume, mesh) << count;
        EXPECT_TRUE(file.surface.triangles.empty());
        EXPECT_EQ(file.report.flipped_tetrahedra, 0u);
    }
}

// Truncations at every 1/16 of the length and seeded byte flips: an Error or a sound mesh, nothing else.
inline void expect_survives_damage(const Reader& read, const std::string& whole) {
    const auto attempt = [&](const std::string& text) {
        try {
            const MeshFile file = read(source_of(text));
            check(file.surface);
            check(file.volume);
            return true;
        } catch (const Error& error) {
            EXPECT_FALSE(error.reason().empty());
            return false;
        }
    };
    EXPECT_TRUE(attempt(whole));
    for (std::size_t k = 0; k < 16; ++k) (void)attempt(whole.substr(0, whole.size() * k / 16));
    Random random(7, whole.size());
    const std::size_t rounds = count_of(20, 1000);
    std::size_t refused = 0;
    for (std::size_t k = 0; k < rounds; ++k) {
        std::string damaged = whole;
        const std::size_t flips = 1 + random.below(8);
        for (std::size_t i = 0; i < flips; ++i)
            damaged[random.below(damaged.size())] = static_cast<char>(random.bits());
        if (!attempt(damaged)) ++refused;
    }
    EXPECT_GT(refused, 0u);
}

struct RealMesh {
    std::string file;
    std::string format;
    std::size_t vertices, tetrahedra, boundary, flipped;
};

inline void expect_counts(const MeshFile& file, const RealMesh& real) {
    EXPECT_EQ(file.report.format, real.format) << real.file;
    EXPECT_EQ(file.volume.vertices.size(), real.vertices) << real.file;
    EXPECT_EQ(file.volume.tetrahedra.size(), real.tetrahedra) << real.file;
    EXPECT_EQ(boundary(file.volume).triangles.size(), real.boundary) << real.file;
    EXPECT_EQ(file.report.flipped_tetrahedra, real.flipped) << real.file;
}

} // namespace fathom::testing
