// Damaged and hostile files: an Error or a mesh with a report, and nothing else; within 20 times the size of the file +
// 64 MB.
#include <fathom/base/file.h>
#include <fathom/base/isolate.h>
#include <fathom/base/random.h>
#include <fathom/geometry/io/mesh_file.h>
#include <support/models.h>
#include <support/sources.h>
#include <support/test_counts.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace fathom {
namespace hostile_files_test {

namespace fs = std::filesystem;
using testing::bytes_of;

enum Outcome : std::size_t { read_well, refused, exhausted, outcome_count };

Outcome outcome_of(std::span<const std::byte> bytes, const std::string& name) {
    try {
        const MeshFile file = read_mesh(bytes, name);
        check(file.surface);
        return file.report.format.empty() ? exhausted : read_well;
    } catch (const Error& error) {
        const bool out_of_memory = error.reason().find("not enough memory") != std::string::npos;
        return out_of_memory || error.reason().empty() ? exhausted : refused;
    }
}

using Counts = std::array<std::size_t, outcome_count>;

// Reads all variants in a child process with limited memory; any failure there fails the test.
Counts counts_in_child(const std::string& name, std::size_t size, const std::function<void(Counts&)>& run) {
    const IsolateResult result = run_isolated(
        [&] {
            Counts counts{};
            run(counts);
            const auto raw = std::as_bytes(std::span(counts));
            return std::vector<std::byte>(raw.begin(), raw.end());
        },
        {.memory = 19 * size + (64 << 20), .seconds = 300}); // the bytes themselves are there already
    EXPECT_EQ(result.status, IsolateStatus::finished) << name << ": " << result.reason;
    Counts counts{};
    if (result.bytes.size() == sizeof(counts)) std::memcpy(counts.data(), result.bytes.data(), sizeof(counts));
    EXPECT_EQ(counts[exhausted], 0u) << name;
    return counts;
}

void read_variants(std::span<const std::byte> whole, const std::string& name, std::uint64_t seed, Counts& counts) {
    for (std::size_t k = 0; k <= 16; ++k) ++counts[outcome_of(whole.first(whole.size() * k / 16), name)];
    Random random(7, seed);
    std::vector<std::byte> damaged(whole.begin(), whole.end());
    const std::size_t flips = whole.empty() ? 0 : testing::count_of(12, 400);
    for (std::size_t k = 0; k < flips; ++k) {
        std::vector<std::pair<std::size_t, std::byte>> undo;
        for (std::size_t n = 1 + random.below(8); n > 0; --n) {
            const std::size_t at = random.below(k % 3 == 0 ? std::min<std::size_t>(whole.size(), 400) : whole.size());
            undo.emplace_back(at, damaged[at]);
            damaged[at] = random.chance(0.5) ? damaged[at] ^ static_cast<std::byte>(1u << random.below(8))
                                             : static_cast<std::byte>(random.bits());
        }
        ++counts[outcome_of(damaged, name)];
        for (auto change = undo.rbegin(); change != undo.rend(); ++change) damaged[change->first] = change->second;
    }
}

TEST(HostileFiles, every_bad_file_its_cuts_and_its_flips_end_in_a_mesh_or_an_error) {
    FATHOM_NEEDS_MODELS();
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(testing::models() / "bad")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    ASSERT_GT(files.size(), 40u);
    Counts total{};
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Bytes bytes = read_whole_file(files[i]);
        const std::string name = files[i].string();
        const Counts counts =
            counts_in_child(name, bytes.size(), [&](Counts& c) { read_variants(bytes.span(), name, i, c); });
        for (std::size_t k = 0; k < outcome_count; ++k) total[k] += counts[k];
    }
    const std::size_t runs = total[read_well] + total[refused];
    EXPECT_GT(total[read_well], runs / 10);
    EXPECT_GT(total[refused], runs / 10);
}

struct Hostile {
    const char* name;
    std::string content;
};

std::string repeated(std::string_view head, std::string_view piece, std::size_t size, std::string_view tail = {}) {
    std::string text(head);
    text.reserve(size + tail.size() + piece.size());
    while (text.size() < size) text.append(piece);
    return text.append(tail);
}

