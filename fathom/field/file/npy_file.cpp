// Tables of numbers in NumPy files.
#include <fathom/base/file.h>
#include <fathom/base/mapped_file.h>
#include <fathom/field/file/npy_array.h>
#include <fathom/field/file/npy_file.h>

#include <fmt/format.h>

namespace fathom {

namespace {

std::size_t columns_of(const NpyHead& head, const Source& source) {
    if (head.shape.size() != 1 && head.shape.size() != 2)
        throw Error(Cause::unsupported, fmt::format("an array of {} dimensions is no table", head.shape.size()),
                    {.file = source.name, .element = "shape"});
    return head.shape.size() == 1 ? 1 : static_cast<std::size_t>(head.shape[1]);
}

} // namespace

std::vector<Vec3> read_npy_points(const std::filesystem::path& path) {
    const MappedFile file(path);
    const Source source{file.bytes(), path.string()};
    const NpyHead head = read_npy_head(source);
    if (columns_of(head, source) != 3)
        throw Error(Cause::unsupported, "points are an array of shape (N, 3)",
                    {.file = source.name, .element = "shape"});
    std::vector<Vec3> points(head.count / 3);
    visit_npy_table(source, head, [&](std::size_t row, std::size_t column, double value) {
        points[row][static_cast<Eigen::Index>(column)] = value;
    });
    return points;
}

NpyTable read_npy_table(const std::filesystem::path& path) {
    const MappedFile file(path);
    const Source source{file.bytes(), path.string()};
    const NpyHead head = read_npy_head(source);
    NpyTable table{std::max<std::size_t>(columns_of(head, source), 1), std::vector<double>(head.count)};
    visit_npy_table(source, head, [&](std::size_t row, std::size_t column, double value) {
        table.values[row * table.columns + column] = value;
    });
    return table;
}

void write_npy_table(const std::filesystem::path& path, std::span<const double> values, std::size_t columns) {
    if (columns == 0 || values.size() % columns != 0)
        throw Error(Cause::invalid_argument, fmt::format("{} numbers are no whole rows of {}", values.size(), columns),
                    {.file = path.string()});
    FileWriter file(path);
    file.write(written_npy_head(true, false, {values.size() / columns, columns}));
    file.write(std::as_bytes(values));
    file.finish();
}

} // namespace fathom
