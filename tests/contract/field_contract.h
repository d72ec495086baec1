// The contract of every field type. A field's own test calls check_field_contract() on examples of its kind; what it
// checks is what field/field.h promises.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/field.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <string>

namespace fathom::testing {

struct FieldContract {
    std::string name; // of the example, for messages
    Box region;       // where to try it; reaching past the domain where that is finite
    std::uint64_t seed = 1;
    std::size_t boxes = count_of(4000, 1000000);
    double gradient_tolerance = 1e-5; // against central differences, where the field is smooth there
    double difference_step = 1e-6; // of those differences, in diagonals of the region; larger where values are floats
    double rounding = 0;           // of the field's own answers (m): the range of a point may be wider by this
    double smooth_share = 0.5;     // at least this share of the random points must pass the gradient check
};

// How many random boxes `range` decided as outside and as inside: a test may check that both occur.
struct ContractCounts {
    std::size_t outside = 0;
    std::size_t inside = 0;
    std::size_t mixed = 0;
};

ContractCounts check_field_contract(const Field& field, const FieldContract& contract);

} // namespace fathom::testing
