// Recordings as comma-separated tables and a summary in JSON.
#include <fathom/base/file.h>
#include <fathom/simulate/record/recording_files.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace fathom {

namespace {

std::string numbers(const Vec3& v) { return fmt::format("{},{},{}", v.x(), v.y(), v.z()); }

nlohmann::ordered_json array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::ordered_json summary_of(const Energy& e) {
    return {{"kinetic", e.kinetic}, {"potential", e.potential}, {"stored", e.stored}, {"total", e.total()}};
}

std::string_view name(Verdict verdict) {
    return verdict == Verdict::overlapping ? "overlapping" : verdict == Verdict::disjoint ? "disjoint" : "undecided";
}

// By one of its contacts.
bool listed(const RecordedFrame& frame, const RecordedPair& pair) {
    return std::any_of(frame.contacts.begin(), frame.contacts.end(),
                       [&](const RecordedContact& c) { return c.body == pair.body && c.other == pair.other; });
}

} // namespace

void write_energy_csv(const std::filesystem::path& path, const Recording& recording) {
    std::string text = "step,time,kinetic,potential,stored,total,deepest,contacts\n";
    for (const RecordedFrame& f : recording.frames())
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", f.step, f.time, f.energy.kinetic,
                       f.energy.potential, f.energy.stored, f.energy.total(), f.deepest, f.contact_count);
    write_whole_file(path, text);
}

void write_states_csv(const std::filesystem::path& path, const Recording& recording) {
    std::string text = "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
    for (const RecordedFrame& f : recording.frames())
        for (std::size_t k = 0; k < f.bodies.size(); ++k) {
            if (recording.bodies()[k].fixed) continue;
            const BodyFrame& b = f.bodies[k];
            const Quat& q = b.pose.rotation;
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", f.step, f.time, k,
                           numbers(b.pose * recording.bodies()[k].center), q.w(), q.x(), q.y(), q.z(),
                           numbers(b.velocity), numbers(b.spin));
        }
    write_whole_file(path, text);
}

void write_contacts_csv(const std::filesystem::path& path, const Recording& recording) {
    std::string text = "step,time,body,other,point,x,y,z,nx,ny,nz,depth,verdict\n";
    for (const RecordedFrame& f : recording.frames()) {
        for (const RecordedContact& c : f.contacts)
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", f.step, f.time, c.body, c.other,
                           c.point, numbers(c.position), numbers(c.normal), c.depth, name(Verdict::overlapping));
        for (const RecordedPair& p : f.pairs)
            if (!listed(f, p))
                fmt::format_to(std::back_inserter(text), "{},{},{},{},,,,,,,,{},{}\n", f.step, f.time, p.body, p.other,
                               p.depth, name(p.verdict));
    }
    write_whole_file(path, text);
}

void write_points_csv(const std::filesystem::path& path, const RecordedFrame& frame) {
    std::string text = "body,x,y,z,vx,vy,vz,age\n";
    for (std::size_t k = 0; k < frame.bodies.size(); ++k) {
        const BodyFrame& cloud = frame.bodies[k];
        for (std::size_t v = 0; v < cloud.ages.size(); ++v)
            fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", k, numbers(cloud.vertices[v].cast<double>()),
                           numbers(cloud.velocities[v].cast<double>()), cloud.ages[v]);
    }
    write_whole_file(path, text);
}

void write_summary_json(const std::filesystem::path& path, const Recording& recording, const RecordedFrame& end,
                        const Fingerprint& state_hash) {
    nlohmann::ordered_json json = {
        {"steps", end.step}, {"time", end.time}, {"frames", recording.frames().size()}, {"every", recording.every()}};
    if (!recording.frames().empty()) json["energy_at_start"] = summary_of(recording.frames().front().energy);
    json["energy"] = summary_of(end.energy);
    json["highest_energy"] = recording.highest_energy();
    json["worst_penetration"] = recording.worst_penetration();
    json["detect_seconds"] = recording.detect_seconds();
    json["respond_seconds"] = recording.respond_seconds();
    json["state_hash"] = state_hash.text();
    for (std::size_t k = 0; k < end.bodies.size(); ++k) {
        const RecordedBody& body = recording.bodies()[k];
        const BodyFrame& state = end.bodies[k];
        const Quat& q = state.pose.rotation;
        json["bodies"].push_back({{"name", body.name},
                                  {"fixed", body.fixed},
                                  {"vertices", end.vertex_count(k, *body.mesh)},
                                  {"center", array(state.pose * body.center)},
                                  {"rotation", {q.w(), q.x(), q.y(), q.z()}},
                                  {"velocity", array(state.velocity)},
                                  {"spin", array(state.spin)},
                                  {"asleep", state.asleep}});
    }
    write_whole_file(path, json.dump(2) + "\n");
}

} // namespace fathom
