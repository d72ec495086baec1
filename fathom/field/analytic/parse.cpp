// Parser of the text form of analytic shapes: recursive descent with a depth limit.
#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_kinds.h>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <variant>

namespace fathom {

namespace {

constexpr std::size_t max_text = 16u << 20;
constexpr int max_nesting = 300; // depth of parentheses; shapes have their own limit
// Limit of the sum of the weights of all constructed shapes, which bounds the work that a hostile text can cause.
constexpr std::size_t max_work = 10'000'000;

using Numbers = std::vector<double>;
using Value = std::variant<double, Numbers, AnalyticExpression>;

bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string shown(std::string_view text) {
    std::string out(text.substr(0, 32));
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    return out;
}

double square_root(double x) { return std::sqrt(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double tangent(double x) { return std::tan(x); }
double to_radians(double x) { return x * std::numbers::pi / 180; }

struct Function {
    std::string_view name;
    double (*call)(double);
};
constexpr Function functions[] = {
    {"sqrt", square_root}, {"sin", sine}, {"cos", cosine}, {"tan", tangent}, {"degrees", to_radians}};

// Arguments of a shape.
struct Arguments {
    Numbers numbers;
    std::vector<AnalyticExpression> shapes;
    std::map<std::string_view, double> named;
};

class Parser {
public:
    Parser(std::string_view text, std::string_view source) : text_(text), source_(source) {}

    AnalyticExpression program() {
        skip_blank();
        while (word_at(at_) == "let") definition();
        const std::size_t start = at_;
        const Value value = sum();
        accept(';');
        if (at_ != text_.size())
            fail(at_, fmt::format("expected the end of the text, got '{}'", shown(text_.substr(at_, 1))));
        return shape(value, start);
    }

private:
    // ---- Characters

    void skip_blank() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#' || text_.substr(at_, 2) == "//")
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
                ++at_;
            else
                return;
        }
    }
    bool accept(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        skip_blank();
        return true;
    }
    void expect(char c, std::string_view where) {
        if (accept(c)) return;
        const std::string found =
            at_ < text_.size() ? fmt::format("'{}'", shown(text_.substr(at_, 1))) : "the end of the text";
        fail(at_, fmt::format("expected '{}' {}, got {}", c, where, found));
    }
    [[nodiscard]] std::string_view word_at(std::size_t at) const {
        std::size_t end = at;
        if (end < text_.size() && starts_word(text_[end]))
            while (end < text_.size() && (starts_word(text_[end]) || is_digit(text_[end]))) ++end;
        return text_.substr(at, end - at);
    }
    std::string_view take_word() {
        const std::string_view word = word_at(at_);
        at_ += word.size();
        skip_blank();
        return word;
    }

    [[nodiscard]] Place place(std::size_t at) const {
        const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        return {.file = std::string(source_), .line = line};
    }
    [[nodiscard]] std::size_t column(std::size_t at) const {
        const std::size_t newline = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
        return newline == std::string_view::npos ? at + 1 : at - newline;
    }
    [[noreturn]] void fail(std::size_t at, std::string_view reason, Cause cause = Cause::malformed) const {
        throw Error(cause, fmt::format("column {}: {}", column(at), reason), place(at));
    }

    // ---- Values

    AnalyticExpression shape(const Value& value, std::size_t at) const {
        if (!std::holds_alternative<AnalyticExpression>(value)) fail(at, "expected a shape, got a number");
        return std::get<AnalyticExpression>(value);
    }
    double number(const Value& value, std::size_t at) const {
        if (!std::holds_alternative<double>(value)) fail(at, "expected a number");
        return std::get<double>(value);
    }

    void definition() {
        take_word();
        const std::size_t start = at_;
        const std::string_view name = take_word();
        if (name.empty()) fail(start, "expected a name after 'let'");
        if (is_reserved(name)) fail(start, fmt::format("'{}' is a reserved name", shown(name)));
        expect('=', "after the name");
        Value value = sum();
        expect(';', "after the definition");
        if (!variables_.try_emplace(name, std::move(value)).second)
            fail(start, fmt::format("'{}' is defined twice", shown(name)));
    }
    static bool is_reserved(std::string_view name) {
        for (const Function& f : functions)
            if (f.name == name) return true;
        return name == "let" || name == "pi" || find_kind(name) != nullptr;
    }

    Value sum() {
        const std::size_t start = at_;
        Value left = product();
        for (;;) {
            const char sign = at_ < text_.size() ? text_[at_] : '\0';
            if (sign != '+' && sign != '-') return left;
            accept(sign);
            const std::size_t next = at_;
            const double right = number(product(), next);
            left = sign == '+' ? number(left, start) + right : number(left, start) - right;
        }
    }
    Value product() {
        const std::size_t start = at_;
        Value left = factor();
        for (;;) {
            const char sign = at_ < text_.size() ? text_[at_] : '\0';
            if ((sign != '*' && sign != '/') || text_.substr(at_, 2) == "//") return left;
            accept(sign);
            const std::size_t next = at_;
            const double right = number(factor(), next);
            left = sign == '*' ? number(left, start) * right : number(left, start) / right;
        }
    }
    Value factor() {
        bool minus = false, sign = false;
        const std::size_t start = at_;
        while (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) {
            minus = minus != (text_[at_] == '-');
            sign = true;
            accept(text_[at_]);
        }
        Value value = primary();
        if (!sign) return value;
        return minus ? -number(value, start) : number(value, start);
    }

    Value primary() {
        if (++nesting_ > max_nesting)
            fail(at_, fmt::format("the expression is nested deeper than {}", max_nesting), Cause::too_large);
        Value value = unnested_primary();
        --nesting_;
        return value;
    }
    Value unnested_primary() {
        const std::size_t start = at_;
        if (accept('(')) {
            Value value = sum();
            expect(')', "to close the parenthesis");
            return value;
        }
        if (accept('[')) return vector();
        if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return literal();
        const std::string_view word = take_word();
        if (word.empty()) {
            if (at_ == text_.size()) fail(at_, "the text ends unexpectedly");
            fail(at_, fmt::format("expected a number or a shape, got '{}'", shown(text_.substr(at_, 1))));
        }
        if (accept('(')) return call(word, start);
        if (word == "pi") return std::numbers::pi;
        if (const auto known = variables_.find(word); known != variables_.end()) return known->second;
        fail(start, find_kind(word) ? fmt::format("expected '(' after '{}'", word)
                                    : fmt::format("'{}' is not defined", shown(word)));
    }
    double literal() {
        double value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) fail(at_, "the number does not fit into a double");
        at_ = static_cast<std::size_t>(end - text_.data());
        const char next = at_ < text_.size() ? text_[at_] : ' ';
        if (starts_word(next) || is_digit(next) || next == '.') fail(at_, "expected a separator after the number");
        skip_blank();
        return value;
    }
    Numbers vector() {
        Numbers list;
        do {
            const std::size_t start = at_;
            list.push_back(number(sum(), start));
        } while (accept(','));
        expect(']', "to close the vector");
        return list;
    }

