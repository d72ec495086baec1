#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/point_field/cell_roots.h>

#include <gmpxx.h>
#include <gtest/gtest.h>
#include <support/test_counts.h>

#include <vector>

namespace fathom::point_field {
namespace cell_roots_test {

using testing::count_of;
using Polynomial = std::vector<mpq_class>; // coefficient of t^k at k; the last is not 0; none: 0 everywhere

struct Case {
    std::array<double, 8> values;
    double level;
    Vec3 from, to;
};

void trim(Polynomial& p) {
    while (!p.empty() && sgn(p.back()) == 0) p.pop_back();
}

mpq_class value(const Polynomial& p, const mpq_class& t) {
    mpq_class sum = 0;
    for (std::size_t k = p.size(); k-- > 0;) sum = sum * t + p[k];
    return sum;
}

Polynomial times(const Polynomial& p, const mpq_class& a, const mpq_class& b) { // p * (a + b t)
    Polynomial r(p.size() + 1);
    for (std::size_t k = 0; k < p.size(); ++k) {
        r[k] += a * p[k];
        r[k + 1] += b * p[k];
    }
    return r;
}

// The value less the level along the piece: the sum over the corners of weights that are products of three linear
// functions.
Polynomial exact_cubic(const Case& c) {
    Polynomial sum(4);
    for (std::size_t v = 0; v < 8; ++v) {
        Polynomial weight = {mpq_class(c.values[v]) - mpq_class(c.level)};
        for (int k = 0; k < 3; ++k) {
            const mpq_class start = c.from[k], step = mpq_class(c.to[k]) - start;
            weight = v >> k & 1 ? times(weight, start, step) : times(weight, 1 - start, -step);
        }
        for (std::size_t k = 0; k < 4; ++k) sum[k] += weight[k];
    }
    trim(sum);
    return sum;
}

Polynomial minus_remainder(Polynomial a, const Polynomial& b) {
    while (a.size() >= b.size() && !a.empty()) {
        const mpq_class factor = a.back() / b.back();
        const std::size_t shift = a.size() - b.size();
        for (std::size_t k = 0; k < b.size(); ++k) a[k + shift] -= factor * b[k];
        a.back() = 0;
        trim(a);
    }
    for (mpq_class& x : a) x = -x;
    return a;
}

// Sturm: how many distinct roots lie in (low, high], where neither end is a multiple root.
int roots_between(const Polynomial& p, const mpq_class& low, const mpq_class& high) {
    std::vector<Polynomial> chain = {p, {}};
    for (std::size_t k = 1; k < p.size(); ++k) chain[1].push_back(static_cast<unsigned long>(k) * p[k]);
    while (!chain.back().empty()) chain.push_back(minus_remainder(chain[chain.size() - 2], chain.back()));
    const auto changes = [&](const mpq_class& t) {
        int count = 0, last = 0;
        for (const Polynomial& q : chain) {
            const int sign = sgn(value(q, t));
            count += sign * last < 0;
            if (sign != 0) last = sign;
        }
        return count;
    };
    return changes(low) - changes(high);
}

// Above 0 everywhere between two parameters, the ends left out.
bool positive_between(const Polynomial& p, const mpq_class& low, const mpq_class& high) {
    if (p.empty()) return false;
    if (sgn(value(p, (low + high) / 2)) <= 0) return false;
    if (p.size() == 1) return true;
    return roots_between(p, low, high) - (sgn(value(p, high)) == 0) == 0;
}

double scaled(Random& random) { return std::pow(10.0, random.uniform(-3, 3)); }

double coordinate(Random& random, bool lattice) {
    if (lattice) return 0.25 * static_cast<double>(random.below(5));
    return random.chance(0.2) ? static_cast<double>(random.below(2)) : random.uniform();
}

double value_at(const Case& c, double s) {
    const Vec3 f = c.from + s * (c.to - c.from);
    double sum = 0;
    for (std::size_t v = 0; v < 8; ++v) {
        double weight = c.values[v];
        for (int k = 0; k < 3; ++k) weight *= v >> k & 1 ? f[k] : 1 - f[k];
        sum += weight;
    }
    return sum;
}

Case random_case(Random& random) {
    Case c;
    const bool lattice =
        random.chance(0.3); // small whole numbers: flat faces at the level, roots in corners, double roots
    const double scale = lattice ? 1 : scaled(random);
    for (double& v : c.values) v = lattice ? static_cast<double>(random.below(5)) - 2 : scale * random.uniform(-1, 1);
    if (!lattice && random.chance(0.4)) // a plane and a little noise: what distances are like
        for (std::size_t v = 0; v < 8; ++v)
            c.values[v] =
                scale * ((v & 1 ? 0.6 : 0) - (v & 2 ? 0.3 : 0) + (v & 4 ? 0.5 : 0) - 0.2) + 0.02 * c.values[v];
    for (int k = 0; k < 3; ++k) c.from[k] = coordinate(random, lattice), c.to[k] = coordinate(random, lattice);
    c.level = lattice ? static_cast<double>(random.below(3)) - 1 : scale * random.uniform(-1, 1);
    switch (random.below(6)) {
    case 0:
        c.level = value_at(c, 0);
        break; // starts on the surface
    case 1:
        c.to = c.from;
        break; // no length
    case 2: {  // grazes: the level is the least value, within a few units in the last place
        double least = c.level = value_at(c, 0);
        for (int n = 0; n <= 4096; ++n) least = std::min(least, value_at(c, n / 4096.0));
        c.level = least * (1 + (static_cast<double>(random.below(9)) - 4) * 1e-16);
        break;
    }
    default:
        break;
    }
    return c;
}

struct Tally {
    std::size_t cases = 0, touched = 0, several = 0, missed = 0, false_contacts = 0, unlike_first = 0;

