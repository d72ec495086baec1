// Dispatch of the grid traversal to the SIMD target of the CPU, for one segment and for many.
#include <fathom/detect/point_field/grid_traversal.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/detect/point_field/grid_traversal.cpp"
#include <hwy/foreach_target.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/point_field/grid_traversal-inl.h>
#include <fathom/detect/point_field/grid_traversal_batch-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::point_field::HWY_NAMESPACE {

HWY_ATTR double first_of_one(const GridData& data, const EmptySpaceMap& map, const GridPath& path) {
    FirstContact visitor{map.level, walk_slack(data, path)};
    walk_one(data, map, path, visitor);
    return visitor.time;
}

HWY_ATTR void all_of_one(const GridData& data, const EmptySpaceMap& map, const GridPath& path,
                         std::vector<ContactInterval>& out) {
    AllContacts visitor{map.level, walk_slack(data, path), &out};
    walk_one(data, map, path, visitor);
}

HWY_ATTR void first_of_many(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments,
                            std::span<double> times) {
    Wave<FirstOfEach>(data, map, segments, {map.level, times}).run();
}

HWY_ATTR void all_of_many(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments,
                          WalkIntervals& out) {
    Wave<AllOfEach>(data, map, segments, {map.level, &out}).run();
}

} // namespace fathom::point_field::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom::point_field {

HWY_EXPORT(first_of_one);
HWY_EXPORT(all_of_one);
HWY_EXPORT(first_of_many);
HWY_EXPORT(all_of_many);

double walk_slack(const GridData& data, const GridPath& path) {
    const double steep = data.lipschitz * data.layout.cell;
    // Corner values of a cell that contains the level differ from it by at most the diagonal of a brick.
    return rounding_error(128) * (14 * steep + data.step) + rounding_error(64) * path.reach * steep;
}

double walk_first(const GridData& data, const EmptySpaceMap& map, const GridPath& path) {
    return HWY_DYNAMIC_DISPATCH(first_of_one)(data, map, path);
}

void walk_all(const GridData& data, const EmptySpaceMap& map, const GridPath& path, std::vector<ContactInterval>& out) {
    HWY_DYNAMIC_DISPATCH(all_of_one)(data, map, path, out);
}

void walk_first(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments,
                std::span<double> times) {
    HWY_DYNAMIC_DISPATCH(first_of_many)(data, map, segments, times);
}

void walk_all(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments, WalkIntervals& out) {
    HWY_DYNAMIC_DISPATCH(all_of_many)(data, map, segments, out);
}

} // namespace fathom::point_field
#endif
