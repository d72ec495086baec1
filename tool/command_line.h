// Commands and their options: a thin layer over CLI11. Only command_line.cpp includes CLI11, whose templates take six
// seconds of compilation in each file that uses them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace fathom::tool {

// A condition on the text of an option.
struct Check {
    std::string description;                                 // shown in the help text, for example ">= 0"
    std::function<std::string(const std::string&)> complain; // returns an empty string for accepted text
};

// Checks for options that take a finite number. CLI11's own checks print the largest double in full.
[[nodiscard]] Check at_least_zero();
[[nodiscard]] Check above_zero();
[[nodiscard]] Check range(int lower, int upper);
[[nodiscard]] Check range(double lower, double upper);
[[nodiscard]] Check one_of(std::vector<std::string> words);
[[nodiscard]] Check existing_directory();

// The number that the whole text is, as options read it; false if it is none.
[[nodiscard]] bool parse_number(const std::string& text, double& value);

// An option of a command. A handle: copies name the same option.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}

    Option required() const;
    Option check(const Check& check) const;
    Option show_default() const;         // the present value, in the help text
    Option needs(Option other) const;    // may only be given together with the other option
    Option excludes(Option other) const; // may not be given together with the other option
    Option one_value_each() const;       // of an option that may be repeated
    Option values(int fewest, int most) const;
    Option values_by_commas(int count) const;
    Option type_name(const std::string& name) const;       // in the help text
    Option environment(const std::string& variable) const; // gives the value if the option is absent

    [[nodiscard]] bool given() const; // after the parsing

private:
    CLI::Option* option_;
};

// A command of the program, or the program. A handle: copies name the same command.
class Command {
public:
    explicit Command(CLI::App* app) : app_(app) {}

    [[nodiscard]] Command add_command(const std::string& name, const std::string& description) const;
    void require_command() const; // exactly one of its commands must be given
    void footer(const std::string& text) const;
    void run(std::function<void()> action) const; // runs after the parsing if the command was given

    // `names`: "-o,--output", or "FILE" for a positional argument. The value must outlive the parsing. Defined for
    // numbers, text, characters, optional numbers and lists of text or numbers.
    template <class Value>
    Option add_option(const std::string& names, Value& value, const std::string& help) const;
    Option add_flag(const std::string& names, bool& value, const std::string& help) const;
    // Runs the action when the flag is read and ends the program with success.
    void add_exit_flag(const std::string& names, std::function<void()> action, const std::string& help) const;

    // An option whose value is one of several words. The present value is the default.
    template <class Value>
    Option add_choice(const std::string& names, Value& value, const std::map<std::string, Value>& words,
                      const std::string& help) const {
        std::vector<std::string> list;
        std::string initial;
        for (const auto& [word, meaning] : words) {
            list.push_back(word);
            if (meaning == value) initial = word;
        }
        return add_word(
            names, list, initial, [&value, words](const std::string& word) { value = words.at(word); }, help);
    }

private:
    Option add_word(const std::string& names, const std::vector<std::string>& words, const std::string& initial,
                    const std::function<void(const std::string&)>& set, const std::string& help) const;

    CLI::App* app_;
};

// The whole command line.
class CommandLine {
public:
    CommandLine(const std::string& description, const std::string& name, const std::string& version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    [[nodiscard]] Command program() const;
    void before_commands(std::function<void()> action); // runs after the parsing, before the command

    // Parses the arguments and runs the command. Prints help or a message if needed. Returns the exit code: 0 success,
    // 2 incorrect usage. Exceptions of the command reach the caller.
    [[nodiscard]] int run(int argc, char** argv);

private:
    std::unique_ptr<CLI::App> app_;
};

} // namespace fathom::tool
