// Benchmarks: one row is one piece of work, ours beside one peer measured in the same run, with memory and error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fathom::bench {

struct Row {
    std::string id;   // stable name of the work, e.g. "nearest-bunny"
    std::string work; // in words
    std::string unit; // of `ours` and `peer_value`, e.g. "us/query"
    double ours = 0;
    std::string peer; // empty: no peer
    double peer_value = 0;
    double ratio = 0;  // > 1: ours is better
    std::string error; // against an oracle, in words ("0 of 100000 differ")
    double memory = 0; // resident size of our structure (MB), or 0
};

// Smaller is better for times and sizes, larger for rates.
enum class Better { smaller, larger };
[[nodiscard]] double ratio(double ours, double peer, Better better = Better::smaller);

class Report {
public:
    void begin(const std::string& table, const std::string& title);
    void add(Row row);                      // to the table begun last; prints it at once
    void note(const std::string& sentence); // a line below the rows
    void write_json(const std::filesystem::path& path) const;

    std::filesystem::path plots; // where tables that have pictures put them; empty: nowhere

private:
    struct Entry {
        std::string table;
        Row row;
    };
    std::string table_;
    std::vector<Entry> entries_;
};

// CPU seconds of this thread for each rival: they run in turn, `rounds` times, and the smallest of each counts, so that
// a busy machine troubles all alike.
[[nodiscard]] std::vector<double> race(std::span<const std::function<void()>> rivals, int rounds = 5);
[[nodiscard]] double wall_seconds(const std::function<void()>& work);

// The meshes that ./bench fetched by package name: "bunny.obj", "dragon.ply.gz"; Error{cannot_open} names what is
// missing.
[[nodiscard]] std::filesystem::path model(const std::string& name);

// A table is a function with a name; main() runs those that are asked for.
struct Table {
    std::string name;
    std::string title;
    void (*run)(Report& report);
};
[[nodiscard]] std::vector<Table>& tables();

struct Registration {
    Registration(std::string name, std::string title, void (*run)(Report&)) {
        tables().push_back({std::move(name), std::move(title), run});
    }
};

} // namespace fathom::bench
