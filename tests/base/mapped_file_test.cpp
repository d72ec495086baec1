#include <fathom/base/file.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

namespace fathom {
namespace mapped_file_test {

using testing::error_of;
using testing::ScratchFolder;

std::string text_of(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, shows_the_bytes_of_the_file_even_when_its_name_is_gone) {
    const ScratchFolder folder;
    const MappedFile file(folder.write("a", "some bytes"));
    write_whole_file(folder / "a", "another file of this name");
    std::filesystem::remove(folder / "a");
    EXPECT_EQ(text_of(file), "some bytes");
    EXPECT_EQ(text_of(MappedFile(folder.write("empty", ""))), "");
}

TEST(MappedFile, rejects_paths_that_are_no_files) {
    const ScratchFolder folder;
    for (const std::filesystem::path& path : {folder / "missing", folder.path(), std::filesystem::path("/dev/zero")})
        EXPECT_EQ(error_of([&] { MappedFile file(path); }).cause(), Cause::cannot_open) << path;
}

TEST(FileWriter, leaves_the_old_file_and_nothing_else_where_it_does_not_finish) {
    const ScratchFolder folder;
    folder.write("a", "old");
    {
        FileWriter file(folder / "a");
        file.write("new");
    }
    EXPECT_EQ(text_of(MappedFile(folder / "a")), "old");
    EXPECT_EQ(folder.file_count(), 1u);
    FileWriter file(folder / "a");
    file.write("new ");
    file.write("bytes");
    file.finish();
    EXPECT_EQ(text_of(MappedFile(folder / "a")), "new bytes");
    EXPECT_EQ(folder.file_count(), 1u);
}

} // namespace mapped_file_test
} // namespace fathom
