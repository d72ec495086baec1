#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/base/hash.h>
#include <fathom/field/file/npy_file.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/field/neural_io/network_formats.h>
#include <fathom/field/neural_io/zip_archive.h>
#include <field/neural/network_examples.h>
#include <field/neural/network_samples.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

#include <fmt/format.h>

namespace fathom {
namespace network_file_test {

using testing::bytes_of;
using testing::error_of;
using testing::plain_network;
using testing::plain_value;
using testing::rich_network;
using testing::same_layers;
using testing::same_network;
using testing::ScratchFolder;

NetworkFile read_bytes(const std::string& bytes, const char* name = "memory") {
    return read_network_file(bytes_of(bytes), name);
}

Cause cause_of(const std::string& bytes, const char* name = "memory") {
    const Error error = error_of([&] { static_cast<void>(read_bytes(bytes, name)); });
    EXPECT_FALSE(error.place().file.empty()) << error.what();
    EXPECT_FALSE(error.reason().empty());
    return error.cause();
}

TEST(NetworkFile, own_files_and_onnx_keep_every_bit) {
    const ScratchFolder folder;
    for (const Network& network : {plain_network(), rich_network(true), rich_network(false)})
        for (const char* name : {"a.fnet", "a.onnx"}) {
            write_network(folder / name, network);
            EXPECT_TRUE(same_network(read_network(folder / name), network)) << name;
        }
}

TEST(NetworkFile, npz_keeps_every_bit_of_the_layers) {
    const ScratchFolder folder;
    write_network(folder / "a.npz", plain_network());
    EXPECT_TRUE(same_network(read_network(folder / "a.npz"), plain_network()));
    NetworkFileOptions options;
    options.center = {1, 2, 3};
    options.scale = 4;
    options.domain = {{-3, -2, -1}, {5, 6, 7}};
    const Network placed = read_network(folder / "a.npz", options);
    EXPECT_TRUE(same_layers(placed, plain_network()));
    EXPECT_EQ(placed.center, options.center);
    EXPECT_EQ(placed.scale, 4);
    EXPECT_EQ(placed.domain.upper, options.domain.upper);
}

TEST(NetworkFile, the_note_of_an_own_file_comes_back) {
    const ScratchFolder folder;
    write_network(folder / "a.fnet", plain_network(), {.note = std::string("{\"of\": \"a\0b\"}", 13)});
    const NetworkFile file = read_network_file(folder / "a.fnet");
    EXPECT_EQ(file.note, std::string("{\"of\": \"a\0b\"}", 13));
    EXPECT_EQ(file.format, "fnet");
}

TEST(NetworkFile, the_same_network_gives_the_same_bytes) {
    EXPECT_EQ(written_fnet(rich_network(), "n"), written_fnet(rich_network(), "n"));
    EXPECT_EQ(written_onnx_network(rich_network()), written_onnx_network(rich_network()));
    EXPECT_EQ(written_npz_network(plain_network()), written_npz_network(plain_network()));
}

TEST(NetworkFile, is_known_by_its_content_or_its_ending) {
    const ScratchFolder folder;
    write_network(folder / "a.fnet", plain_network());
    write_network(folder / "a.npz", plain_network());
    std::filesystem::copy(folder / "a.fnet", folder / "b.bin");
    std::filesystem::copy(folder / "a.npz", folder / "c.bin");
    EXPECT_TRUE(is_network_file(folder / "b.bin"));
    EXPECT_TRUE(is_network_file(folder / "c.bin"));
    EXPECT_TRUE(is_network_file(folder.write("a.onnx", "x")));
    EXPECT_FALSE(is_network_file(folder.write("a.obj", "v 0 0 0")));
    EXPECT_FALSE(is_network_file(folder.write("empty.onnx", "")));
    EXPECT_FALSE(is_network_file(folder / "none.fnet"));
    EXPECT_FALSE(is_network_file(folder.path()));
    EXPECT_TRUE(same_network(read_network(folder / "b.bin"), plain_network()));
}

TEST(NetworkFile, unwritable_networks_are_rejected_with_a_reason) {
    const ScratchFolder folder;
    const auto cause = [&](const char* name, const Network& network) {
        const Error error = error_of([&] { write_network(folder / name, network); });
        EXPECT_NE(error.place().file, "") << error.what();
        return error.cause();
    };
    EXPECT_EQ(cause("a.h5", plain_network()), Cause::unsupported);
    EXPECT_EQ(cause("a.obj", plain_network()), Cause::unknown_format);
    EXPECT_EQ(cause("a.npz", rich_network()), Cause::unsupported);
    Network network = plain_network();
    network.layers[1].parameter = 2;
    EXPECT_EQ(cause("a.npz", network), Cause::unsupported);
    network = plain_network();
    network.layers[0].activation = Activation::softplus;
    EXPECT_EQ(cause("a.npz", network), Cause::unsupported);
    network.layers.pop_back();
    EXPECT_EQ(cause("a.fnet", network), Cause::invalid_argument);
    EXPECT_EQ(folder.file_count(), 0u);
}

TEST(NetworkFile, cut_off_anywhere_is_an_error) {
    const std::vector<std::pair<std::string, const char*>> files = {{written_fnet(rich_network(), "note"), "a.fnet"},
                                                                    {written_onnx_network(rich_network()), "a.onnx"},
                                                                    {written_npz_network(plain_network()), "a.npz"}};
    for (const auto& [bytes, name] : files)
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const Error error =
                error_of([&, &b = bytes, n = name] { static_cast<void>(read_bytes(b.substr(0, size), n)); });
            ASSERT_EQ(error.place().file.substr(0, 2), "a.") << name << " of " << size << " bytes: " << error.what();
        }
}

TEST(NetworkFile, empty_and_unknown_files_are_refused) {
    EXPECT_EQ(cause_of(""), Cause::empty);
    EXPECT_EQ(cause_of("hello"), Cause::unknown_format);
    EXPECT_EQ(cause_of("hello", "a.fnet"), Cause::unknown_format);
    EXPECT_EQ(cause_of("hello", "a.h5"), Cause::unknown_format);
    EXPECT_EQ(cause_of("hello", "a.npz"), Cause::truncated);
    EXPECT_EQ(error_of([] { static_cast<void>(read_network("/nowhere/a.fnet")); }).cause(), Cause::cannot_open);
}

// Own files: every change is seen, and whoever forges the checksum gets no further.
std::string sealed(std::string bytes) {
    bytes.resize(bytes.size() - 8);
    append_little_endian(bytes, checksum(bytes_of(bytes)));
    return bytes;
}
template <class T>
std::string with(std::string bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(T));
    return sealed(bytes);
}