    // ---- Calls

    Value call(std::string_view name, std::size_t start) {
        for (const Function& f : functions)
            if (f.name == name) {
                const std::size_t inner = at_;
                const double argument = number(sum(), inner);
                expect(')', "to close the call");
                return f.call(argument);
            }
        const AnalyticKind* const kind = find_kind(name);
        if (!kind) fail(start, fmt::format("unknown shape or function '{}'", shown(name)));
        Arguments arguments;
        if (!accept(')')) {
            do argument(*kind, arguments);
            while (accept(','));
            expect(')', fmt::format("to close '{}'", name));
        }
        return made(*kind, std::move(arguments), start);
    }

    void argument(const AnalyticKind& kind, Arguments& arguments) {
        const std::size_t start = at_;
        const std::string_view word = word_at(at_);
        std::size_t after = at_ + word.size();
        while (after < text_.size() && (text_[after] == ' ' || text_[after] == '\t')) ++after;
        if (!word.empty() && after < text_.size() && text_[after] == '=') {
            take_word();
            accept('=');
            const auto same_name = [&](const Parameter& p) { return p.name == word; };
            if (std::none_of(kind.parameters.begin(), kind.parameters.end(), same_name))
                fail(start, fmt::format("{} has no parameter '{}'", kind.name, shown(word)));
            const std::size_t inner = at_;
            if (!arguments.named.try_emplace(word, number(sum(), inner)).second)
                fail(start, fmt::format("'{}' is given twice", word));
            return;
        }
        Value value = sum();
        if (auto* const list = std::get_if<Numbers>(&value))
            arguments.numbers.insert(arguments.numbers.end(), list->begin(), list->end());
        else if (const auto* const one = std::get_if<double>(&value))
            arguments.numbers.push_back(*one);
        else
            arguments.shapes.push_back(std::get<AnalyticExpression>(std::move(value)));
    }

    // Named numbers go to their positions; the others fill the remaining positions in order.
    Value made(const AnalyticKind& kind, Arguments arguments, std::size_t start) {
        Numbers numbers;
        std::size_t next = 0;
        for (const Parameter& parameter : kind.parameters) {
            if (const auto named = arguments.named.find(parameter.name); named != arguments.named.end()) {
                numbers.push_back(named->second);
            } else if (next < arguments.numbers.size()) {
                numbers.push_back(arguments.numbers[next++]);
            } else {
                fail(start, fmt::format("{} needs the parameter '{}'", kind.name, parameter.name));
            }
        }
        numbers.insert(numbers.end(), arguments.numbers.begin() + static_cast<std::ptrdiff_t>(next),
                       arguments.numbers.end());
        try {
            AnalyticExpression shape(kind.name, std::move(numbers), std::move(arguments.shapes));
            work_ += shape.weight();
            if (work_ > max_work) throw Error(Cause::too_large, "the shapes of this text are too large in total");
            return shape;
        } catch (const Error& error) {
            fail(start, error.reason(), error.cause());
        }
    }

    std::string_view text_;
    std::string_view source_;
    std::size_t at_ = 0;
    int nesting_ = 0;
    std::size_t work_ = 0;
    std::map<std::string_view, Value> variables_;
};

} // namespace

AnalyticExpression parse_shape(std::string_view text, std::string_view source) {
    if (text.size() > max_text)
        throw Error(Cause::too_large, fmt::format("the text is longer than {} bytes", max_text),
                    {.file = std::string(source)});
    return Parser(text, source).program();
}

} // namespace fathom
