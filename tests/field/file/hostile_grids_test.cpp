// Damaged and greedy grid files: an Error or a field, and nothing else; within 20 times the size of the file + 64 MB.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/base/file.h>
#include <fathom/base/isolate.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/grid/bake.h>
#include <support/plain_fields.h>
#include <support/scratch_folder.h>
#include <support/sources.h>
#include <support/test_counts.h>

#include <fmt/format.h>

#include <cstring>
#include <functional>

namespace fathom {
namespace hostile_grids_test {

using testing::bytes_of;
using testing::ScratchFolder;

enum Outcome : std::size_t { read_well, refused, exhausted, outcome_count };
using Counts = std::array<std::size_t, outcome_count>;

Outcome outcome_of(std::string_view bytes, const std::string& name) {
    try {
        const GridFile file = read_grid_file(bytes_of(bytes), name);
        return std::isnan(file.field.distance(file.field.domain().center())) ? exhausted : read_well;
    } catch (const Error& error) {
        return error.reason().find("does not fit into memory") != std::string::npos || error.place().file.empty()
                   ? exhausted
                   : refused;
    }
}

// Runs in a child process with limited memory; any failure there fails the test.
Counts counts_in_child(const std::string& name, std::size_t size, const std::function<void(Counts&)>& run) {
    const IsolateResult result = run_isolated(
        [&] {
            set_thread_count(1); // the threads of the parent are not there
            Counts counts{};
            run(counts);
            const auto raw = std::as_bytes(std::span(counts));
            return std::vector<std::byte>(raw.begin(), raw.end());
        },
        {.memory = 19 * size + (std::size_t{64} << 20), .seconds = 300}); // the bytes themselves are there already
    EXPECT_EQ(result.status, IsolateStatus::finished) << name << ": " << result.reason;
    Counts counts{};
    if (result.bytes.size() == sizeof(counts)) std::memcpy(counts.data(), result.bytes.data(), sizeof(counts));
    EXPECT_EQ(counts[exhausted], 0u) << name;
    return counts;
}

TEST(HostileGrids, cuts_and_flips_of_every_format_end_in_a_field_or_an_error) {
    const ScratchFolder folder;
    const GridField field = bake(testing::TorusField(1, 0.3), {.box = {}, .resolution = 48});
    Counts total{};
    for (const char* ending : {"fathom", "npy", "nrrd", "vti", "sdf", "dist"}) {
        const std::string name = fmt::format("grid.{}", ending);
        write_grid_file(field, folder / name);
        const Bytes file = read_whole_file(folder / name);
        const std::string whole(reinterpret_cast<const char*>(file.span().data()), file.size());
        const Counts counts = counts_in_child(name, whole.size(), [&](Counts& c) {
            for (std::size_t k = 0; k <= 16; ++k)
                ++c[outcome_of(std::string_view(whole).substr(0, whole.size() * k / 16), name)];
            Random random(7);
            for (std::size_t k = 0; k < testing::count_of(40, 2000); ++k) {
                std::string damaged = whole;
                for (std::size_t n = 1 + random.below(6); n > 0; --n)
                    damaged[random.below(k % 2 == 0 ? std::min<std::size_t>(whole.size(), 300) : whole.size())] =
                        static_cast<char>(random.bits());
                ++c[outcome_of(damaged, name)];
            }
        });
        EXPECT_GE(counts[read_well], 1u) << name;
        EXPECT_GE(counts[refused], 16u) << name;
        for (std::size_t k = 0; k < outcome_count; ++k) total[k] += counts[k];
    }
    EXPECT_GT(total[read_well], 40u);
}

struct Greedy {
    std::string name, content;
};

std::string npy_of(std::string_view type, std::string_view shape, std::size_t bytes) {
    std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}\n", type, shape);
    std::string file = "\x93NUMPY\x01";
    file += '\0';
    append_little_endian(file, static_cast<std::uint16_t>(head.size()));
    return file.append(head).append(bytes, '\0');
}

std::string nrrd_of(std::string_view type, std::string_view sizes, std::string_view encoding, std::string_view data) {
    return fmt::format(
        "NRRD0004\ntype: {}\ndimension: 3\nsizes: {}\nspacings: 1 1 1\nendian: little\nencoding: {}\n\n{}", type, sizes,
        encoding, data);
}

std::string vti_of(std::size_t n, std::string_view extent, const std::string& packed) {
    std::string data;
    for (const std::uint64_t x : {std::uint64_t{1}, std::uint64_t{n}, std::uint64_t{0}, std::uint64_t{packed.size()}})
        append_little_endian(data, x);
    return fmt::format(
        "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
        "compressor=\"vtkZLibDataCompressor\">"
        "<ImageData WholeExtent=\"{0}\" Spacing=\"1 1 1\"><Piece Extent=\"{0}\"><PointData><DataArray type=\"Int8\" "
        "format=\"appended\" offset=\"0\"/></PointData></Piece></ImageData><AppendedData encoding=\"raw\">_{1}",
        extent, data.append(packed));
}

std::string repeated(std::string text, std::string_view piece, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) text += piece;
    return text;
}

