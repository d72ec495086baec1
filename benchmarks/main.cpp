// Benchmarks beside the peers. Usage: fathom_bench [TABLE...] [--json FILE] [--plots DIR] [--list]
#include <benchmarks/report.h>
#include <fathom/base/error.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace fathom::bench;

// "fields" asks for "fields/build" and its sisters too.
bool asked_for(const Table& table, const std::string& name) {
    return table.name == name || table.name.starts_with(name + '/');
}

int list() {
    for (const Table& table : tables()) std::printf("%-16s %s\n", table.name.c_str(), table.title.c_str());
    return 0;
}

int run(const std::vector<std::string>& wanted, const std::string& json, const std::string& plots) {
    Report report;
    report.plots = plots;
    for (const std::string& name : wanted)
        if (std::none_of(tables().begin(), tables().end(), [&](const Table& t) { return asked_for(t, name); })) {
            std::fprintf(stderr, "fathom_bench: no table '%s'; --list shows them\n", name.c_str());
            return 2;
        }
    for (const Table& table : tables()) {
        const auto asked = [&](const std::string& name) { return asked_for(table, name); };
        if (!wanted.empty() && std::none_of(wanted.begin(), wanted.end(), asked)) continue;
        report.begin(table.name.substr(0, table.name.find('/')), table.title);
        table.run(report);
    }
    if (!json.empty()) report.write_json(json);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    std::sort(tables().begin(), tables().end(), [](const Table& a, const Table& b) { return a.name < b.name; });
    std::vector<std::string> wanted;
    std::string json, plots;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--list") return list();
        if (argument == "--json" && i + 1 < argc) {
            json = argv[++i];
        } else if (argument == "--plots" && i + 1 < argc) {
            plots = argv[++i];
        } else if (argument.starts_with("-")) {
            std::fprintf(stderr, "usage: fathom_bench [TABLE...] [--json FILE] [--plots DIR] [--list]\n");
            return 2;
        } else {
            wanted.push_back(argument);
        }
    }
    try {
        return run(wanted, json, plots);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fathom_bench: %s\n", error.what());
        return 1;
    }
}
