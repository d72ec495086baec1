// Collects the faces of a mesh file for the readers: triangulates polygons, counts skipped faces, and merges equal
// positions. Memory for triangles is bounded by what the remaining bytes of the file can contain.
#pragma once

#include <fathom/base/vec.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/triangulate.h>

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace fathom {

// Hash table that merges equal positions while a file without indices is read; the first of them becomes the vertex.
// Open addressing with a randomly seeded hash, so that a file with deliberate collisions cannot be prepared. The result
// does not depend on the seed. O(1) per position; 8 to 16 bytes per vertex in addition to the vertices.
class PositionIndex {
public:
    // `vertices` must be empty, and only this object may add to it.
    explicit PositionIndex(std::vector<Vec3>& vertices) : vertices_(vertices), slots_(1024, no_index) {
        std::random_device entropy;
        seed_ = (std::uint64_t{entropy()} << 32) | entropy();
    }

    // The vertex at this position (-0 equals 0). It is appended if there is none.
    [[nodiscard]] Index find_or_add(const Vec3& p) {
        if (2 * vertices_.size() >= slots_.size()) grow();
        const std::size_t slot = slot_of(p);
        if (slots_[slot] == no_index) {
            slots_[slot] = static_cast<Index>(vertices_.size());
            vertices_.push_back(p);
        }
        return slots_[slot];
    }

private:
    [[nodiscard]] std::size_t slot_of(const Vec3& p) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = static_cast<std::size_t>(hash(p)) & mask;
        while (slots_[slot] != no_index && vertices_[slots_[slot]] != p) slot = (slot + 1) & mask;
        return slot;
    }

    // Multiplies and folds the high half onto the low half, one coordinate at a time.
    [[nodiscard]] std::uint64_t hash(const Vec3& p) const {
        std::uint64_t h = seed_;
        for (int k = 0; k < 3; ++k) {
            const std::uint64_t bits = std::bit_cast<std::uint64_t>(p[k] + 0.0); // -0 + 0 is 0
            h = (h ^ bits ^ (bits >> 29)) * 0x9e3779b97f4a7c15ull;
            h ^= h >> 32;
        }
        return h;
    }

    void grow() {
        std::vector<Index> old(2 * slots_.size(), no_index);
        old.swap(slots_);
        for (const Index vertex : old)
            if (vertex != no_index) slots_[slot_of(vertices_[vertex])] = vertex;
    }

    std::vector<Vec3>& vertices_;
    std::uint64_t seed_ = 0;
    std::vector<Index> slots_; // the size is a power of two; at most half of the slots are used
};

class FaceCollector {
public:
    // The vertices of `file` must be complete. A corner takes at least `corner_bytes` bytes of the source.
    FaceCollector(MeshFile& file, std::size_t corner_bytes) : file_(file), corner_bytes_(corner_bytes) {}

    // The corners must be valid vertex indices. The remaining `bytes_left` bytes of the source may contain more faces.
    void add(std::span<const Index> corners, std::size_t bytes_left) {
        if (corners.size() < 3) {
            ++file_.report.skipped_faces;
            return;
        }
        make_room(corners.size() - 2, bytes_left);
        if (corners.size() == 3) {
            file_.surface.triangles.push_back({corners[0], corners[1], corners[2]});
        } else {
            ++file_.report.polygons;
            if (!triangulator_.triangulate(file_.surface.vertices, corners, file_.surface.triangles)) ++unclean_;
        }
    }

    // To be called at the end of the file: adds notes to the report.
    void finish() {
        ReadReport& report = file_.report;
        if (report.skipped_faces > 0)
            report.notes.push_back(
                fmt::format("skipped {} lines, points and faces with fewer than three corners", report.skipped_faces));
        if (unclean_ > 0)
            report.notes.push_back(
                fmt::format("{} polygons intersect themselves or are too complex; their triangles overlap", unclean_));
    }

private:
    // Doubling alone could allocate three times the memory needed; the rest of the file bounds the allocation.
    void make_room(std::size_t count, std::size_t bytes_left) {
        std::vector<Triangle>& triangles = file_.surface.triangles;
        const std::size_t needed = triangles.size() + count;
        if (needed <= triangles.capacity()) return;
        triangles.reserve(std::max(needed, std::min(2 * triangles.capacity(), needed + bytes_left / corner_bytes_)));
    }

    MeshFile& file_;
    std::size_t corner_bytes_;
    PolygonTriangulator triangulator_;
    std::size_t unclean_ = 0;
};

} // namespace fathom
