// Nodes waiting in order of their distance, up to the width of a bucket: first come, first served inside
// one. Each node waits in at most one place, so that memory is fixed and nothing is allocated after reset() has seen
// the largest body. O(1) a call. One object a thread.
#pragma once

#include <fathom/base/vec.h>

#include <algorithm>
#include <array>
#include <vector>

namespace fathom {

class BucketQueue {
public:
    static constexpr Index bucket_count = 4096; // what lies beyond shares the last one

    // Empty, for nodes below node_count; keys are cut into buckets of `width`.
    void reset(std::size_t node_count, double width) {
        links_.assign(node_count, {no_index, no_index, no_index});
        heads_.fill(no_index);
        tails_.fill(no_index);
        per_width_ = width > 0 ? 1 / width : 0;
        waiting_ = 0;
    }

    [[nodiscard]] bool empty() const { return waiting_ == 0; }
    [[nodiscard]] Index bucket_of(double key) const {
        return static_cast<Index>(std::min(key * per_width_, static_cast<double>(bucket_count - 1)));
    }

    // To the end of a bucket, from wherever it waited.
    void put(Index node, Index bucket) {
        Link& link = links_[node];
        if (link.bucket == bucket) return;
        if (link.bucket != no_index) take_out(node);
        link = {no_index, tails_[bucket], bucket};
        (tails_[bucket] == no_index ? heads_[bucket] : links_[tails_[bucket]].next) = node;
        tails_[bucket] = node;
        ++waiting_;
    }

    // The first of a bucket, or no_index.
    [[nodiscard]] Index pop(Index bucket) {
        const Index node = heads_[bucket];
        if (node != no_index) take_out(node);
        return node;
    }

private:
    struct Link {
        Index next, previous, bucket;
    };

    void take_out(Index node) {
        const Link link = links_[node];
        (link.previous == no_index ? heads_[link.bucket] : links_[link.previous].next) = link.next;
        (link.next == no_index ? tails_[link.bucket] : links_[link.next].previous) = link.previous;
        links_[node].bucket = no_index;
        --waiting_;
    }

    std::vector<Link> links_;
    std::array<Index, bucket_count> heads_{}, tails_{};
    double per_width_ = 0;
    std::size_t waiting_ = 0;
};

} // namespace fathom
