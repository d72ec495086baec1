#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/field/file/grid_file.h>
#include <support/sources.h>

#include <fmt/format.h>
#include <zlib.h>

namespace fathom {
namespace nrrd_vti_test {

using testing::bytes_of;
using testing::error_of;

// 2 x 3 x 4 samples, cells of 0.5 m from (1, 2, 3); the value of (i, j, k) is i + 10 j + 100 k.
template <class T>
std::string samples(std::endian order = std::endian::little) {
    std::string bytes;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 2; ++i) append_bytes(bytes, static_cast<T>(i + 10 * j + 100 * k), order);
    return bytes;
}

std::string sample_text() {
    std::string text;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 2; ++i) text += std::to_string(i + 10 * j + 100 * k) + " ";
    return text;
}

void expect_samples(const std::string& bytes, const char* name, const char* format) {
    SCOPED_TRACE(bytes.substr(0, 300));
    const GridFile file = read_grid_file(bytes_of(bytes), name);
    EXPECT_EQ(file.format, format);
    EXPECT_EQ(file.field.layout().cell, 0.5);
    EXPECT_EQ(file.field.distance({1, 2, 3}), 0);
    EXPECT_EQ(file.field.distance({1.5, 3, 4.5}), 321);
    EXPECT_EQ(file.field.distance({1.5, 2, 3}), 1);
}

Cause cause_of(const std::string& bytes, const char* name) {
    const Error error = error_of([&] { static_cast<void>(read_grid_file(bytes_of(bytes), name)); });
    EXPECT_EQ(error.place().file, name) << error.what();
    return error.cause();
}

std::string gzip(std::string_view bytes) {
    z_stream z{};
    deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(bytes.size() + 1000, '\0');
    z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

const std::string nrrd_place = "space directions: (0.5,0,0) (0,0.5,0) (0,0,0.5)\nspace origin: (1,2,3)\n";

std::string nrrd(std::string_view type, std::string_view encoding, std::string_view data,
                 std::string_view place = nrrd_place, std::string_view more = "endian: little\n") {
    return fmt::format("NRRD0004\n# a comment\ntype: {}\ndimension: 3\nspace dimension: 3\nsizes: 2 3 4\n{}encoding: "
                       "{}\nkinds: domain domain domain\nmade by:=hand\n{}\n{}",
                       type, place, encoding, more, data);
}

TEST(Nrrd, reads_raw_gzip_and_text_in_both_orders) {
    expect_samples(nrrd("float", "raw", samples<float>()), "a.nrrd", "nrrd raw");
    expect_samples(nrrd("double", "raw", samples<double>(std::endian::big), nrrd_place, "endian: big\n"), "a.nrrd",
                   "nrrd raw");
    expect_samples(nrrd("unsigned short", "raw", samples<std::uint16_t>()), "a.nrrd", "nrrd raw");
    expect_samples(nrrd("float", "gzip", gzip(samples<float>())), "a.nrrd", "nrrd gzip");
    expect_samples(nrrd("float", "ascii", sample_text(), nrrd_place, ""), "a.nrrd", "nrrd text");
    expect_samples(nrrd("float", "raw", samples<float>(), "spacings: 0.5 0.5 0.5\naxis mins: 1 2 3\n"), "a.nrrd",
                   "nrrd raw");
    expect_samples(nrrd("float", "raw", samples<float>(),
                        "spacings: 0.5 0.5 0.5\naxis mins: 0.75 1.75 2.75\ncenters: cell cell cell\n"),
                   "a.nrrd", "nrrd raw");
}

TEST(Nrrd, missing_fields_are_assumed_and_reported) {
    const GridFile file = read_grid_file(bytes_of(nrrd("float", "raw", samples<float>(), "")), "a.nrrd");
    EXPECT_EQ(file.field.layout().cell, 1);
    EXPECT_EQ(file.remarks.size(), 3u);
}

TEST(Nrrd, damaged_files_are_refused_with_their_reason) {
    const std::string raw = samples<float>();
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw.substr(1)), "a.nrrd"), Cause::truncated);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw + "x"), "a.nrrd"), Cause::count_mismatch);
    EXPECT_EQ(cause_of(nrrd("float", "gzip", gzip(raw).substr(0, 40)), "a.nrrd"), Cause::truncated);
    EXPECT_EQ(cause_of(nrrd("float", "bzip2", raw), "a.nrrd"), Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("block", "raw", raw), "a.nrrd"), Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, nrrd_place, ""), "a.nrrd"), Cause::malformed); // no byte order
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "spacings: 0.5 0.5 0.6\n"), "a.nrrd"), Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "spacings: 0.5 0.5\n"), "a.nrrd"), Cause::malformed);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "spacings: 0.5 0.5 nan\n"), "a.nrrd"), Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "space directions: (-0.5,0,0) (0,0.5,0) (0,0,0.5)\n"), "a.nrrd"),
              Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "space directions: (0,0.5,0) (0.5,0,0) (0,0,0.5)\n"), "a.nrrd"),
              Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "data file: other.raw\n"), "a.nrrd"), Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "byte skip: -1\n"), "a.nrrd"), Cause::unsupported);
    EXPECT_EQ(cause_of(nrrd("float", "raw", raw, "sizes: 2 3 4\n"), "a.nrrd"), Cause::malformed); // twice
    EXPECT_EQ(cause_of("NRRD0004\ntype: float\n", "a.nrrd"), Cause::truncated);
    std::string huge = nrrd("float", "raw", raw);
    huge.replace(huge.find("2 3 4"), 5, "99999 99999 99999");
    EXPECT_EQ(cause_of(huge, "a.nrrd"), Cause::too_large);
}

