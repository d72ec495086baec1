// The fields of a gmsh file read alike from text and from binary, so that each version has one parser.
#pragma once

#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text_scanner.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fathom {

// `integer` is an int in binary, `size` a size_t; `tag` is one or the other, by the version. `tag_here` continues a
// record, which in text may not run on into the next line.
class MshText {
public:
    static constexpr bool binary = false;
    static constexpr std::size_t least_node_bytes = 8;    // "1 0 0 0\n"
    static constexpr std::size_t least_element_bytes = 4; // "1 1\n"

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

    [[nodiscard]] std::size_t believable_count(std::uint64_t count, std::size_t least_bytes,
                                               std::string_view element) const {
        return scanner_.believable_count(count, least_bytes, element);
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const {
        scanner_.fail(cause, reason, element, index);
    }

private:
    // A section that closes where a number should stand holds less than it states.
    [[nodiscard]] std::string_view inside(std::string_view word, std::string_view what) const {
        if (word.starts_with('$'))
            fail(Cause::count_mismatch, std::string("the section holds less than it states: no ").append(what));
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
    static constexpr std::size_t least_node_bytes = 4 + 3 * 8;
    static constexpr std::size_t least_element_bytes = 2 * 4;

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
    void skip_record() { fail(Cause::unsupported, "a kind of element whose number of nodes is not known"); }

    [[nodiscard]] std::size_t offset() const { return bytes_.offset(); }
    [[nodiscard]] std::size_t believable_count(std::uint64_t count, std::size_t least_bytes,
                                               std::string_view element) const {
        return bytes_.believable_count(count, least_bytes, element);
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const {
        bytes_.fail(cause, reason, element, index);
    }

private:
    ByteReader bytes_;
    bool wide_tags_;
};

// The tags that a file gives to its nodes or elements: any order, gaps allowed. Consecutive tags share
// one entry, so the usual 1, 2, 3, ... costs nothing; the worst case is 24 bytes a tag.

class TagRuns {
public:
    // The tag of the next element.
    void add(std::int64_t tag);

    // After the last add(), before the questions below. O(runs log runs).
    void sort();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t repeated() const; // elements whose tag another one bears already
    [[nodiscard]] std::optional<std::int64_t> first_repeated() const;

    // The element of that tag, counted in the order of add(); one of them where the tag is repeated. O(log runs).
    [[nodiscard]] std::optional<std::size_t> find(std::int64_t tag) const;

private:
    struct Run {
        std::int64_t first; // tag
        std::size_t index;  // of its element
        std::size_t count;

        [[nodiscard]] std::uint64_t past(std::int64_t tag) const {
            return static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first);
        }
        [[nodiscard]] std::int64_t last() const { return first + static_cast<std::int64_t>(count - 1); }
    };
    template <class Use>
    void overlaps(Use&& use) const; // use(first repeated tag, how many) for each run that starts inside an earlier one

    std::vector<Run> runs_;
    std::size_t size_ = 0;
};

} // namespace fathom