TEST(Fnet, every_changed_bit_is_detected) {
    const std::string whole = written_fnet(plain_network(), "n");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 4);
        EXPECT_THROW(static_cast<void>(read_bytes(bytes)), Error) << at;
    }
}

TEST(Fnet, forged_numbers_are_refused) {
    const std::string whole = written_fnet(plain_network(), "n");
    EXPECT_NO_THROW(static_cast<void>(read_bytes(sealed(whole))));
    const std::size_t layers = 8 + 16 + 16 + 8 + 80;
    EXPECT_EQ(cause_of(with(whole, 8, 2u)), Cause::unsupported) << "version";
    EXPECT_EQ(cause_of(with(whole, 12, 0xffffffffu)), Cause::too_large) << "layers";
    EXPECT_EQ(cause_of(with(whole, 12, 60u)), Cause::count_mismatch) << "more than fit";
    EXPECT_EQ(cause_of(with(whole, 16, 17u)), Cause::too_large) << "frequencies";
    EXPECT_EQ(cause_of(with(whole, 20, 2u)), Cause::too_large) << "a truth value";
    EXPECT_EQ(cause_of(with(whole, 24, std::uint64_t{1} << 60)), Cause::truncated) << "size of the file";
    EXPECT_EQ(cause_of(with(whole, 24, std::uint64_t{8})), Cause::count_mismatch);
    EXPECT_EQ(cause_of(with(whole, 32, ~std::uint64_t{0})), Cause::count_mismatch) << "size of the note";
    EXPECT_EQ(cause_of(with(whole, 44, 1u)), Cause::too_large) << "a zero";
    EXPECT_EQ(cause_of(with(whole, 48, std::nan(""))), Cause::invalid_argument) << "centre";
    EXPECT_EQ(cause_of(with(whole, layers, 0x7fffffffu)), Cause::too_large) << "inputs";
    EXPECT_EQ(cause_of(with(with(whole, layers, 16384u), layers + 4, 8192u)), Cause::count_mismatch) << "a huge layer";
    EXPECT_EQ(cause_of(with(whole, layers + 4, 0u)), Cause::count_mismatch) << "outputs";
    EXPECT_EQ(cause_of(with(whole, layers + 8, 6u)), Cause::too_large) << "activation";
    EXPECT_EQ(cause_of(with(whole, layers + 16, -1.F)), Cause::invalid_argument) << "parameter";
    EXPECT_EQ(cause_of(with(whole, layers + 4 * 24, INFINITY)), Cause::non_finite) << "a weight";
}

