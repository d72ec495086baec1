// Benchmarks: rows, timing, and the fetched meshes.
#include <benchmarks/report.h>
#include <fathom/base/error.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace fathom::bench {

namespace {

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

double ratio(double ours, double peer, Better better) { return better == Better::smaller ? peer / ours : ours / peer; }

void Report::begin(const std::string& table, const std::string& title) {
    table_ = table;
    fmt::print("\n{}: {}\n", table, title);
    fmt::print("{:<26} {:<44} {:>10} {:<10} {:<24} {:>10} {:>7} {:>8}  {}\n", "id", "work", "ours", "unit", "peer",
               "peer's", "ratio", "MB", "error");
}

void Report::add(Row row) {
    const bool alone = row.peer.empty();
    fmt::print("{:<26} {:<44} {:>10.4g} {:<10} {:<24} {:>10} {:>7} {:>8}  {}\n", row.id, row.work, row.ours, row.unit,
               alone ? "-" : row.peer, alone ? "-" : fmt::format("{:.4g}", row.peer_value),
               alone ? "-" : fmt::format("{:.2f}", row.ratio), row.memory > 0 ? fmt::format("{:.1f}", row.memory) : "-",
               row.error);
    std::fflush(stdout);
    entries_.push_back({table_, std::move(row)});
}

void Report::note(const std::string& sentence) { fmt::print("  {}\n", sentence); }

void Report::write_json(const std::filesystem::path& path) const {
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& [table, row] : entries_)
        rows.push_back({{"table", table},
                        {"id", row.id},
                        {"work", row.work},
                        {"unit", row.unit},
                        {"ours", row.ours},
                        {"peer", row.peer},
                        {"peer_value", row.peer_value},
                        {"ratio", row.ratio},
                        {"error", row.error},
                        {"memory", row.memory}});
    std::ofstream stream(path);
    stream << rows.dump(2) << '\n';
    if (!stream) throw Error(Cause::cannot_write, "cannot write the rows", {.file = path.string()});
}

std::vector<double> race(std::span<const std::function<void()>> rivals, int rounds) {
    std::vector<double> best(rivals.size(), 1e300);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < rivals.size(); ++k) {
            const double start = thread_seconds();
            rivals[k]();
            best[k] = std::min(best[k], thread_seconds() - start);
        }
    return best;
}

double wall_seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::filesystem::path model(const std::string& name) {
    const char* folder = std::getenv("FATHOM_BENCH_MODELS");
    const std::filesystem::path path = std::filesystem::path(folder ? folder : ".") / name;
    if (!std::filesystem::exists(path))
        throw Error(Cause::cannot_open, "not there: ./bench fetches it", {.file = path.string()});
    return path;
}

std::vector<Table>& tables() {
    static std::vector<Table> all;
    return all;
}

} // namespace fathom::bench
