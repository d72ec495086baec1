// Finds what parts at stretched springs.
#include <fathom/simulate/tets/spring_strain.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <unordered_set>

namespace fathom {

namespace {

struct Tension {
    double sum = 0;
    Vec3 direction = Vec3::Zero();
};

Tension tension_of(const SpringNetwork& network, const SpringState& state, std::span<const Index> springs) {
    Mat3 sum = Mat3::Zero();
    for (const Index s : springs) {
        const Spring& spring = network.springs[s];
        const double pull = strain(spring, state);
        const Vec3 along = (state.positions[spring.points[1]] - state.positions[spring.points[0]]).stableNormalized();
        if (pull > 0) sum += pull * along * along.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(sum);
    return {sum.trace(), solver.eigenvectors().col(2)};
}

} // namespace

double strain(const Spring& spring, const SpringState& state) {
    if (spring.kind != SpringKind::edge || !(spring.rest > 0)) return 0;
    return (state.positions[spring.points[1]] - state.positions[spring.points[0]]).norm() / spring.rest - 1;
}

void note(Strained& list, double strain, Index element, double limit, BreakReport& report) {
    report.largest_strain = std::max(report.largest_strain, strain);
    if (!(strain > limit)) return;
    list.emplace_back(-strain, element);
    ++report.stretched;
}

std::vector<Index> parted_at_springs(const SpringNetwork& network, const SpringState& state, double limit,
                                     std::size_t most, CallableRef<std::vector<Index>(Index)> springs_at,
                                     CallableRef<std::vector<Index>(Index, const Vec3&)> across, BreakReport& report) {
    // At the end that is pulled more, or at the other where that frees nothing.
    const auto freeing = [&](Index a, Index b) {
        Tension at_a = tension_of(network, state, springs_at(a)), at_b = tension_of(network, state, springs_at(b));
        if (at_a.sum < at_b.sum) std::swap(a, b), std::swap(at_a, at_b);
        std::vector<Index> found = across(a, at_a.direction);
        return found.empty() ? across(b, at_b.direction) : found;
    };
    Strained stretched;
    for (Index s = 0; s < network.springs.size(); ++s)
        note(stretched, strain(network.springs[s], state), s, limit, report);
    std::make_heap(stretched.begin(), stretched.end(),
                   std::greater<>{}); // the first few are all that is asked for, often
    std::unordered_set<Index> done;
    std::vector<Index> all;
    for (auto last = stretched.end(); last != stretched.begin() && report.broken < most;) {
        std::pop_heap(stretched.begin(), last--, std::greater<>{});
        const auto [a, b] = network.springs[last->second].points;
        if (done.contains(a) || done.contains(b)) continue;
        const std::vector<Index> found = freeing(a, b);
        report.held += found.empty();
        if (found.empty()) continue;
        done.insert({a, b});
        all.insert(all.end(), found.begin(), found.end());
        ++report.broken;
    }
    return all;
}

} // namespace fathom
