// Recordings as CSV tables, as a summary in JSON, and as VTK files for ParaView.
#include <fathom/simulate/record/recording_files.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/geometry/io/vtu.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace fathom {

// ---- CSV tables and summary.

namespace {

std::string numbers(const Vec3& v) { return fmt::format("{},{},{}", v.x(), v.y(), v.z()); }

// An unknown feature is an empty cell.
std::string number(Index k) { return k == no_index ? std::string{} : fmt::format("{}", k); }

nlohmann::ordered_json array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

nlohmann::ordered_json summary_of(const Energy& e) {
    return {{"kinetic", e.kinetic}, {"potential", e.potential}, {"stored", e.stored}, {"total", e.total()}};
}

std::string_view name(Status status) {
    return status == Status::overlapping ? "overlapping" : status == Status::disjoint ? "disjoint" : "undecided";
}

// True if a contact of the pair is in the frame.
bool listed(const RecordedFrame& frame, const RecordedPair& pair) {
    return std::any_of(frame.contacts.begin(), frame.contacts.end(),
                       [&](const BodyContact& c) { return c.a == pair.a && c.b == pair.b; });
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
    std::string text = "step,time,a,b,feature_a,feature_b,x,y,z,nx,ny,nz,depth,status\n";
    for (const RecordedFrame& f : recording.frames()) {
        for (const BodyContact& c : f.contacts)
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", f.step, f.time, c.a, c.b,
                           number(c.feature_a), number(c.feature_b), numbers(c.position), numbers(c.normal), c.depth,
                           name(Status::overlapping));
        for (const RecordedPair& p : f.pairs)
            if (!listed(f, p))
                fmt::format_to(std::back_inserter(text), "{},{},{},{},,,,,,,,,{},{}\n", f.step, f.time, p.a, p.b,
                               p.depth, name(p.status));
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

std::string summary_json(const Recording& recording, const RecordedFrame& end, const Fingerprint& state_hash) {
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
    return json.dump(2) + "\n";
}

// ---- VTK: .vtu files, and a .pvd file with their times.

namespace {

void append(std::vector<float>& values, const Vec3& v) {
    for (int k = 0; k < 3; ++k) values.push_back(static_cast<float>(v[k]));
}

template <class T>
std::span<const T> all(const std::vector<T>& values) {
    return values;
}

// Writes the meshes of all fixed bodies, or of all others.
void write_bodies(const std::filesystem::path& path, const RecordedFrame& frame, std::span<const RecordedBody> bodies,
                  bool fixed) {
    std::vector<float> points;
    std::vector<std::int32_t> corners, body_of;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].fixed != fixed || bodies[k].cloud) continue;
        const auto first = static_cast<std::int32_t>(points.size() / 3);
        const TriangleMesh& mesh = *bodies[k].mesh;
        for (std::size_t v = 0; v < frame.vertex_count(k, mesh); ++v) append(points, frame.vertex(k, mesh, v));
        for (const Triangle& t : frame.triangles(k, mesh)) {
            for (const Index v : t) corners.push_back(first + static_cast<std::int32_t>(v));
            body_of.push_back(static_cast<std::int32_t>(k));
        }
    }
    VtuFile file;
    file.add(VtuFile::Part::points, R"(type="Float32" Name="Points" NumberOfComponents="3")", all(points));
    file.add_cells(corners, 3, vtk_triangle);
    file.add(VtuFile::Part::cell_data, R"(type="Int32" Name="body")", all(body_of));
    write_whole_file(path, file.text(points.size() / 3, body_of.size()));
}

