#include <fathom/base/file.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

#include <csignal>

#include <sys/resource.h>
#include <sys/stat.h>

namespace fathom {
namespace file_test {

namespace fs = std::filesystem;
using testing::error_of;
using testing::ScratchFolder;

std::string text_of(const fs::path& path) {
    const Bytes bytes = read_whole_file(path);
    return std::string(reinterpret_cast<const char*>(bytes.span().data()), bytes.size());
}

TEST(File, reads_what_was_written) {
    const ScratchFolder folder;
    std::string content(3'000'000, 'x');
    content[1'234'567] = '\0';
    write_whole_file(folder / "a", content);
    EXPECT_EQ(text_of(folder / "a"), content);
    write_whole_file(folder / "a", "");
    EXPECT_EQ(text_of(folder / "a"), "");
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(File, rejects_paths_that_are_not_files) {
    const ScratchFolder folder;
    const auto cause = [](const fs::path& path) {
        return error_of([&] { static_cast<void>(read_whole_file(path)); }).cause();
    };
    EXPECT_EQ(cause(folder / "missing"), Cause::cannot_open);
    EXPECT_EQ(cause(folder.path()), Cause::cannot_open);
    EXPECT_EQ(cause("/dev/zero"), Cause::cannot_open);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(cause(folder / "pipe"), Cause::cannot_open); // and does not wait for a writer
}

TEST(File, rejects_files_larger_than_memory) {
    const ScratchFolder folder;
    std::ofstream(folder / "sparse").put('x');
    fs::resize_file(folder / "sparse", std::uintmax_t{1} << 42); // takes no room on the disk
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers end the program instead";
#else
    EXPECT_EQ(error_of([&] { static_cast<void>(read_whole_file(folder / "sparse")); }).cause(), Cause::too_large);
#endif
}

TEST(File, keeps_links_and_permissions_and_refuses_devices) {
    const ScratchFolder folder;
    folder.write("target", "old");
    fs::permissions(folder / "target", fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink(folder / "target", folder / "link");
    write_whole_file(folder / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(text_of(folder / "target"), "new");
    EXPECT_EQ(fs::status(folder / "target").permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(error_of([&] { write_whole_file(folder.path(), "x"); }).cause(), Cause::cannot_write);
    EXPECT_EQ(error_of([&] { write_whole_file("/dev/null", "x"); }).cause(), Cause::cannot_write);
    EXPECT_EQ(error_of([&] { write_whole_file(folder / "missing/a", "x"); }).cause(), Cause::cannot_write);
}

// A limit on the size of files stands in for a full disk.
TEST(File, leaves_the_old_file_alone_when_writing_fails) {
    const ScratchFolder folder;
    folder.write("a", "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Error error = error_of([&] { write_whole_file(folder / "a", std::string(5000, 'x')); });
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(error.cause(), Cause::cannot_write);
    EXPECT_EQ(text_of(folder / "a"), "old");
    EXPECT_EQ(folder.file_count(), 1u);
}

} // namespace file_test
} // namespace fathom
