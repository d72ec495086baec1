// parry, in double: the peer of convex pairs. It is a program of its own (parry/), which measures itself.
#pragma once

#include <benchmarks/convex_peer.h>

#include <string>
#include <vector>

namespace fathom::bench {

struct TimedAnswers {
    std::string name;
    double seconds = 0; // for all poses
    std::vector<ConvexAnswer> answers{};
};

// One for each of its calls that answers the question; none if the program was not built.
[[nodiscard]] std::vector<TimedAnswers> parry_answers(const ConvexScene& scene, ConvexQuestion question, int rounds);

} // namespace fathom::bench
