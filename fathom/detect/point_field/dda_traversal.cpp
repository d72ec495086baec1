// Traversal of a grid cell by cell.
#include <fathom/detect/point_field/dda_traversal.h>

#include <fathom/detect/point_field/grid_traversal.h>
#include <fathom/detect/point_field/interval_collectors.h>

namespace fathom {

namespace {

template <class Visitor>
void walk(const GridField& field, const GridPath& path, const LevelBand& band, Visitor& visitor) {
    CellStepper stepper(field.data(), path);
    if (stepper.done()) return;
    do {
        if (stepper.visit_cell(band, visitor)) return;
    } while (stepper.leave(1));
    visitor.ends(path.end);
}

} // namespace

void dda_intervals(const GridField& field, const GridPath& path, double level, CellTest test,
                   std::vector<ContactInterval>& out) {
    if (test == CellTest::paper) {
        PaperContacts visitor{level, out};
        walk(field, path, {level, 0}, visitor);
    } else {
        const double slack = walk_slack(field.data(), path);
        AllContacts visitor{level, slack, &out};
        walk(field, path, {level, slack}, visitor);
    }
}

double dda_first(const GridField& field, const GridPath& path, double level) {
    const double slack = walk_slack(field.data(), path);
    FirstContact visitor{level, slack};
    walk(field, path, {level, slack}, visitor);
    return visitor.time;
}

} // namespace fathom