// .npz: arrays by name, then spoiled one by one.
using Files = std::vector<std::pair<std::string, std::string>>;

template <class T>
std::string npy(const std::vector<std::uint64_t>& shape, std::initializer_list<double> values,
                std::endian order = std::endian::little, bool fortran = false) {
    std::string bytes = written_npy_head(sizeof(T) == 8, fortran, shape);
    if (order == std::endian::big) bytes.replace(bytes.find('<'), 1, ">");
    for (const double v : values) append_bytes(bytes, static_cast<T>(v), order);
    return bytes;
}
const std::string nothing = npy<float>({0}, {});

Files small_files() {
    return {{"0000.dense.A.npy", npy<float>({3, 2}, {1, 2, 3, 4, 5, 6})},
            {"0000.dense.b.npy", npy<float>({2}, {7, 8})},
            {"0001.relu._.npy", nothing},
            {"0002.dense.A.npy", npy<float>({2, 1}, {1, -1})},
            {"0002.dense.b.npy", npy<float>({1}, {0.5})},
            {"0003.squeeze_last._.npy", nothing}};
}
Network small_network() {
    Network network;
    network.layers = {{3, 2, {1, 3, 5, 2, 4, 6}, {7, 8}, Activation::relu}, {2, 1, {1, -1}, {0.5}}};
    return network;
}
Network read_files(const Files& files) { return read_bytes(written_zip(files)).network; }
Cause cause_of_files(const Files& files) { return cause_of(written_zip(files)); }

TEST(Npz, arrays_come_in_every_type_and_order) {
    EXPECT_TRUE(same_network(read_files(small_files()), small_network()));
    Files files = small_files();
    for (const std::string& a :
         {npy<double>({3, 2}, {1, 2, 3, 4, 5, 6}), npy<float>({3, 2}, {1, 2, 3, 4, 5, 6}, std::endian::big),
          npy<double>({3, 2}, {1, 2, 3, 4, 5, 6}, std::endian::big),
          npy<float>({3, 2}, {1, 3, 5, 2, 4, 6}, std::endian::little, true)}) {
        files[0].second = a;
        EXPECT_TRUE(same_network(read_files(files), small_network()));
    }
    std::reverse(files.begin(), files.end());
    EXPECT_TRUE(same_network(read_files(files), small_network())) << "in any order";
}

TEST(Npz, a_missing_bias_is_zero) {
    Files files = small_files();
    files.erase(files.begin() + 1);
    Network expected = small_network();
    expected.layers[0].biases = {0, 0};
    EXPECT_TRUE(same_network(read_files(files), expected));
}

// One deflated entry: what zlib packs, without its head of 2 bytes and its tail of 4.
std::string zip_of_deflated(const Files& files) {
    std::string out, directory;
    for (const auto& [name, content] : files) {
        const std::string packed = deflated(content).substr(2), body = packed.substr(0, packed.size() - 4);
        std::string description;
        for (const int word : {20, 0, 8, 0, 33}) append_little_endian(description, static_cast<std::uint16_t>(word));
        append_little_endian(description, crc32_of(bytes_of(content)));
        append_little_endian(description, static_cast<std::uint32_t>(body.size()));
        append_little_endian(description, static_cast<std::uint32_t>(content.size()));
        append_little_endian(description, static_cast<std::uint32_t>(name.size()));
        directory += "PK\x01\x02";
        directory.append("\x14\0", 2).append(description).append(10, '\0');
        append_little_endian(directory, static_cast<std::uint32_t>(out.size()));
        directory += name;
        out += "PK\x03\x04" + description + name + body;
    }
    const std::size_t start = out.size(), count = files.size();
    out += directory + "PK\x05\x06" + std::string(4, '\0');
    append_little_endian(out, static_cast<std::uint16_t>(count));
    append_little_endian(out, static_cast<std::uint16_t>(count));
    append_little_endian(out, static_cast<std::uint32_t>(directory.size()));
    append_little_endian(out, static_cast<std::uint32_t>(start));
    return out.append(2, '\0');
}

