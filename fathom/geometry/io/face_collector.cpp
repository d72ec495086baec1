// Notes on the faces of a file.
#include <fathom/geometry/io/face_collector.h>

#include <fmt/format.h>

namespace fathom {

void FaceCollector::finish() {
    ReadReport& report = file_.report;
    if (report.skipped_faces > 0)
        report.notes.push_back(
            fmt::format("skipped {} lines, points and faces with fewer than three corners", report.skipped_faces));
    if (unclean_ > 0)
        report.notes.push_back(
            fmt::format("{} polygons intersect themselves or are too complex; their triangles overlap", unclean_));
}

} // namespace fathom
