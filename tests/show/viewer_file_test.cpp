// Packet files: they read back, and the reader either reports damage or returns what was written.
#include <show/read_packet.h>
#include <support/scratch_folder.h>
#include <support/small_recordings.h>
#include <support/sources.h>
#include <support/test_counts.h>

#include <fathom/base/encode/base64.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/base/file.h>
#include <fathom/base/hash.h>
#include <fathom/base/random.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>

#include <cstring>

namespace fathom::testing {
namespace viewer_file_test {

std::string text_of(const std::filesystem::path& path) {
    Bytes bytes = read_whole_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads every packet; true where the reader found nothing wrong. Whatever else than an Error it throws fails the test.
bool reads(const std::string& bytes) {
    try {
        const ViewerFile file(bytes_of(bytes), "mutant", nullptr);
        for (std::size_t k = 0; k < file.packet_count(); ++k) static_cast<void>(file.packet(k));
        return true;
    } catch (const Error&) {
        return false;
    }
}

struct Written {
    ScratchFolder folder;
    Recording recording = mixed_recording(30);
    DocumentPackets packets{recording_document("mixed", recording), {.chunk_bytes = 3000}};
    std::filesystem::path path = folder / "recording.fathomview";

    Written() { write_viewer_file(path, packets); }
};

TEST(ViewerFile, reads_back_every_packet_and_leaves_nothing_else_behind) {
    const Written written;
    EXPECT_EQ(written.folder.file_count(), 1u);
    const ViewerFile file(written.path);
    ASSERT_EQ(file.packet_count(), written.packets.packet_count());
    ASSERT_GT(file.packet_count(), 3u);
    for (std::size_t k = 0; k < file.packet_count(); ++k) {
        EXPECT_EQ(file.packet(k), written.packets.packet(k));
        EXPECT_EQ(file.packed_packet(k), written.packets.packed_packet(k));
    }
    EXPECT_EQ(error_of([&] { static_cast<void>(file.packet(file.packet_count())); }).cause(),
              Cause::index_out_of_range);
}

TEST(ViewerFile, every_changed_byte_is_detected) {
    const std::string whole = text_of(Written().path);
    ASSERT_TRUE(reads(whole));
    Random random(11);
    for (std::size_t k = 0; k < count_of(2000, 200'000); ++k) {
        std::string mutant = whole;
        char& byte = mutant[random.below(mutant.size())];
        byte = static_cast<char>(byte + 1 + static_cast<int>(random.below(255)));
        EXPECT_FALSE(reads(mutant));
    }
}

TEST(ViewerFile, is_refused_wherever_it_is_cut_off) {
    const std::string whole = text_of(Written().path);
    for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 500)
        EXPECT_FALSE(reads(whole.substr(0, size))) << size;
}

// Checksums keep accidents out, not enemies: packets that carry a right checksum are looked at all the same.
TEST(ViewerFile, hostile_packets_with_valid_checksums_are_rejected_or_harmless) {
    const Written written;
    const std::string packet = written.packets.packet(1);
    const auto file_with = [](const std::string& stored) {
        std::string bytes("FTHMVIEW\1\0\0\0\1\0\0\0", 16);
        const auto append = [&](std::uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), 8); };
        append(48), append(stored.size()), append(checksum(bytes_of(stored)));
        append(checksum(bytes_of(bytes)));
        return bytes + stored;
    };
    ASSERT_TRUE(reads(file_with(packet)));
    Random random(12);
    int refused = 0;
    const int mutants = static_cast<int>(count_of(3000, 300'000));
    const std::size_t head = 12 + ReadPacket(packet).json.dump().size();
    for (int k = 0; k < mutants; ++k) {
        std::string mutant = packet;
        for (std::uint64_t n = 1 + random.below(3); n > 0; --n)
            mutant[random.below(head)] = static_cast<char>(random.below(256));
        refused += !reads(file_with(mutant));
    }
    EXPECT_GT(refused, mutants / 5);
    EXPECT_LT(refused, mutants);
}

TEST(ViewerFile, reports_the_error_in_a_packet) {
    const auto cause_of = [](const std::string& json, std::size_t binary) {
        std::string packet("FTHM\1\0\0\0", 8);
        const auto length = static_cast<std::uint32_t>((12 + json.size() + 7) / 8 * 8 - 12);
        packet.append(reinterpret_cast<const char*>(&length), 4)
            .append(json)
            .append(length - json.size(), ' ')
            .append(binary, '\0');
        return error_of([&] { check_packet(packet, "packet"); }).cause();
    };
    EXPECT_EQ(cause_of(R"({"a":{"type":"f32","width":3,"count":2,"offset":0}})", 16), Cause::truncated);
    EXPECT_EQ(cause_of(R"({"a":{"type":"f32","width":3,"count":1,"offset":4}})", 64), Cause::malformed);
    EXPECT_EQ(cause_of(R"({"a":[{"b":{"type":"f16","width":3,"count":1,"offset":0}}]})", 64), Cause::unsupported);
    EXPECT_EQ(cause_of(R"({"a":{"type":"f32","width":3,"count":18446744073709551615,"offset":0}})", 64),
              Cause::truncated);
    EXPECT_EQ(cause_of(R"({"a":)", 0), Cause::malformed);
    EXPECT_EQ(cause_of("[]", 0), Cause::malformed);
    EXPECT_EQ(cause_of(std::string(100, '['), 0), Cause::too_large); // never deeper than the stack
    EXPECT_EQ(error_of([] { check_packet("FTHX", "packet"); }).cause(), Cause::unknown_format);
}

TEST(ViewerPage, contains_all_packets_at_their_offsets) {
    const Written written;
    const std::string page = page_with_packets("<html><body>x<!-- packets -->y</body></html>", written.packets);
    EXPECT_EQ(page.find("<!-- packets -->"), std::string::npos);
    EXPECT_EQ(page.rfind("<html><body>x<script type=\"application/x-fathom\" data-packet=\"0\">", 0), 0u);
    for (std::size_t k = 0; k < written.packets.packet_count(); ++k) {
        const std::string tag = "data-packet=\"" + std::to_string(k) + "\">";
        const std::size_t begin = page.find(tag) + tag.size(), end = page.find("</script>", begin);
        const auto packed = from_base64(std::string_view(page).substr(begin, end - begin));
        ASSERT_TRUE(packed.has_value());
        Bytes plain = unpacked_gzip({*packed, "page"});
        EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(plain.data()), plain.size()),
                  written.packets.packet(k));
    }
    EXPECT_EQ(error_of([&] { static_cast<void>(page_with_packets("<html>", written.packets)); }).cause(),
              Cause::malformed);
}

TEST(ViewerPage, is_built_into_the_library_or_reports_its_absence) {
    const Written written;
    const auto path = written.folder / "view.html";
    if (!has_viewer_page()) {
        EXPECT_EQ(error_of([&] { write_viewer_html(path, written.packets); }).cause(), Cause::unsupported);
        return;
    }
    EXPECT_NE(viewer_page().find("<!-- packets -->"), std::string_view::npos);
    write_viewer_html(path, written.packets);
    EXPECT_NE(text_of(path).find("data-packet=\"1\""), std::string::npos);
}

} // namespace viewer_file_test
} // namespace fathom::testing
