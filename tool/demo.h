// Parts of the demo. Each part runs one example, prints a line on the terminal, and adds a section to the report.
#pragma once

#include <tool/commands.h>

#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/show/image.h>
#include <fathom/show/viewer_document.h>
#include <tool/report_page.h>

#include <filesystem>
#include <memory>
#include <string>

namespace fathom::tool {

struct Demo {
    std::filesystem::path folder;
    Session& session;
    Report report;

    void print_line(const std::string& line);
    // Writes the picture to a file of that name and returns it for the report.
    [[nodiscard]] ReportPicture picture(const std::string& file, const Image& image, const std::string& caption) const;
    // Writes NAME.html next to the report and adds a link to the section. Does nothing if the library was built without
    // the viewer.
    void add_view(ReportSection& section, const std::string& name, const std::string& label,
                  ViewerDocument document) const;
};

// demo_shapes.cpp
void show_shapes(Demo& demo);
[[nodiscard]] TriangleMesh show_creature(Demo& demo);
void show_defects(Demo& demo, const TriangleMesh& whole);
void show_point_shell(Demo& demo);
// demo_fields.cpp
[[nodiscard]] std::shared_ptr<const GridField> show_field(Demo& demo, const TriangleMesh& mesh);
void show_collision(Demo& demo, const std::shared_ptr<const GridField>& creature);
void show_sweep(Demo& demo, const std::shared_ptr<const GridField>& creature);
// demo_scenes.cpp
void show_rigid_drop(Demo& demo);
void show_soft_bodies(Demo& demo);
void show_fracture(Demo& demo);
void show_particles(Demo& demo);
// demo_depth.cpp
void show_depth_maps(Demo& demo);

} // namespace fathom::tool
