#include <fathom/field/file/field_file.h>
#include <fathom/field/grid/bake.h>
#include <support/plain_fields.h>
#include <support/scratch_folder.h>
#include <support/small_meshes.h>

#include <gtest/gtest.h>

#include <set>

#include <sys/wait.h>
#include <unistd.h>

namespace fathom {
namespace field_cache_test {

namespace fs = std::filesystem;
using testing::ScratchFolder;

GridField ball(double radius = 1) {
    return bake(testing::BallField(Vec3::Zero(), radius), {.box = {}, .resolution = 24});
}

// Sets a variable of the environment for the length of a test; nullptr unsets it.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        set(value);
    }
    ~Environment() { set(old_ ? old_->c_str() : nullptr); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    void set(const char* value) const { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }

    const char* name_;
    std::optional<std::string> old_;
};

TEST(FieldCache, a_key_changes_with_everything_that_changes_the_field) {
    const TriangleMesh cube = testing::cube_mesh();
    std::set<Fingerprint> keys = {field_key(cube, "r 128"), field_key(cube, "r 129"), field_key({}, "r 128")};
    for (std::size_t v = 0; v < cube.vertices.size(); ++v) {
        TriangleMesh moved = cube;
        moved.vertices[v].y() = std::nextafter(moved.vertices[v].y(), 9.0);
        keys.insert(field_key(moved, "r 128"));
    }
    TriangleMesh turned = cube;
    std::swap(turned.triangles[3][0], turned.triangles[3][1]);
    keys.insert(field_key(turned, "r 128"));
    EXPECT_EQ(keys.size(), 3 + cube.vertices.size() + 1);
    EXPECT_EQ(field_key(cube, "r 128"), field_key(testing::cube_mesh(), "r 128"));
}

TEST(FieldCache, finds_stored_fields_and_nothing_else) {
    const ScratchFolder folder;
    const FieldCache cache(folder / "deep" / "cache");
    const Fingerprint key{1, 2}, other{1, 3};
    EXPECT_FALSE(cache.find(key));
    EXPECT_EQ(cache.put(key, ball(), "made for a test"), "");
    const auto found = cache.find(key);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->note, "made for a test");
    EXPECT_EQ(found->field.distance({2, 0, 0}), ball().distance({2, 0, 0}));
    EXPECT_FALSE(cache.find(other));
}

TEST(FieldCache, a_damaged_entry_is_absent_and_is_replaced) {
    const ScratchFolder folder;
    const FieldCache cache(folder.path());
    const Fingerprint key{5, 6};
    ASSERT_EQ(cache.put(key, ball()), "");
    fs::resize_file(cache.path_of(key), fs::file_size(cache.path_of(key)) - 1);
    EXPECT_FALSE(cache.find(key));
    EXPECT_EQ(cache.put(key, ball()), "");
    EXPECT_TRUE(cache.find(key));
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(FieldCache, a_field_in_use_survives_the_replacement_of_its_entry) {
    const ScratchFolder folder;
    const FieldCache cache(folder.path());
    const Fingerprint key{7, 8};
    ASSERT_EQ(cache.put(key, ball(1)), "");
    const auto old = cache.find(key);
    ASSERT_TRUE(old);
    ASSERT_EQ(cache.put(key, ball(3)), "");
    EXPECT_EQ(old->field.distance({2, 0, 0}), ball(1).distance({2, 0, 0}));
    EXPECT_LT(cache.find(key)->field.distance({2, 0, 0}), 0);
}

TEST(FieldCache, reports_why_nothing_was_stored_and_never_throws) {
    const ScratchFolder folder;
    const FieldCache blocked(folder.write("a file", "") / "cache");
    EXPECT_NE(blocked.put({1, 1}, ball()), "");
    EXPECT_FALSE(blocked.find({1, 1}));
    const FieldCache off{fs::path()};
    EXPECT_TRUE(off.is_off());
    EXPECT_EQ(off.put({1, 1}, ball()), "");
    EXPECT_FALSE(off.find({1, 1}));
}

TEST(FieldCache, two_processes_at_once_see_whole_entries_only) {
    const ScratchFolder folder;
    const FieldCache cache(folder.path());
    const Fingerprint key{9, 9};
    const GridField small = ball(1), large = ball(3);
    ASSERT_EQ(cache.put(key, small), "");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) { // writes without threads: the checksums' blocks are few
        for (int i = 0; i < 200; ++i) cache.put(key, i % 2 == 0 ? large : small);
        ::_exit(0);
    }
    std::size_t absent = 0;
    std::set<double> seen;
    for (int i = 0; i < 400; ++i) {
        const auto found = cache.find(key);
        absent += !found;
        if (found) seen.insert(found->field.distance({2, 0, 0}));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(absent, 0u);
    EXPECT_LE(seen.size(), 2u);
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(FieldCache, the_default_folder_follows_the_environment) {
    const Environment home("HOME", "/home/somebody");
    {
        const Environment own("FATHOM_CACHE", "/own"), caches("XDG_CACHE_HOME", "/caches");
        EXPECT_EQ(FieldCache::default_folder(), "/own");
    }
    const Environment none("FATHOM_CACHE", nullptr);
    {
        const Environment caches("XDG_CACHE_HOME", "/caches");
        EXPECT_EQ(FieldCache::default_folder(), "/caches/fathom");
    }
    const Environment relative("XDG_CACHE_HOME", "not absolute");
    EXPECT_EQ(FieldCache::default_folder(), "/home/somebody/.cache/fathom");
    for (const char* word : {"off", ""}) {
        const Environment off("FATHOM_CACHE", word);
        EXPECT_TRUE(FieldCache().is_off());
    }
    const Environment homeless("HOME", nullptr);
    EXPECT_TRUE(FieldCache().is_off());
}

} // namespace field_cache_test
} // namespace fathom
