// Traversal of a grid cell by cell.
#include <fathom/detect/point_field/dda_traversal.h>

#include <fathom/detect/point_field/grid_traversal.h>
#include <fathom/detect/point_field/interval_collectors.h>

namespace fathom::point_field {

void dda_intervals(const GridField& field, const GridPath& path, double level, std::vector<ContactInterval>& out) {
    const double slack = walk_slack(field.data(), path);
    AllContacts visitor{level, slack, &out};
    dda_walk(field, path, {level, slack}, visitor);
}

double dda_first(const GridField& field, const GridPath& path, double level) {
    const double slack = walk_slack(field.data(), path);
    FirstContact visitor{level, slack};
    dda_walk(field, path, {level, slack}, visitor);
    return visitor.time;
}

} // namespace fathom::point_field
