// A common interface to the numbers of text and binary gmsh files, so that each version of the format has one parser;
// and the tag index of a gmsh file.
#pragma once

#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text_scanner.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fathom {

// In binary files `integer` is an int, `size` is a size_t, and `tag` is one of the two, depending on the version.
// `tag_here` and `integer_here` continue a record, which must not extend to the next line in text files.
class MshText {
public:
    static constexpr bool binary = false;
    static constexpr std::size_t min_node_bytes = 8;    // "1 0 0 0\n"
    static constexpr std::size_t min_element_bytes = 4; // "1 1\n"

    explicit MshText(TextScanner& scanner) : scanner_(scanner) {}

    [[nodiscard]] std::int64_t integer(std::string_view what) { return whole(scanner_.word(), what); }
    [[nodiscard]] std::int64_t integer_here(std::string_view what) { return whole(scanner_.word_on_line(), what); }
    [[nodiscard]] std::int64_t tag(std::string_view what) { return integer(what); }
    [[nodiscard]] std::int64_t tag_here(std::string_view what) { return integer_here(what); }
    [[nodiscard]] double real(std::string_view what) { return scanner_.to_number(inside(scanner_.word(), what), what); }
    [[nodiscard]] std::uint64_t size(std::string_view what) {
        const std::int64_t value = integer(what);
        if (value < 0) fail(Cause::malformed, std::string(what).append(" is negative"));
        return static_cast<std::uint64_t>(value);
    }
    void skip_record() { scanner_.next_line(); }

    [[nodiscard]] std::size_t checked_count(std::uint64_t count, std::size_t min_bytes,
                                            std::string_view element) const {
        return scanner_.checked_count(count, min_bytes, element);
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const {
        scanner_.fail(cause, reason, element, index);
    }

private:
    // If a section ends where a number is expected, it contains less data than its count states.
    [[nodiscard]] std::string_view inside(std::string_view word, std::string_view what) const {
        if (word.starts_with('$'))
            fail(Cause::count_mismatch,
                 std::string("the section contains less data than it states: missing ").append(what));
        return word;
    }
    [[nodiscard]] std::int64_t whole(std::string_view word, std::string_view what) const {
        return scanner_.to_integer(inside(word, what), what);
    }

    TextScanner& scanner_;
};

class MshBinary {
public:
    static constexpr bool binary = true;
    static constexpr std::size_t min_node_bytes = 4 + 3 * 8;
    static constexpr std::size_t min_element_bytes = 2 * 4;

    MshBinary(const Source& source, std::size_t start, std::endian order, bool wide_tags)
        : bytes_(source, start, order), wide_tags_(wide_tags) {}

    [[nodiscard]] std::int64_t integer(std::string_view what) { return bytes_.read<std::int32_t>(what); }
    [[nodiscard]] std::int64_t integer_here(std::string_view what) { return integer(what); }
    [[nodiscard]] std::uint64_t size(std::string_view what) { return bytes_.read<std::uint64_t>(what); }
    [[nodiscard]] double real(std::string_view what) { return bytes_.read<double>(what); }
    [[nodiscard]] std::int64_t tag(std::string_view what) {
        return wide_tags_ ? bytes_.read<std::int64_t>(what) : bytes_.read<std::int32_t>(what);
    }
    [[nodiscard]] std::int64_t tag_here(std::string_view what) { return tag(what); }
    [[noreturn]] void skip_record() const {
        fail(Cause::unsupported, "unknown number of nodes for this kind of element");
    }

    [[nodiscard]] std::size_t offset() const { return bytes_.offset(); }
    [[nodiscard]] std::size_t checked_count(std::uint64_t count, std::size_t min_bytes,
                                            std::string_view element) const {
        return bytes_.checked_count(count, min_bytes, element);
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const {
        bytes_.fail(cause, reason, element, index);
    }

private:
    ByteReader bytes_;
    bool wide_tags_;
};

// Index from the tags of nodes or elements to their positions in the file. Tags may be in any order and have gaps.
// Consecutive tags share one entry, so the usual sequence 1, 2, 3, ... takes constant memory; the worst case is 24
// bytes per tag.
class TagRuns {
public:
    // Adds the tag of the next element.
    void add(std::int64_t tag);

    // To be called after the last add() and before the queries below. O(runs log runs).
    void sort();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t repeated() const; // number of elements with the tag of an earlier element
    [[nodiscard]] std::optional<std::int64_t> first_repeated() const;

    // Index of the element with this tag in the order of add(); any of them if the tag is repeated. O(log runs).
    [[nodiscard]] std::optional<std::size_t> find(std::int64_t tag) const;

private:
    struct Run {
        std::int64_t first; // first tag of the run
        std::size_t index;  // index of its element
        std::size_t count;

        [[nodiscard]] std::uint64_t past(std::int64_t tag) const {
            return static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first);
        }
        [[nodiscard]] std::int64_t last() const { return first + static_cast<std::int64_t>(count - 1); }
    };
    // Calls use(first repeated tag, number of repeated tags) for each run that starts inside an earlier one.
    template <class Use>
    void overlaps(Use&& use) const;

    std::vector<Run> runs_;
    std::size_t size_ = 0;
};

} // namespace fathom