    friend Tally operator+(Tally a, const Tally& b) {
        a.cases += b.cases, a.touched += b.touched, a.several += b.several, a.missed += b.missed;
        a.false_contacts += b.false_contacts, a.unlike_first += b.unlike_first;
        return a;
    }
};

void check(const Case& c, Tally& tally) {
    const CellCubic cubic = cell_cubic(c.values, c.level, c.from, c.to);
    const double slack = cubic.rounding();
    const CellContacts found = cell_contacts(cubic, slack);
    const Polynomial exact = exact_cubic(c);
    Polynomial raised = exact; // 3 slack - exact
    raised.resize(4);
    for (mpq_class& x : raised) x = -x;
    raised[0] += 3 * mpq_class(slack) + mpq_class(1e-300);
    trim(raised);
    double end = 0;
    bool missed = false, wrong = false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(found.count); ++k) {
        const auto [low, high] = found.spans[k];
        missed |= low > end && !positive_between(exact, end, low);
        missed |= k == 0 && low > 0 && sgn(value(exact, 0)) <= 0;
        wrong |=
            !(low >= end && high >= low && high <= 1) || sgn(value(raised, low)) <= 0 || sgn(value(raised, high)) <= 0;
        wrong |= high > low && !positive_between(raised, low, high);
        end = high;
    }
    if (found.count == 0) missed = sgn(value(exact, 0)) <= 0;
    missed |= end < 1 && (!positive_between(exact, end, 1) || sgn(value(exact, 1)) <= 0);
    const double first = first_cell_contact(cubic, slack);
    tally.unlike_first += found.count == 0 ? first <= 1 : first != found.spans[0][0];
    tally.cases += 1;
    tally.touched += found.count > 0;
    tally.several += found.count > 1;
    tally.missed += missed;
    tally.false_contacts += wrong;
}

TEST(CellRoots, misses_no_contact_and_invents_none_against_rational_arithmetic) {
    const std::size_t count = count_of(10000, 10000000);
    const Tally tally = parallel_reduce(
        count, 1000, Tally{},
        [](std::size_t begin, std::size_t end) {
            Random random(4711, begin);
            Tally part;
            for (std::size_t k = begin; k < end; ++k) check(random_case(random), part);
            return part;
        },
        [](const Tally& a, const Tally& b) { return a + b; });
    EXPECT_EQ(tally.missed, 0u);
    EXPECT_EQ(tally.false_contacts, 0u);
    EXPECT_EQ(tally.unlike_first, 0u);
    EXPECT_EQ(tally.cases, count);
    EXPECT_GT(tally.touched, count / 5);
    EXPECT_LT(tally.touched, count * 4 / 5);
    EXPECT_GT(tally.several, count / 200);
}

TEST(CellRoots, two_crossings_in_one_cell_are_two_intervals) {
    // Falls below the level, rises and falls again: three roots.
    const CellCubic cubic{{1, -3, 3, -1}, 3};
    const CellContacts found = cell_contacts(cubic, cubic.rounding());
    ASSERT_EQ(found.count, 2);
    EXPECT_NEAR(found.spans[0][1], 0.5, 1e-12);
    EXPECT_EQ(found.spans[1][1], 1);
    EXPECT_GT(found.spans[1][0], 0.5);
}

} // namespace cell_roots_test
} // namespace fathom::point_field