// What makes the most memory of the fewest bytes.
std::vector<Greedy> greedy_files() {
    const std::size_t mega = std::size_t{1} << 20;
    const std::string zeros(64 * mega, '\0');
    const std::string packed = deflated(zeros);
    std::string thin_vega;
    for (const std::int32_t n : {-1, 1, (1 << 18) - 1}) append_little_endian(thin_vega, n);
    for (const double x : {0.0, 0.0, 0.0, 1.0, 1.0, static_cast<double>((1 << 18) - 1)})
        append_little_endian(thin_vega, x);
    thin_vega.append(4 * mega, '\0');
    return {{"bytes.npy", npy_of("|u1", "128, 128, 128,", 2 * mega)},
            {"thin.npy", npy_of("|u1", "2, 2, 524288,", 2 * mega)},
            {"thin_other_way.npy", npy_of("|u1", "524288, 2, 2,", 2 * mega)},
            {"stated.npy", npy_of("<f4", "2000, 2000, 2000,", 1000)},
            {"digits.sdf", repeated("128 128 128 0 0 0 1\n", "0 ", 2 * mega)},
            {"thin.sdf", repeated("2 2 524288 0 0 0 1\n", "0 ", 2 * mega)},
            {"bytes.nrrd", nrrd_of("uchar", "128 128 128", "raw", std::string(2 * mega, '\0'))},
            {"thin.nrrd", nrrd_of("uchar", "524288 2 2", "raw", std::string(2 * mega, '\0'))},
            {"comments.nrrd", repeated("NRRD0004\n", "# x\n", mega)},
            {"fields.nrrd", repeated("NRRD0004\n", "a: b\n", mega)},
            {"bomb.vti", vti_of(zeros.size(), "0 511 0 511 0 255", packed)},
            {"small_bomb.vti", vti_of(zeros.size(), "0 127 0 127 0 127", packed)},
            {"lying_bomb.vti", vti_of(mega, "0 127 0 127 0 63", packed)},
            {"thin.dist", thin_vega}};
}

TEST(HostileGrids, greedy_files_stay_within_their_memory) {
    Counts total{};
    for (const Greedy& file : greedy_files()) {
        const Counts counts = counts_in_child(file.name, file.content.size(),
                                              [&](Counts& c) { ++c[outcome_of(file.content, file.name)]; });
        for (std::size_t k = 0; k < outcome_count; ++k) total[k] += counts[k];
    }
    EXPECT_GE(total[read_well], 3u);
    EXPECT_GE(total[refused], 6u);
}

TEST(HostileGrids, more_memory_can_be_granted) {
    const std::string thin = npy_of("|u1", "2, 2, 262144,", std::size_t{1} << 20);
    EXPECT_EQ(outcome_of(thin, "thin.npy"), refused);
    GridReadOptions options;
    options.memory_limit = std::size_t{1} << 30;
    EXPECT_EQ(read_grid_file(bytes_of(thin), "thin.npy", options).field.layout().bricks[0], 32768);
}

} // namespace hostile_grids_test
} // namespace fathom
