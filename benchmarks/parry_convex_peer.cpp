// Benchmarks: runs parry's program on a scene, by files.
#include <benchmarks/parry_convex_peer.h>
#include <fathom/base/error.h>

#include <fmt/format.h>
#include <fmt/os.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace fathom::bench {

namespace {

std::string text_of(const ConvexShape& shape) {
    switch (shape.kind) {
    case ConvexKind::sphere:
        return fmt::format("sphere {}", shape.radius);
    case ConvexKind::box:
        return fmt::format("box {} {} {}", shape.size.x(), shape.size.y(), shape.size.z());
    case ConvexKind::capsule:
        return fmt::format("capsule {} {}", shape.radius, shape.length);
    case ConvexKind::cylinder:
        return fmt::format("cylinder {} {}", shape.radius, shape.length);
    case ConvexKind::hull:
        break;
    }
    std::string text = fmt::format("hull {}", shape.hull.vertices.size());
    for (const Vec3& v : shape.hull.vertices) text += fmt::format("\n{} {} {}", v.x(), v.y(), v.z());
    return text;
}

std::string text_of(const Pose& pose) {
    const Vec3& t = pose.translation;
    const Quat& q = pose.rotation;
    return fmt::format("{} {} {} {} {} {} {}", t.x(), t.y(), t.z(), q.x(), q.y(), q.z(), q.w());
}

const char* text_of(ConvexQuestion question) {
    return question == ConvexQuestion::collide    ? "collide"
           : question == ConvexQuestion::contacts ? "contacts"
                                                  : "distance";
}

void write_input(const std::filesystem::path& path, const ConvexScene& scene, ConvexQuestion question, int rounds) {
    fmt::ostream out = fmt::output_file(path.string());
    out.print("{} {}\n{}\n{}\n{}\n", text_of(question), rounds, text_of(scene.a), text_of(scene.b), scene.poses.size());
    for (const PosePair& pair : scene.poses) out.print("{} {}\n", text_of(pair.a), text_of(pair.b));
}

TimedAnswers answers_of(const nlohmann::json& entry) {
    const auto &touching = entry.at("touching"), &points = entry.at("points"), &distance = entry.at("distance");
    TimedAnswers result{entry.at("name"), 0, std::vector<ConvexAnswer>(touching.size())};
    result.seconds = 1e-9 * entry.at("nanoseconds").get<double>() * static_cast<double>(touching.size());
    for (std::size_t k = 0; k < touching.size(); ++k) {
        result.answers[k].touching = touching[k];
        result.answers[k].points = points[k];
        if (!distance[k].is_null()) result.answers[k].distance = distance[k];
    }
    return result;
}

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("fathom_bench_{}", static_cast<long>(getpid()));

    Folder() { std::filesystem::create_directories(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

} // namespace

std::vector<TimedAnswers> parry_answers(const ConvexScene& scene, ConvexQuestion question, int rounds) {
    const std::filesystem::path program = FATHOM_BENCH_PARRY;
    if (!std::filesystem::exists(program)) return {};
    const Folder folder;
    const std::filesystem::path input = folder.path / "input.txt", output = folder.path / "output.json";
    write_input(input, scene, question, rounds);
    const std::string command = fmt::format("'{}' '{}' '{}'", program.string(), input.string(), output.string());
    if (std::system(command.c_str()) != 0)
        throw Error(Cause::import_failed, "parry has failed", {.file = program.string()});
    std::ifstream stream(output);
    std::vector<TimedAnswers> all;
    for (const nlohmann::json& entry : nlohmann::json::parse(stream)) all.push_back(answers_of(entry));
    return all;
}

} // namespace fathom::bench
