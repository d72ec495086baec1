// Reads files of continuous collision queries with known truth: eight rows a query, the corners at the start and then
// at the end of the step, each coordinate as numerator and denominator (powers of two: the quotient is exact), and the
// truth.
#pragma once

#include <fathom/geometry/primitive/continuous_contact.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fathom::testing {

template <class Step>
struct KnownStep {
    Step step;
    bool truth;
};

inline VertexFaceStep vertex_face(const std::array<Vec3, 8>& p) {
    return {p[0], {p[1], p[2], p[3]}, p[4], {p[5], p[6], p[7]}};
}
inline EdgeEdgeStep edge_edge(const std::array<Vec3, 8>& p) {
    return {{p[0], p[1]}, {p[2], p[3]}, {p[4], p[5]}, {p[6], p[7]}};
}

inline bool read_row(std::istream& file, Vec3& point, bool& truth) {
    std::string line;
    if (!std::getline(file, line)) return false;
    char* at = line.data();
    for (int k = 0; k < 3; ++k) {
        const double numerator = std::strtod(at, &at);
        const double denominator = std::strtod(at + 1, &at);
        point[k] = numerator / denominator;
        ++at;
    }
    truth = std::strtol(at, &at, 10) != 0;
    return true;
}

template <class Step>
std::vector<KnownStep<Step>> read_steps(const std::filesystem::path& path, Step (*make)(const std::array<Vec3, 8>&)) {
    std::ifstream file(path);
    std::vector<KnownStep<Step>> steps;
    std::array<Vec3, 8> rows;
    bool truth = false;
    for (;;) {
        for (Vec3& row : rows)
            if (!read_row(file, row, truth)) return steps;
        steps.push_back({make(rows), truth});
    }
}

struct KnownSteps {
    std::vector<KnownStep<VertexFaceStep>> vertex_face;
    std::vector<KnownStep<EdgeEdgeStep>> edge_edge;
};

// All files below a folder, in the order of their names.
inline KnownSteps read_known_steps(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".csv") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    KnownSteps all;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (const auto& path : paths) {
        if (path.parent_path().filename() == "vertex-face") append(all.vertex_face, read_steps(path, vertex_face));
        if (path.parent_path().filename() == "edge-edge") append(all.edge_edge, read_steps(path, edge_edge));
    }
    return all;
}

} // namespace fathom::testing
