// Scanners of text files and XML files. Errors name the line. Independent of the locale, no allocation.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/vec.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

// Input of a reader: a whole file in memory, and its name for messages.
struct Source {
    std::span<const std::byte> bytes; // decompressed; must outlive the reader
    std::string name;                 // file name, for messages

    [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// Returns `count`, as stated by a file, if `available` bytes can hold that many elements of at least `min_bytes`
// each. Otherwise throws Error{count_mismatch}. Allocations are thus bounded by the size of the file.
[[nodiscard]] std::size_t checked_element_count(std::uint64_t count, std::size_t min_bytes, std::size_t available,
                                                std::string_view element, const Place& place);

class TextScanner {
public:
    // Text from `comment` to the end of its line is skipped; '\0' for no comments. The source must outlive the scanner.
    explicit TextScanner(const Source& source, char comment = '\0', std::size_t start = 0);

    // The next word, on this or a later line; empty at the end of the text.
    [[nodiscard]] std::string_view word();
    // The next word of this line; empty at the end of the line. Only next_line() leaves the line.
    [[nodiscard]] std::string_view word_on_line();
    // The rest of this line, trimmed and without the comment. Does not leave the line.
    [[nodiscard]] std::string_view rest_of_line() const;
    // Moves to the start of the next line; false at the end of the text.
    bool next_line();
    // The next word, on this or a later line, without consuming it.
    [[nodiscard]] std::string_view peek();

    // The next word as a number, on this or a later line, or on this line only. `what` names the number in the error.
    [[nodiscard]] double number(std::string_view what);
    [[nodiscard]] double number_on_line(std::string_view what);
    [[nodiscard]] std::int64_t integer(std::string_view what);
    [[nodiscard]] std::uint64_t count(std::string_view what); // throws for negative numbers
    // Three numbers. Throws Error{non_finite} naming the vertex if one is NaN or infinite.
    [[nodiscard]] Vec3 position(std::size_t vertex);
    [[nodiscard]] Vec3 position_on_line(std::size_t vertex);

    // Converts a word that was read before to a number.
    [[nodiscard]] double to_number(std::string_view word, std::string_view what) const;
    [[nodiscard]] std::int64_t to_integer(std::string_view word, std::string_view what) const;

    [[nodiscard]] bool at_end(); // only white space and comments are left
    [[nodiscard]] std::size_t offset() const { return at_; }
    [[nodiscard]] std::size_t left() const { return text_.size() - at_; } // bytes
    [[nodiscard]] std::int64_t line() const { return line_; }
    void skip_bytes(std::size_t count); // skips binary data inside a text; throws Error{truncated}

    // As checked_element_count(), for the rest of the text.
    [[nodiscard]] std::size_t checked_count(std::uint64_t count, std::size_t min_bytes, std::string_view element) const;

    [[nodiscard]] Place place(std::string_view element = {}, std::int64_t index = -1) const;
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const;

private:
    void skip_blank(bool across_lines);
    [[nodiscard]] std::string_view take_word();
    template <class Next>
    [[nodiscard]] Vec3 three(std::size_t vertex, Next next) const;

    std::string_view text_;
    const std::string& name_;
    char comment_;
    std::size_t at_;
    std::int64_t line_ = 1;
};

// Iterates over the tags and texts of an XML file without copying them.
// Why not a library: a .vtu file may carry raw bytes behind its last tag, which is not XML, and its text arrays are
// most of the file, which a document tree would copy. Nesting of tags is not checked and entities are not resolved:
// VTK's files need neither.
class XmlScanner {
public:
    enum class Event { open, close, empty, text, end }; // `empty` is <name/>

    explicit XmlScanner(const Source& source) : source_(source) {}

    // Comments, declarations and blank texts are skipped; CDATA is text. Throws Error{truncated} inside a tag that does
    // not close.
    Event next();

    [[nodiscard]] std::string_view name() const { return name_; } // of the current tag
    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] std::optional<std::string_view> attribute(std::string_view key) const; // of the current tag
    [[nodiscard]] std::size_t offset() const { return at_; }                             // byte after the last event

    // Throws at the last event.
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {}) const;

private:
    [[nodiscard]] Event tag();
    [[nodiscard]] std::size_t tag_end() const;
    [[nodiscard]] bool at(std::string_view prefix) const { return source_.text().substr(at_).starts_with(prefix); }
    // The text before `end`. Moves behind `end`.
    std::string_view take_until(std::string_view end);

    const Source& source_;
    std::size_t at_ = 0;
    std::size_t start_ = 0; // offset of the last event
    std::string_view name_, attributes_, text_;
};

} // namespace fathom
