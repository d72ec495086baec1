// Tags and texts of an XML file.
#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/encode/xml_scanner.h>

namespace fathom {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Takes the next `key="value"` off the front; an empty key at the end or where the text is no attribute.
struct Attribute {
    std::string_view key, value;
};
Attribute take_attribute(std::string_view& text) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return {};
    const std::string_view key = trimmed(text.substr(0, equals));
    const std::size_t open = text.find_first_not_of(blanks, equals + 1);
    if (open == text.npos || (text[open] != '"' && text[open] != '\'')) return {};
    const std::size_t close = text.find(text[open], open + 1);
    if (close == text.npos) return {};
    const std::string_view value = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    return {key, value};
}

} // namespace

void XmlScanner::fail(Cause cause, std::string_view reason, std::string_view element) const {
    TextScanner(source_, '\0', start_).fail(cause, reason, element);
}

std::string_view XmlScanner::take_until(std::string_view end) {
    const std::size_t found = source_.text().find(end, at_);
    if (found == std::string_view::npos) fail(Cause::truncated, "the file ends inside a tag or comment");
    const std::string_view taken = source_.text().substr(at_, found - at_);
    at_ = found + end.size();
    return taken;
}

XmlScanner::Event XmlScanner::next() {
    const std::string_view all = source_.text();
    while (at_ < all.size()) {
        start_ = at_;
        if (all[at_] != '<') {
            const std::size_t end = std::min(all.find('<', at_), all.size());
            text_ = all.substr(at_, end - at_);
            at_ = end;
            if (!trimmed(text_).empty()) return Event::text;
        } else if (at("<!--")) {
            (void)take_until("-->");
        } else if (at("<![CDATA[")) {
            at_ += 9;
            text_ = take_until("]]>");
            if (!trimmed(text_).empty()) return Event::text;
        } else if (at("<?") || at("<!")) {
            (void)take_until(">");
        } else {
            return tag();
        }
    }
    return Event::end;
}

// Of the '>' that closes the tag; one inside quotes does not.
std::size_t XmlScanner::tag_end() const {
    const std::string_view all = source_.text();
    char quote = '\0';
    for (std::size_t i = at_; i < all.size(); ++i) {
        const char c = all[i];
        if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '>')
            return i;
    }
    fail(Cause::truncated, "the file ends inside a tag");
}

XmlScanner::Event XmlScanner::tag() {
    const std::size_t end = tag_end();
    std::string_view inside = source_.text().substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    Event event = Event::open;
    if (inside.starts_with('/')) {
        event = Event::close;
        inside.remove_prefix(1);
    } else if (inside.ends_with('/')) {
        event = Event::empty;
        inside.remove_suffix(1);
    }
    inside = trimmed(inside);
    const std::size_t name_end = std::min(inside.find_first_of(blanks), inside.size());
    name_ = inside.substr(0, name_end);
    attributes_ = inside.substr(name_end);
    return event;
}

std::optional<std::string_view> XmlScanner::attribute(std::string_view key) const {
    std::string_view left = attributes_;
    for (Attribute a = take_attribute(left); !a.key.empty(); a = take_attribute(left))
        if (a.key == key) return a.value;
    return std::nullopt;
}

} // namespace fathom