void write_contacts(const std::filesystem::path& path, const RecordedFrame& frame) {
    std::vector<float> points, normals, depths;
    std::vector<std::int32_t> vertices, bodies_a, bodies_b;
    for (const BodyContact& c : frame.contacts) {
        vertices.push_back(static_cast<std::int32_t>(vertices.size()));
        append(points, c.position);
        append(normals, c.normal);
        depths.push_back(static_cast<float>(c.depth));
        bodies_a.push_back(static_cast<std::int32_t>(c.a));
        bodies_b.push_back(static_cast<std::int32_t>(c.b));
    }
    VtuFile file;
    file.add(VtuFile::Part::points, R"(type="Float32" Name="Points" NumberOfComponents="3")", all(points));
    file.add_cells(vertices, 1, vtk_vertex);
    file.add(VtuFile::Part::point_data, R"(type="Float32" Name="normal" NumberOfComponents="3")", all(normals));
    file.add(VtuFile::Part::point_data, R"(type="Float32" Name="depth")", all(depths));
    file.add(VtuFile::Part::point_data, R"(type="Int32" Name="a")", all(bodies_a));
    file.add(VtuFile::Part::point_data, R"(type="Int32" Name="b")", all(bodies_b));
    write_whole_file(path, file.text(vertices.size(), vertices.size()));
}

void write_clouds(const std::filesystem::path& path, const RecordedFrame& frame, std::span<const RecordedBody> bodies) {
    std::vector<float> points, velocities, ages;
    std::vector<std::int32_t> vertices, body_of;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (!bodies[k].cloud) continue;
        const BodyFrame& cloud = frame.bodies[k];
        for (std::size_t v = 0; v < cloud.vertices.size(); ++v) {
            vertices.push_back(static_cast<std::int32_t>(vertices.size()));
            append(points, cloud.vertices[v].cast<double>());
            append(velocities, cloud.velocities[v].cast<double>());
            ages.push_back(cloud.ages[v]);
            body_of.push_back(static_cast<std::int32_t>(k));
        }
    }
    VtuFile file;
    file.add(VtuFile::Part::points, R"(type="Float32" Name="Points" NumberOfComponents="3")", all(points));
    file.add_cells(vertices, 1, vtk_vertex);
    file.add(VtuFile::Part::point_data, R"(type="Float32" Name="velocity" NumberOfComponents="3")", all(velocities));
    file.add(VtuFile::Part::point_data, R"(type="Float32" Name="age")", all(ages));
    file.add(VtuFile::Part::point_data, R"(type="Int32" Name="body")", all(body_of));
    write_whole_file(path, file.text(vertices.size(), vertices.size()));
}

} // namespace

void write_vtk(const std::filesystem::path& pvd, const Recording& recording, Progress* progress) {
    const std::string name = pvd.stem().string();
    const std::filesystem::path folder = pvd.parent_path() / name;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error(Cause::cannot_write, failed.message(), {.file = folder.string()});
    std::string sets;
    const auto list = [&](double time, int part, const std::string& file) {
        sets += fmt::format("    <DataSet timestep=\"{}\" part=\"{}\" file=\"{}/{}\"/>\n", time, part, name, file);
    };
    const bool clouds = std::any_of(recording.bodies().begin(), recording.bodies().end(),
                                    [](const RecordedBody& body) { return body.cloud; });
    Stage stage(progress, "writing frames", recording.frames().size());
    for (std::size_t k = 0; k < recording.frames().size(); ++k) {
        const RecordedFrame& frame = recording.frames()[k];
        const std::string moving = fmt::format("bodies_{:06}.vtu", k), contacts = fmt::format("contacts_{:06}.vtu", k);
        if (k == 0) write_bodies(folder / "fixed.vtu", frame, recording.bodies(), true);
        write_bodies(folder / moving, frame, recording.bodies(), false);
        write_contacts(folder / contacts, frame);
        list(frame.time, 0, moving);
        list(frame.time, 1, "fixed.vtu");
        list(frame.time, 2, contacts);
        if (clouds) {
            const std::string points = fmt::format("points_{:06}.vtu", k);
            write_clouds(folder / points, frame, recording.bodies());
            list(frame.time, 3, points);
        }
        stage.step();
    }
    write_whole_file(pvd, fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                                      "byte_order=\"LittleEndian\">\n  <Collection>\n{}  </Collection>\n</VTKFile>\n",
                                      sets));
}

} // namespace fathom
