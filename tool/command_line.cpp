// The layer over CLI11.
#include <tool/command_line.h>

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>

namespace fathom::tool {

namespace {

Check number_check(bool (*accepts)(double), const std::string& requirement) {
    return {requirement, [=](const std::string& text) {
                double value = 0;
                const bool valid = parse_number(text, value) && std::isfinite(value) && accepts(value);
                return valid ? std::string() : "'" + text + "' is not a number " + requirement;
            }};
}

Check check_of(const CLI::Validator& validator) {
    return {validator.get_description(), [validator](const std::string& text) {
                std::string copy = text;
                return validator(copy);
            }};
}

} // namespace

bool parse_number(const std::string& text, double& value) { return CLI::detail::lexical_cast(text, value); }

Check at_least_zero() {
    return number_check([](double value) { return value >= 0; }, ">= 0");
}
Check above_zero() {
    return number_check([](double value) { return value > 0; }, "> 0");
}
Check range(int lower, int upper) { return check_of(CLI::Range(lower, upper)); }
Check range(double lower, double upper) { return check_of(CLI::Range(lower, upper)); }
Check one_of(std::vector<std::string> words) { return check_of(CLI::IsMember(std::move(words))); }
Check existing_directory() { return check_of(CLI::ExistingDirectory); }

// ---- Options

Option Option::required() const {
    option_->required();
    return *this;
}
Option Option::check(const Check& check) const {
    option_->check(
        CLI::Validator([complain = check.complain](std::string& text) { return complain(text); }, check.description));
    return *this;
}
Option Option::show_default() const {
    option_->capture_default_str();
    return *this;
}
Option Option::needs(Option other) const {
    option_->needs(other.option_);
    return *this;
}
Option Option::excludes(Option other) const {
    option_->excludes(other.option_);
    return *this;
}
Option Option::one_value_each() const {
    option_->allow_extra_args(false);
    return *this;
}
Option Option::values(int fewest, int most) const {
    option_->expected(fewest, most);
    return *this;
}
Option Option::values_by_commas(int count) const {
    option_->delimiter(',')->expected(count);
    return *this;
}
Option Option::type_name(const std::string& name) const {
    option_->type_name(name);
    return *this;
}
Option Option::environment(const std::string& variable) const {
    option_->envname(variable);
    return *this;
}
bool Option::given() const { return option_->count() > 0; }

// ---- Commands

Command Command::add_command(const std::string& name, const std::string& description) const {
    return Command(app_->add_subcommand(name, description));
}
void Command::require_command() const { app_->require_subcommand(1); }
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::run(std::function<void()> action) const { app_->callback(std::move(action)); }

template <class Value>
Option Command::add_option(const std::string& names, Value& value, const std::string& help) const {
    return Option(app_->add_option(names, value, help));
}
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, char&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, unsigned&, const std::string&) const;
template Option Command::add_option(const std::string&, std::size_t&, const std::string&) const;
template Option Command::add_option(const std::string&, float&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<double>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
    return Option(app_->add_flag(names, value, help));
}
void Command::add_exit_flag(const std::string& names, std::function<void()> action, const std::string& help) const {
    const auto act = [action = std::move(action)] {
        action();
        throw CLI::Success();
    };
    app_->add_flag_callback(names, act, help)->trigger_on_parse();
}
Option Command::add_word(const std::string& names, const std::vector<std::string>& words, const std::string& initial,
                         const std::function<void(const std::string&)>& set, const std::string& help) const {
    return Option(
        app_->add_option_function<std::string>(names, set, help)->check(CLI::IsMember(words))->default_str(initial));
}

// ---- The whole command line

CommandLine::CommandLine(const std::string& description, const std::string& name, const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->set_version_flag("--version", version);
    app_->fallthrough();
}
CommandLine::~CommandLine() = default;

Command CommandLine::program() const { return Command(app_.get()); }
void CommandLine::before_commands(std::function<void()> action) { app_->parse_complete_callback(std::move(action)); }

int CommandLine::run(int argc, char** argv) {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 reports a missing command before it reports an unknown one.
        const std::vector<std::string> rest = app_->remaining();
        if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !rest.empty()) {
            std::fprintf(stderr, "fathom: unknown command '%s'; run `fathom --help` for a list\n",
                         rest.front().c_str());
            return 2;
        }
        return app_->exit(error) == 0 ? 0 : 2;
    }
    return 0;
}

} // namespace fathom::tool
