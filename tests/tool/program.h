// Runs the built program in a shell and captures its output and exit code.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>

namespace fathom::testing {

// Temporary folder, removed by the destructor.
class Folder {
public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "fathom_tool_XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return file(name);
    }

private:
    std::filesystem::path path_;
};

[[nodiscard]] inline std::string content_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

struct Outcome {
    int exit_code = -1; // -1 if a signal terminated the program
    std::string out;
    std::string err;
};

// `arguments` is the command line without the program; `before` is a shell prefix that sets variables or the folder.
[[nodiscard]] inline Outcome run(const std::string& arguments, const std::string& before = {}) {
    const Folder folder;
    const std::string command =
        before + " '" FATHOM_TOOL "' " + arguments + " </dev/null 2>'" + folder.file("err") + "'";
    Outcome outcome;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return outcome;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        outcome.out.append(buffer.data(), n);
    const int status = pclose(pipe);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.err = content_of(folder.file("err"));
    return outcome;
}

inline const std::string quoted(const std::string& path) { return "'" + path + "'"; }

inline constexpr const char* tetrahedron_obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                               "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
inline constexpr const char* inside_out_obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                              "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n";
inline constexpr const char* open_obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
inline constexpr const char* one_tetrahedron_msh =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
    "4 0 0 1\n5 9 9 9\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";

} // namespace fathom::testing