std::string vti(std::string_view attributes, std::string_view array, std::string_view appended = {},
                std::string_view image = R"(Origin="1 2 3" Spacing="0.5 0.5 0.5")") {
    std::string text = fmt::format(R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" {}>
<ImageData WholeExtent="0 1 0 2 0 3" {}>
<Piece Extent="0 1 0 2 0 3"><PointData Scalars="distance">
<DataArray type="Float32" Name="other" format="ascii">1 2</DataArray>
<DataArray type="Float32" Name="normals" NumberOfComponents="3" format="ascii">1 2 3</DataArray>
{}</PointData><CellData/></Piece></ImageData>
)",
                                   attributes, image, array);
    if (!appended.empty())
        text.append("<AppendedData encoding=\"raw\">\n_").append(appended).append("\n</AppendedData>\n");
    return text + "</VTKFile>\n";
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    return text;
}

std::string sized(std::string_view bytes) {
    std::string result;
    append_little_endian(result, static_cast<std::uint32_t>(bytes.size()));
    return result.append(bytes);
}

std::string packed(const std::string& bytes) {
    const std::string piece = deflated(bytes);
    std::string result;
    for (const std::size_t n : {std::size_t{1}, bytes.size(), std::size_t{0}, piece.size()})
        append_little_endian(result, static_cast<std::uint32_t>(n));
    return result.append(piece);
}

const std::string little = R"(byte_order="LittleEndian")";

TEST(Vti, reads_text_base64_raw_and_zlib) {
    const std::string array = R"(<DataArray type="Float32" Name="distance" format=)";
    expect_samples(vti(little, array + "\"ascii\">" + sample_text() + "</DataArray>"), "a.vti", "vti ascii");
    expect_samples(vti(little, array + "\"binary\">" + base64(sized(samples<float>())) + "</DataArray>"), "a.vti",
                   "vti binary");
    expect_samples(vti(little, array + "\"appended\" offset=\"0\"/>", sized(samples<float>())), "a.vti",
                   "vti appended");
    expect_samples(vti(little + " compressor=\"vtkZLibDataCompressor\"", array + "\"appended\" offset=\"0\"/>",
                       packed(samples<float>())),
                   "a.vti", "vti appended zlib");
}

TEST(Vti, damaged_files_are_refused_with_their_reason) {
    const std::string array = R"(<DataArray type="Float32" Name="distance" format="appended" offset="0"/>)";
    const std::string data = sized(samples<float>());
    EXPECT_EQ(
        cause_of(vti(little, array, data.substr(0, 60)).substr(0, vti(little, array, data.substr(0, 60)).size() - 30),
                 "a.vti"),
        Cause::truncated);
    EXPECT_EQ(cause_of(vti(little, array, sized(samples<float>().substr(4))), "a.vti"), Cause::truncated);
    EXPECT_EQ(cause_of(vti(little, array, sized(samples<float>() + "abcd")), "a.vti"), Cause::count_mismatch);
    EXPECT_EQ(cause_of(vti(little, array, data, R"(Origin="1 2 3" Spacing="0.5 1 0.5")"), "a.vti"), Cause::unsupported);
    EXPECT_EQ(cause_of(vti(little, array, data, R"(Origin="1 2")"), "a.vti"), Cause::truncated);
    EXPECT_EQ(cause_of(vti(little, array, data, R"(Direction="0 1 0 1 0 0 0 0 1")"), "a.vti"), Cause::unsupported);
    std::string other = vti(little, array, data);
    other.replace(other.find("ImageData"), 9, "PolyData");
    EXPECT_EQ(cause_of(other, "a.vti"), Cause::unsupported);
    std::string huge = vti(little, array, data);
    huge.replace(huge.find("Piece Extent=\"0 1"), 17, "Piece Extent=\"0 1999999999");
    EXPECT_EQ(cause_of(huge, "a.vti"), Cause::too_large);
    std::string backward = vti(little, array, data);
    backward.replace(backward.find("Piece Extent=\"0 1"), 17, "Piece Extent=\"5 1");
    EXPECT_EQ(cause_of(backward, "a.vti"), Cause::malformed);
}

} // namespace nrrd_vti_test
} // namespace fathom
