// What the parts of the demo share: they show something, say so on the terminal, and leave a section in the report.
#pragma once

#include <tool/verbs.h>

#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/triangle_mesh.h>
#include <fathom/show/image.h>
#include <fathom/show/report_page.h>
#include <fathom/show/viewer_document.h>

#include <filesystem>
#include <memory>
#include <string>

namespace fathom::tool {

struct Tour {
    std::filesystem::path folder;
    Session& session;
    Report report;

    void say(const std::string& line);
    // The picture as a file of that name, and as a part of the report.
    [[nodiscard]] ReportPicture picture(const std::string& file, const Image& image, const std::string& caption) const;
    // NAME.html beside the report, and the link to it; nothing where the library was built without the viewer.
    void add_view(ReportSection& section, const std::string& name, const std::string& words,
                  ViewerDocument document) const;
};

// demo_shapes.cpp
void show_shapes(Tour& tour);
[[nodiscard]] TriangleMesh show_creature(Tour& tour);
void show_damage(Tour& tour, const TriangleMesh& whole);
void show_point_shell(Tour& tour);
// demo_fields.cpp
[[nodiscard]] std::shared_ptr<const GridField> show_field(Tour& tour, const TriangleMesh& mesh);
void show_meeting(Tour& tour, const std::shared_ptr<const GridField>& creature);
void show_passing(Tour& tour, const std::shared_ptr<const GridField>& creature);
// demo_scenes.cpp
void show_drop(Tour& tour);
void show_soft_heap(Tour& tour);
void show_breaking(Tour& tour);
void show_fire(Tour& tour);
// demo_depth.cpp
void show_flight(Tour& tour);

} // namespace fathom::tool
