// One query of a pair that is moved, by any of the methods; what they need is made once. For
// moved_world.cpp.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/simulate/kinematic/scripted_world.h>

namespace fathom {

class MovedQuery {
public:
    virtual ~MovedQuery() = default;
    // Motions over the last step, by body. Fills verdict, depth and contacts of every pair, all reset before.
    virtual void ask(std::span<const Motion> motions, std::span<MovedPair> pairs) = 0;
};

// Error as MovedWorld. The bodies must outlive it.
[[nodiscard]] std::unique_ptr<MovedQuery> make_moved_query(std::span<const MovedBody> bodies,
                                                           const MovedOptions& options);

} // namespace fathom
