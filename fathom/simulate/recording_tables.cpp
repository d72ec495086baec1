// Room: simulate. Recordings as comma-separated tables and a summary in JSON.
#include <fathom/base/file.h>
#include <fathom/simulate/recording_files.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace fathom {

namespace {

std::string numbers(const Vec3& v) { return fmt::format("{},{},{}", v.x(), v.y(), v.z()); }

nlohmann::ordered_json array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::ordered_json summary_of(const Energy& e) {
    return {{"kinetic", e.kinetic}, {"potential", e.potential}, {"stored", e.stored}, {"total", e.total()}};
}

} // namespace

void write_energy_csv(const std::filesystem::path& path, const Recording& recording) {
    std::string text = "step,time,kinetic,potential,stored,total,deepest,contacts\n";
    for (const RecordedFrame& f : recording.frames())
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", f.step, f.time, f.energy.kinetic, f.energy.potential, f.energy.stored, f.energy.total(),
                       f.deepest, f.contact_count);
    write_whole_file(path, text);
}

void write_states_csv(const std::filesystem::path& path, const Recording& recording, std::span<const RigidBody> bodies) {
    std::string text = "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
    for (const RecordedFrame& f : recording.frames())
        for (std::size_t k = 0; k < f.bodies.size(); ++k) {
            if (bodies[k].fixed) continue;
            const BodyFrame& b = f.bodies[k];
            const Quat& q = b.pose.rotation;
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", f.step, f.time, k, numbers(b.pose * bodies[k].shape->center), q.w(), q.x(), q.y(),
                           q.z(), numbers(b.velocity), numbers(b.spin));
        }
    write_whole_file(path, text);
}

void write_contacts_csv(const std::filesystem::path& path, const Recording& recording) {
    std::string text = "step,time,shell_body,field_body,point,x,y,z,nx,ny,nz,depth\n";
    for (const RecordedFrame& f : recording.frames())
        for (const BodyContact& c : f.contacts)
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", f.step, f.time, c.shell_body, c.field_body, c.record.point, numbers(c.record.position),
                           numbers(c.record.normal), c.record.depth);
    write_whole_file(path, text);
}

void write_summary_json(const std::filesystem::path& path, const Recording& recording, const RigidWorld& world) {
    nlohmann::ordered_json json = {{"steps", world.steps()}, {"time", world.time()}, {"step", world.options().step}, {"frames", recording.frames().size()},
                                   {"every", recording.every()}};
    if (!recording.frames().empty()) json["energy_at_start"] = summary_of(recording.frames().front().energy);
    json["energy"] = summary_of(world.energy());
    json["highest_energy"] = recording.highest_energy();
    json["worst_penetration"] = recording.worst_penetration();
    json["detect_seconds"] = recording.detect_seconds();
    json["respond_seconds"] = recording.respond_seconds();
    json["state_hash"] = world.state_hash().text();
    for (Index k = 0; k < world.bodies().size(); ++k) {
        const BodyState& s = world.states()[k];
        const Quat& q = s.rotation;
        json["bodies"].push_back({{"name", world.bodies()[k].name}, {"fixed", world.bodies()[k].fixed}, {"points", world.bodies()[k].shape->point_count()},
                                  {"center", array(s.center)}, {"rotation", {q.w(), q.x(), q.y(), q.z()}}, {"velocity", array(s.velocity)}, {"spin", array(s.spin)},
                                  {"asleep", s.asleep}});
    }
    write_whole_file(path, json.dump(2) + "\n");
}

} // namespace fathom
