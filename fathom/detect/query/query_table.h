// Which method answers which question about which pair of kinds, best first: the one table that query.h
// picks from and `fathom matrix` prints. The same for both orders of a pair.
#pragma once

#include <fathom/detect/query/query.h>

#include <span>
#include <string_view>

namespace fathom {

enum class Question { collide, distance, sweep_first, sweep_all };
inline constexpr std::array all_questions = {Question::collide, Question::distance, Question::sweep_first,
                                             Question::sweep_all};
[[nodiscard]] std::string_view name(Question question); // "sweep_first"

struct PairMethod {
    Method method;
    std::string_view guarantee; // in words: "proof or witness; exact triangles"
};

// The first is what `automatic` takes; never empty.
[[nodiscard]] std::vector<PairMethod> methods_for(ShapeKind a, ShapeKind b, Question question);

// The method to take. Error{unsupported} names the pair and what would fit.
[[nodiscard]] Method choose(ShapeKind a, ShapeKind b, Question question, Method asked);

} // namespace fathom