TEST(Npz, packed_arrays_are_read_and_damage_is_seen) {
    const std::string zip = zip_of_deflated(small_files());
    EXPECT_TRUE(same_network(read_bytes(zip).network, small_network()));
    int damaged = 0;
    for (std::size_t at = 0; at < zip.size(); ++at) {
        std::string bytes = zip;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        try {
            EXPECT_TRUE(same_network(read_bytes(bytes, "a.npz").network, small_network()))
                << at; // a date, a spare byte
        } catch (const Error&) {
            ++damaged;
        }
    }
    EXPECT_GT(damaged, 500);
}

TEST(Npz, inconsistent_zip_files_are_rejected) {
    const std::string zip = written_zip(small_files());
    const std::size_t end = zip.size() - 22;
    std::uint32_t start = 0;
    std::memcpy(&start, zip.data() + end + 16, 4);
    const auto changed = [&](std::size_t at, auto value) {
        std::string bytes = zip;
        std::memcpy(bytes.data() + at, &value, sizeof value);
        return cause_of(bytes, "a.npz");
    };
    EXPECT_EQ(changed(end + 10, std::uint16_t{65535}), Cause::count_mismatch) << "entries";
    EXPECT_EQ(changed(end + 16, 0xfffffff0u), Cause::malformed) << "where the directory is";
    EXPECT_EQ(changed(end + 16, 0xffffffffu), Cause::unsupported) << "zip64";
    EXPECT_EQ(changed(start + 8, std::uint16_t{1}), Cause::unsupported) << "encrypted";
    EXPECT_EQ(changed(start + 10, std::uint16_t{12}), Cause::unsupported) << "bzip2";
    EXPECT_EQ(changed(start + 20, 0xfffffffeu), Cause::truncated) << "packed size";
    EXPECT_EQ(changed(start + 24, 0xfffffffeu), Cause::count_mismatch) << "size";
    EXPECT_EQ(changed(start + 10, std::uint16_t{8}), Cause::malformed) << "no deflated data";
    EXPECT_EQ(changed(start + 42, 0x7fffffffu), Cause::truncated) << "where the entry is";
    EXPECT_EQ(changed(start, 0u), Cause::malformed) << "no directory";
}

TEST(Npz, files_that_are_not_networks_are_rejected_by_name) {
    const auto with_file = [](std::size_t k, const char* name, const std::string& content) {
        Files files = small_files();
        files[k] = {name, content};
        return files;
    };
    const auto added = [](const char* name, const std::string& content) {
        Files files = small_files();
        files.emplace_back(name, content);
        return files;
    };
    EXPECT_EQ(cause_of_files(added("0000.dense.A.npy", nothing)), Cause::malformed) << "twice in the zip";
    EXPECT_EQ(cause_of_files(added("00.dense.A.npy", nothing)), Cause::malformed) << "twice by number";
    EXPECT_EQ(cause_of_files(added("0001.elu._.npy", nothing)), Cause::malformed) << "two operations at one place";
    EXPECT_EQ(cause_of_files(added("0005.relu._.npy", nothing)), Cause::malformed) << "one is missing";
    EXPECT_EQ(cause_of_files(added("4000000000.relu._.npy", nothing)), Cause::too_large);
    EXPECT_EQ(cause_of_files(added("x.npy", nothing)), Cause::malformed);
    EXPECT_EQ(cause_of_files(added("0004.relu.npy", nothing)), Cause::malformed);
    EXPECT_EQ(cause_of_files(added("0004.relu._.npy", nothing)), Cause::unsupported) << "after squeeze_last";
    EXPECT_EQ(cause_of_files(added("0000.dense.c.npy", nothing)), Cause::unsupported)
        << "an array that dense does not have";
    EXPECT_EQ(cause_of_files(with_file(0, "0000.dense.A.npy", npy<float>({2, 3}, {1, 2, 3, 4, 5, 6}))),
              Cause::count_mismatch);
    EXPECT_EQ(cause_of_files(with_file(0, "0000.dense.A.npy", npy<float>({6}, {1, 2, 3, 4, 5, 6}))),
              Cause::count_mismatch);
    EXPECT_EQ(cause_of_files(with_file(0, "0000.dense.A.npy", npy<float>({3, 2, 1}, {1, 2, 3, 4, 5, 6}))),
              Cause::unsupported);
    EXPECT_EQ(cause_of_files(with_file(1, "0000.dense.b.npy", npy<float>({3}, {1, 2, 3}))), Cause::count_mismatch);
    EXPECT_EQ(cause_of_files(with_file(1, "0000.dense.b.npy", npy<float>({2}, {1, NAN}))), Cause::non_finite);
    EXPECT_EQ(cause_of_files(with_file(1, "0000.dense.b.npy", npy<double>({2}, {1, 1e300}))), Cause::non_finite);
    EXPECT_EQ(cause_of_files(with_file(3, "0002.dense.A.npy", npy<float>({2, 2}, {1, 2, 3, 4}))),
              Cause::count_mismatch);
    EXPECT_EQ(cause_of_files(with_file(0, "0000.dense.B.npy", nothing)), Cause::unsupported);
    EXPECT_EQ(cause_of_files({{"0000.relu._.npy", nothing}}), Cause::unsupported) << "no layer before it";
    const Error error = error_of([&] { static_cast<void>(read_files(with_file(2, "0001.gelu._.npy", nothing))); });
    EXPECT_EQ(error.cause(), Cause::unsupported);
    EXPECT_NE(error.reason().find("'gelu'"), std::string::npos);
    EXPECT_EQ(error.place().index, 1);
}

