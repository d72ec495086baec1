// Means, deviations, and whether two means differ: Welch's form of Student's t-test, for unequal variances.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace fathom::bench {

struct Moments {
    double mean = 0;
    double deviation = 0; // of the samples
};

[[nodiscard]] inline Moments moments(std::span<const double> samples) {
    Moments m;
    for (const double x : samples) m.mean += x / static_cast<double>(samples.size());
    for (const double x : samples) m.deviation += (x - m.mean) * (x - m.mean);
    m.deviation = samples.size() > 1 ? std::sqrt(m.deviation / static_cast<double>(samples.size() - 1)) : 0;
    return m;
}

struct WelchTest {
    double t = 0;
    double p = 1; // two-sided; Student's distribution taken as the normal one, which it is beyond some hundred samples
};

[[nodiscard]] inline WelchTest welch(std::span<const double> a, std::span<const double> b) {
    const Moments m = moments(a), n = moments(b);
    const double spread = std::sqrt(m.deviation * m.deviation / static_cast<double>(a.size()) +
                                    n.deviation * n.deviation / static_cast<double>(b.size()));
    if (!(spread > 0)) return {};
    const double t = (m.mean - n.mean) / spread;
    return {t, std::erfc(std::abs(t) / std::sqrt(2.0))};
}

} // namespace fathom::bench
