// Room: simulate. Recordings for ParaView: .vtu files packed by zlib, and a .pvd that gives them their times.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/geometry/format/output_buffer.h>
#include <fathom/geometry/format/zlib_bytes.h>
#include <fathom/simulate/recording_files.h>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr std::uint8_t vtk_vertex = 1, vtk_triangle = 5;

// One unstructured grid with data: arrays are packed as one block each behind the tags that name them.
class VtuFile {
public:
    enum class Part { points, cells, point_data, cell_data };

    template <class T>
    void add(Part part, std::string_view type, std::string_view name, int components, const std::vector<T>& values) {
        const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        tags_[static_cast<std::size_t>(part)] += fmt::format("        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
                                                            name, components, appended_.view().size());
        appended_.bytes<std::uint64_t>(bytes.empty() ? 0 : 1);
        appended_.bytes<std::uint64_t>(bytes.size());
        appended_.bytes<std::uint64_t>(0); // the last block is as long as the others
        if (bytes.empty()) return;
        const std::string packed = deflated(bytes);
        appended_.bytes<std::uint64_t>(packed.size());
        appended_.text(packed);
    }

    void write(const std::filesystem::path& path, std::size_t points, std::size_t cells) const {
        FileWriter file(path);
        file.write(fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                               "compressor=\"vtkZLibDataCompressor\">\n  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n      <Points>\n{}"
                               "      </Points>\n      <Cells>\n{}      </Cells>\n      <PointData>\n{}      </PointData>\n      <CellData>\n{}      </CellData>\n"
                               "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _",
                               points, cells, tags_[0], tags_[1], tags_[2], tags_[3]));
        file.write(appended_.view());
        file.write("\n  </AppendedData>\n</VTKFile>\n");
        file.finish();
    }

private:
    std::array<std::string, 4> tags_;
    OutputBuffer appended_;
};

void append(std::vector<float>& values, const Vec3& v) {
    for (int k = 0; k < 3; ++k) values.push_back(static_cast<float>(v[k]));
}

void add_cells(VtuFile& file, const std::vector<std::int32_t>& connectivity, std::size_t corners, std::uint8_t type) {
    const std::size_t count = connectivity.size() / corners;
    std::vector<std::int64_t> offsets(count);
    for (std::size_t k = 0; k < count; ++k) offsets[k] = static_cast<std::int64_t>((k + 1) * corners);
    file.add(VtuFile::Part::cells, "Int32", "connectivity", 1, connectivity);
    file.add(VtuFile::Part::cells, "Int64", "offsets", 1, offsets);
    file.add(VtuFile::Part::cells, "UInt8", "types", 1, std::vector<std::uint8_t>(count, type));
}

// The meshes of all bodies that are fixed, or of all that are not.
void write_bodies(const std::filesystem::path& path, const RecordedFrame& frame, std::span<const RigidBody> bodies, bool fixed) {
    std::vector<float> points;
    std::vector<std::int32_t> corners, body_of;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].fixed != fixed) continue;
        const auto first = static_cast<std::int32_t>(points.size() / 3);
        for (const Vec3& v : bodies[k].shape->mesh.vertices) append(points, frame.bodies[k].pose * v);
        for (const Triangle& t : bodies[k].shape->mesh.triangles) {
            for (const Index v : t) corners.push_back(first + static_cast<std::int32_t>(v));
            body_of.push_back(static_cast<std::int32_t>(k));
        }
    }
    VtuFile file;
    file.add(VtuFile::Part::points, "Float32", "Points", 3, points);
    add_cells(file, corners, 3, vtk_triangle);
    file.add(VtuFile::Part::cell_data, "Int32", "body", 1, body_of);
    file.write(path, points.size() / 3, body_of.size());
}

void write_contacts(const std::filesystem::path& path, const RecordedFrame& frame) {
    std::vector<float> points, normals, depths;
    std::vector<std::int32_t> vertices, shell_bodies, field_bodies;
    for (const BodyContact& c : frame.contacts) {
        vertices.push_back(static_cast<std::int32_t>(vertices.size()));
        append(points, c.record.position);
        append(normals, c.record.normal);
        depths.push_back(static_cast<float>(c.record.depth));
        shell_bodies.push_back(static_cast<std::int32_t>(c.shell_body));
        field_bodies.push_back(static_cast<std::int32_t>(c.field_body));
    }
    VtuFile file;
    file.add(VtuFile::Part::points, "Float32", "Points", 3, points);
    add_cells(file, vertices, 1, vtk_vertex);
    file.add(VtuFile::Part::point_data, "Float32", "normal", 3, normals);
    file.add(VtuFile::Part::point_data, "Float32", "depth", 1, depths);
    file.add(VtuFile::Part::point_data, "Int32", "shell_body", 1, shell_bodies);
    file.add(VtuFile::Part::point_data, "Int32", "field_body", 1, field_bodies);
    file.write(path, vertices.size(), vertices.size());
}

} // namespace

void write_vtk(const std::filesystem::path& pvd, const Recording& recording, std::span<const RigidBody> bodies, Progress* progress) {
    const std::string name = pvd.stem().string();
    const std::filesystem::path folder = pvd.parent_path() / name;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error(Cause::cannot_write, failed.message(), {.file = folder.string()});
    std::string sets;
    const auto list = [&](double time, int part, const std::string& file) {
        sets += fmt::format("    <DataSet timestep=\"{}\" part=\"{}\" file=\"{}/{}\"/>\n", time, part, name, file);
    };
    Stage stage(progress, "writing frames", recording.frames().size());
    for (std::size_t k = 0; k < recording.frames().size(); ++k) {
        const RecordedFrame& frame = recording.frames()[k];
        const std::string moving = fmt::format("bodies_{:06}.vtu", k), contacts = fmt::format("contacts_{:06}.vtu", k);
        if (k == 0) write_bodies(folder / "fixed.vtu", frame, bodies, true);
        write_bodies(folder / moving, frame, bodies, false);
        write_contacts(folder / contacts, frame);
        list(frame.time, 0, moving);
        list(frame.time, 1, "fixed.vtu");
        list(frame.time, 2, contacts);
        stage.step();
    }
    write_whole_file(pvd, fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n{}  </Collection>\n</VTKFile>\n", sets));
}

} // namespace fathom
