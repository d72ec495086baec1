// Highest frequencies of a network, by Lanczos steps.
#include <fathom/simulate/springs/spring_stability.h>

#include <fathom/base/random.h>
#include <fathom/simulate/springs/spring_matrix.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fathom {

namespace {

constexpr std::size_t lanczos_steps = 64;

double inner_product(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k].dot(b[k]);
    return sum;
}

// A matrix of the network, scaled by square roots of inverse masses; 0 for points that cannot move.
struct Scaled {
    const SpringNetwork& network;
    const SpringBlocks& blocks;
    std::span<const Vec3> positions;
    MatrixFactors factors;
    std::vector<double> roots;
    std::vector<Vec3> scratch;

    Scaled(const SpringNetwork& net, const SpringBlocks& pieces, std::span<const Vec3> x)
        : network(net), blocks(pieces), positions(x), roots(net.size()), scratch(net.size()) {
        for (Index k = 0; k < network.size(); ++k) roots[k] = std::sqrt(network.inverse_mass(k));
    }
    void operator()(std::span<const Vec3> in, std::span<Vec3> out) {
        for (std::size_t k = 0; k < in.size(); ++k) scratch[k] = roots[k] * in[k];
        spring_product(network, blocks, positions, factors, scratch, out);
        for (std::size_t k = 0; k < in.size(); ++k) out[k] *= roots[k];
    }
};

std::vector<Vec3> start_vector(std::span<const double> roots) {
    Random random(1);
    std::vector<Vec3> start(roots.size(), Vec3::Zero());
    for (std::size_t k = 0; k < start.size(); ++k)
        if (roots[k] > 0) start[k] = random.direction();
    return start;
}

struct Ritz {
    double value = 0, residual = 0;
};

// The highest eigenvalue of the tridiagonal matrix of the steps so far; `side` has one entry more than the matrix.
Ritz highest(std::vector<double>& diagonal, std::vector<double>& side) {
    const auto count = static_cast<Eigen::Index>(diagonal.size());
    if (count == 0) return {};
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> small;
    small.computeFromTridiagonal(Eigen::Map<Eigen::VectorXd>(diagonal.data(), count),
                                 Eigen::Map<Eigen::VectorXd>(side.data(), count - 1));
    return {small.eigenvalues()[count - 1], side.back() * std::abs(small.eigenvectors()(count - 1, count - 1))};
}

double highest_eigenvalue(Scaled& scaled) {
    std::vector<Vec3> now = start_vector(scaled.roots), before(now.size(), Vec3::Zero()), next(now.size());
    std::vector<double> diagonal, side;
    double length = std::sqrt(inner_product(now, now));
    while (diagonal.size() < lanczos_steps && length > 0) {
        for (Vec3& v : now) v /= length;
        scaled(now, next);
        diagonal.push_back(inner_product(now, next));
        const double back = side.empty() ? 0 : side.back();
        for (std::size_t k = 0; k < now.size(); ++k) next[k] -= diagonal.back() * now[k] + back * before[k];
        length = std::sqrt(inner_product(next, next));
        if (length <= 1e-10 * std::abs(diagonal.front())) length = 0; // the vectors span the whole space
        side.push_back(length);
        std::swap(before, now);
        std::swap(now, next);
        if (diagonal.size() % 8 != 0) continue;
        if (const Ritz ritz = highest(diagonal, side); ritz.residual < 2e-3 * ritz.value) break;
    }
    const Ritz ritz = highest(diagonal, side);
    return std::max(0.0, ritz.value + ritz.residual);
}

// Sub-network of some points and those that share an element with them.
class Surroundings {
public:
    Surroundings(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions)
        : network_(network), blocks_(blocks), positions_(positions), is_free_(network.size(), 0),
          number_(network.size(), no_index) {}

    void release(std::span<const Index> points) {
        for (const Index p : points)
            if (!std::exchange(is_free_[p], 1)) free_.push_back(p);
    }
    [[nodiscard]] std::vector<Index> neighbours() const {
        std::vector<Index> found;
        visit([&](const auto& element, auto) {
            found.insert(found.end(), element.points.begin(), element.points.end());
        });
        return found;
    }
    // The points that were not released are fixed.
    [[nodiscard]] std::vector<Vec3> cut_out(SpringNetwork& part) {
        std::vector<Vec3> places;
        visit([&](auto element, auto list) {
            for (Index& p : element.points) {
                if (number_[p] == no_index) add(p, part, places);
                p = number_[p];
            }
            (part.*list).push_back(element);
        });
        return places;
    }

private:
    void add(Index p, SpringNetwork& part, std::vector<Vec3>& places) {
        number_[p] = static_cast<Index>(part.size());
        part.points.push_back(network_.points[p]);
        part.masses.push_back(network_.masses[p]);
        part.fixed.push_back(!is_free_[p] || network_.fixed[p]);
        part.part.push_back(0);
        places.push_back(positions_[p]);
    }
    // Visits every element with a free point, once.
    void visit(const auto& visitor) const {
        std::vector<Index> touched;
        for (const Index p : free_) touched.push_back(blocks_.block_of(p));
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const Index b : touched) {
            visit_block(b, blocks_.springs[b], &SpringNetwork::springs, visitor);
            visit_block(b, blocks_.areas[b], &SpringNetwork::areas, visitor);
            visit_block(b, blocks_.volumes[b], &SpringNetwork::volumes, visitor);
        }
    }
    void visit_block(Index b, std::span<const Index> chosen, auto list, const auto& visitor) const {
        const BlockRange range = block_range(blocks_, b);
        for (const Index e : chosen) {
            const auto& points = (network_.*list)[e].points;
            const auto first = std::find_if(points.begin(), points.end(), [&](Index p) { return is_free_[p] != 0; });
            if (first != points.end() && range.has(*first)) visitor((network_.*list)[e], list);
        }
    }

    const SpringNetwork& network_;
    const SpringBlocks& blocks_;
    std::span<const Vec3> positions_;
    std::vector<char> is_free_;
    std::vector<Index> free_, number_;
};

} // namespace

double StiffnessBounds::largest_stable_step() const {
    const double root = std::sqrt(damping * damping + 4 * frequency * frequency);
    return root > 0 ? 4 / (damping + root) : std::numeric_limits<double>::infinity();
}

StiffnessBounds stiffness_bounds(const SpringNetwork& network, const SpringBlocks& blocks,
                                 std::span<const Vec3> positions) {
    Scaled scaled(network, blocks, positions);
    StiffnessBounds bounds;
    scaled.factors = {.stiffness = 1};
    bounds.frequency = std::sqrt(highest_eigenvalue(scaled));
    const bool damped =
        std::any_of(network.springs.begin(), network.springs.end(), [](const Spring& s) { return s.damping > 0; });
    scaled.factors = {.damping = 1};
    if (damped) bounds.damping = highest_eigenvalue(scaled);
    return bounds;
}

StiffnessBounds stiffness_bounds_round(std::span<const Index> points, const SpringNetwork& network,
                                       const SpringBlocks& blocks, std::span<const Vec3> positions) {
    Surroundings round(network, blocks, positions);
    round.release(points);
    round.release(round.neighbours());
    SpringNetwork part;
    const std::vector<Vec3> places = round.cut_out(part);
    return stiffness_bounds(part, SpringBlocks(part), places);
}

double largest_stable_step(const SpringNetwork& network) {
    check(network);
    return stiffness_bounds(network, SpringBlocks(network), network.points).largest_stable_step();
}

} // namespace fathom
