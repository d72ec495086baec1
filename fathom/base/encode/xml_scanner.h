// Walks over the tags and texts of an XML file without copying them.
// Why not a library: a .vtu may carry raw bytes behind its last tag, which is no XML, and its text arrays are most of
// the file, which a document tree would copy. Names are not checked for nesting, entities are not resolved: VTK's files
// need neither.
#pragma once

#include <fathom/base/encode/source.h>

#include <optional>

namespace fathom {

class XmlScanner {
public:
    enum class Event { open, close, empty, text, end }; // `empty` is <name/>

    explicit XmlScanner(const Source& source) : source_(source) {}

    // Comments, declarations and blank texts are passed over; CDATA is text. Error{truncated} inside a tag that does
    // not close.
    Event next();

    [[nodiscard]] std::string_view name() const { return name_; } // of the tag
    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] std::optional<std::string_view> attribute(std::string_view key) const; // of the tag
    [[nodiscard]] std::size_t offset() const { return at_; }                             // behind the last event

    [[noreturn]] void fail(Cause cause, std::string_view reason,
                           std::string_view element = {}) const; // at the last event

private:
    [[nodiscard]] Event tag();
    [[nodiscard]] std::size_t tag_end() const;
    [[nodiscard]] bool at(std::string_view prefix) const { return source_.text().substr(at_).starts_with(prefix); }
    std::string_view take_until(std::string_view end); // what lies before `end`, which is passed

    const Source& source_;
    std::size_t at_ = 0;
    std::size_t start_ = 0; // of the last event
    std::string_view name_, attributes_, text_;
};

} // namespace fathom
