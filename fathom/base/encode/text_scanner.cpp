// Scanners of text files and XML files.
#include <fathom/base/encode/text_scanner.h>

#include <fathom/base/encode/text.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fathom {

// Checks of the counts stated in file headers.

std::size_t checked_element_count(std::uint64_t count, std::size_t min_bytes, std::size_t available,
                                  std::string_view element, const Place& place) {
    if (count > available / min_bytes)
        throw Error(Cause::count_mismatch,
                    fmt::format("states {} {}, but only {} bytes follow", count, element, available), place);
    return static_cast<std::size_t>(count);
}

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// A table, because this test runs for every byte of a file.
constexpr std::array<bool, 256> word_ends = [] {
    std::array<bool, 256> table{};
    for (const char c : {' ', '\t', '\r', '\v', '\f', '\n'}) table[static_cast<unsigned char>(c)] = true;
    return table;
}();
bool ends_word(char c) { return word_ends[static_cast<unsigned char>(c)]; }

template <class T>
bool parse(std::string_view word, T& value) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

// Decimal position of the first non-zero digit of a valid number: -2 in 0.01, 3 in 1000, 99 in 1e99. Clamped to +-10^9.
std::int64_t decimal_exponent(std::string_view word) {
    const std::size_t mark = std::min(word.find_first_of("eE"), word.size());
    const std::string_view digits = word.substr(0, mark);
    const std::size_t first = std::min(digits.find_first_of("123456789"), digits.size());
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::int64_t place =
        static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) - (first < point ? 1 : 0);
    std::int64_t exponent = 0;
    if (mark < word.size() && !parse(word.substr(mark + 1), exponent))
        exponent = word[mark + 1] == '-' ? -1'000'000'000 : 1'000'000'000;
    return std::clamp<std::int64_t>(exponent, -1'000'000'000, 1'000'000'000) + place;
}

// Parses a number. Numbers too large or too small for a double give the value of strtod, independent of the locale.
bool parse_number(std::string_view word, double& value) {
    if (parse(word, value)) return true;
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc::result_out_of_range || end != word.data() + word.size()) return false;
    value = decimal_exponent(word) < 0 ? 0.0 : HUGE_VAL;
    return true;
}

} // namespace

TextScanner::TextScanner(const Source& source, char comment, std::size_t start)
    : text_(source.text()), name_(source.name), comment_(comment), at_(start) {
    line_ += std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(start), '\n');
}

void TextScanner::skip_blank(bool across_lines) {
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '\n') {
            if (!across_lines) return;
            ++line_;
            ++at_;
        } else if (is_blank(c)) {
            ++at_;
        } else if (comment_ != '\0' && c == comment_) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            return;
        }
    }
}

std::string_view TextScanner::take_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && !ends_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
}

std::string_view TextScanner::word() {
    skip_blank(true);
    return take_word();
}

std::string_view TextScanner::word_on_line() {
    skip_blank(false);
    return take_word();
}

std::string_view TextScanner::peek() {
    skip_blank(true);
    std::size_t end = at_;
    while (end < text_.size() && !ends_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
}

std::string_view TextScanner::rest_of_line() const {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view rest = text_.substr(at_, end - at_);
    if (comment_ != '\0') rest = rest.substr(0, rest.find(comment_));
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
    return rest;
}

bool TextScanner::next_line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) {
        at_ = text_.size();
        return false;
    }
    at_ = end + 1;
    ++line_;
    return at_ < text_.size();
}

double TextScanner::to_number(std::string_view word, std::string_view what) const {
    double value = 0;
    if (word.empty()) fail(left() == 0 ? Cause::truncated : Cause::malformed, fmt::format("{} is missing", what));
    if (!parse_number(word, value))
        fail(Cause::malformed, fmt::format("{} is not a number: '{}'", what, printable(word)));
    return value;
}

std::int64_t TextScanner::to_integer(std::string_view word, std::string_view what) const {
    std::int64_t value = 0;
    if (word.empty()) fail(left() == 0 ? Cause::truncated : Cause::malformed, fmt::format("{} is missing", what));
    if (!parse(word, value))
        fail(Cause::malformed, fmt::format("{} is not a whole number: '{}'", what, printable(word)));
    return value;
}

double TextScanner::number(std::string_view what) { return to_number(word(), what); }
double TextScanner::number_on_line(std::string_view what) { return to_number(word_on_line(), what); }
std::int64_t TextScanner::integer(std::string_view what) { return to_integer(word(), what); }

std::uint64_t TextScanner::count(std::string_view what) {
    const std::int64_t value = integer(what);
    if (value < 0) fail(Cause::malformed, fmt::format("{} is negative", what));
    return static_cast<std::uint64_t>(value);
}

template <class Next>
Vec3 TextScanner::three(std::size_t vertex, Next next) const {
    constexpr std::string_view axes[] = {"x coordinate", "y coordinate", "z coordinate"};
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = next(axes[k]);
    if (!is_finite(p)) fail(Cause::non_finite, "not a finite position", "vertex", static_cast<std::int64_t>(vertex));
    return p;
}

Vec3 TextScanner::position(std::size_t vertex) {
    return three(vertex, [this](std::string_view what) { return number(what); });
}

Vec3 TextScanner::position_on_line(std::size_t vertex) {
    return three(vertex, [this](std::string_view what) { return number_on_line(what); });
}

bool TextScanner::at_end() {
    skip_blank(true);
    return at_ == text_.size();
}

void TextScanner::skip_bytes(std::size_t count) {
    if (count > left()) fail(Cause::truncated, "binary data ends too early");
    at_ += count;
}

std::size_t TextScanner::checked_count(std::uint64_t count, std::size_t min_bytes, std::string_view element) const {
    return checked_element_count(count, min_bytes, left() + 1, element,
                                 place()); // the last element may lack its newline
}

Place TextScanner::place(std::string_view element, std::int64_t index) const {
    return {.file = name_, .line = line_, .element = std::string(element), .index = index};
}

void TextScanner::fail(Cause cause, std::string_view reason, std::string_view element, std::int64_t index) const {
    throw Error(cause, std::string(reason), place(element, index));
}

// Scanner of the tags and texts of an XML file.

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Removes the next `key="value"` from the front; the key is empty at the end or if the text is not an attribute.
struct Attribute {
    std::string_view key, value;
};
Attribute take_attribute(std::string_view& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view key = trimmed(text.substr(0, equals));
    const std::size_t open = text.find_first_not_of(blanks, equals + 1);
    if (open == std::string_view::npos || (text[open] != '"' && text[open] != '\'')) return {};
    const std::size_t close = text.find(text[open], open + 1);
    if (close == std::string_view::npos) return {};
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

// Position of the '>' that closes the tag; a '>' inside quotes does not count.
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