// What makes the most memory, or work, of the fewest bytes.
std::vector<Hostile> greedy_files(std::size_t size) {
    const std::string plane = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    const std::string ply_vertices = "property uchar x\nproperty uchar y\nproperty uchar z\n";
    // Faces of 255 corners of a byte each, which name `different` vertices in turn.
    const auto byte_faces = [&](std::size_t rows, int different) {
        std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex 4\n" + ply_vertices + "element face ";
        bytes += std::to_string(rows) + "\nproperty list uchar uchar vertex_indices\nend_header\n";
        bytes.append({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
        for (std::size_t i = 0; i < rows; ++i) {
            bytes.push_back('\xff');
            for (int k = 0; k < 255; ++k) bytes.push_back(static_cast<char>(k % different));
        }
        return bytes;
    };
    const std::size_t points = size / 3;
    std::string byte_vertices = "ply\nformat binary_big_endian 1.0\nelement vertex " + std::to_string(points) + "\n" +
                                ply_vertices + "end_header\n";
    byte_vertices.append(3 * points, '\1');
    return {
        {"vertices.obj", repeated("", "v 0 0 0\n", size)},
        {"triangles.obj", repeated(plane, "f 1 2 3\n", size)},
        {"quads.obj", repeated(plane, "f 1 2 3 4\n", size)},
        {"polygons.obj", repeated(plane, "f 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", size)},
        {"crossing.obj", repeated(plane, "f 1 2 3 4 1 3 2 4 3 1 4 2 1 2 3 4 2 4 1 3\n", size / 8)},
        {"polygon.obj", repeated(plane + "f", " 1 2 3 4", size)},
        {"polygon_of_bound.obj", repeated(plane + "f", " 1 2 4 3", 2 << 20)},
        {"continued.obj", repeated(plane + "f 1", " \\\n", size)},
        {"unknown.obj", repeated(plane, "?\n", size)},
        {"blank.obj", repeated(plane, "\n", size)},
        {"faces.ply", byte_faces(size / 256, 1)},
        {"crossing.ply", byte_faces(size / 2048, 4)},
        {"vertices.ply", byte_vertices},
        {"comments.ply", repeated("ply\n", "comment\n", size)},
        {"elements.ply", repeated("ply\nformat ascii 1.0\n", "element a 0\n", size)},
        {"properties.ply", repeated("ply\nformat ascii 1.0\nelement a 1\n", "property char a\n", size)},
        {"empty_lists.ply", repeated("ply\nformat ascii 1.0\nelement vertex 1\nproperty char x\nproperty char "
                                     "y\nproperty char z\nelement face 1000\n"
                                     "property list uchar int vertex_indices\nend_header\n0 0 0\n",
                                     "0\n", size)},
        {"facets.stl", repeated("solid\nfacet\nouter loop\n", "vertex 0 0 0\n", size, "endloop\nendfacet\nendsolid\n")},
        {"blank.off", repeated("OFF 1 0 0\n", "\n", size)},
        {"deep.gltf", repeated("{\"asset\":", "[", size)},
        {"arrays.gltf", repeated("{\"asset\":[", "[],", size, "0]}")},
        {"objects.gltf", repeated("{\"asset\":[", "{},", size, "0]}")},
        {"numbers.gltf", repeated("{\"asset\":[", "1,", size, "0]}")},
        {"texts.gltf", repeated("{\"asset\":[", "\"\",", size, "0]}")},
        {"keys.gltf", repeated("{\"asset\":{", "\"\":1,", size, "\"a\":0}}")}};
}

TEST(HostileFiles, no_content_takes_more_than_20_times_its_size_and_64_MB) {
    Counts total{};
    for (const Hostile& file : greedy_files(testing::count_of(6 << 20, 60 << 20))) {
        const Counts counts = counts_in_child(file.name, file.content.size(),
                                              [&](Counts& c) { ++c[outcome_of(bytes_of(file.content), file.name)]; });
        for (std::size_t k = 0; k < outcome_count; ++k) total[k] += counts[k];
    }
    EXPECT_GT(total[read_well], 5u);
    EXPECT_GT(total[refused], 5u);
}

TEST(HostileFiles, random_bytes_of_any_name_end_in_an_error) {
    Random random(3);
    for (const char* name :
         {"a.obj", "a.stl", "a.ply", "a.off", "a.glb", "a.gltf", "a.gz", "a.msh", "a.vtk", "a.vtu", "a.mesh", "a"})
        for (std::size_t i = 0; i < testing::count_of(30, 1000); ++i) {
            std::vector<std::byte> bytes(1 + random.below(300));
            for (std::byte& b : bytes) b = static_cast<std::byte>(i % 2 == 0 ? random.bits() : ' ' + random.below(95));
            EXPECT_NE(outcome_of(bytes, name), exhausted);
        }
}

} // namespace hostile_files_test
} // namespace fathom
