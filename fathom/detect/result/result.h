// The words that every answer of this room is made of.
// "No" is always a proof. Where neither yes nor no was proven within the asked tolerance, the answer is "undecided".
#pragma once

namespace fathom {

enum class Verdict { disjoint, overlapping, undecided };

// A piece of time in which something is in contact, ends included. Times run in [0,1] over the motion asked about.
struct ContactInterval {
    double start = 0;
    double end = 0;
    bool proven = true; // a point in contact was seen in it; otherwise contact is only not excluded

    friend bool operator==(const ContactInterval&, const ContactInterval&) = default;
};

} // namespace fathom