TEST(Npz, frequencies_and_placements_become_layers) {
    Files files = {{"0000.spatial_transformation.R.npy", npy<float>({3, 3}, {0, -2, 0, 2, 0, 0, 0, 0, 2})},
                   {"0000.spatial_transformation.t.npy", npy<float>({3}, {1, 2, 3})},
                   {"0001.pow2_frequency_encode.coefs.npy", npy<float>({2}, {3, 6})},
                   {"0001.pow2_frequency_encode.shift.npy", npy<float>({2}, {0, 1})},
                   {"0002.sin._.npy", nothing},
                   {"0003.dense.A.npy", npy<float>({6, 1}, {1, 2, 3, 4, 5, 6})}};
    const Network both = read_files(files);
    const Files waves = {{"0000.pow2_frequency_encode.coefs.npy", files[2].second},
                         {"0000.pow2_frequency_encode.shift.npy", files[3].second},
                         {"0001.sin._.npy", nothing},
                         {"0002.dense.A.npy", files[5].second}};
    const Vec3 p(0.3, -0.4, 0.9);
    double expected = 0;
    for (int axis = 0; axis < 3; ++axis)
        expected += (2 * axis + 1) * std::sin(3 * p[axis]) + (2 * axis + 2) * std::sin(6 * p[axis] + 1);
    EXPECT_NEAR(plain_value(read_files(waves), p), expected, 1e-12);
    // inv(R) = [[0, .5, 0], [-.5, 0, 0], [0, 0, .5]]; the point is a row, the shift a column.
    const Vec3 q(-0.5 * p.y() - 1, 0.5 * p.x() + 0.5, 0.5 * p.z() - 1.5);
    EXPECT_NEAR(plain_value(both, p), plain_value(read_files(waves), q), 1e-12);
    const Files placed = {{"0000.spatial_transformation.R.npy", files[0].second},
                          {"0000.spatial_transformation.t.npy", files[1].second},
                          {"0001.dense.A.npy", npy<float>({3, 1}, {1, 10, 100})}};
    const Network network = read_files(placed);
    EXPECT_NEAR(plain_value(network, p), q.x() + 10 * q.y() + 100 * q.z(), 1e-12);
    for (int k = 0; k < 8; ++k) { // what maps into the cube lies in the domain
        const Vec3 y = Box::around(Vec3::Zero(), Vec3::Ones()).corner(k);
        EXPECT_TRUE(network.domain.grown(1e-12).contains(Vec3(2 * (y.y() - 0.5), -2 * (y.x() + 1), 2 * (y.z() + 1.5))));
    }
    files[0].second = npy<float>({3, 3}, {1, 0, 0, 1, 0, 0, 0, 0, 1});
    EXPECT_EQ(cause_of_files(files), Cause::malformed) << "a placement without an inverse";
}

} // namespace network_file_test
} // namespace fathom
