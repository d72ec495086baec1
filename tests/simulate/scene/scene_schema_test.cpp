// The table of keys is what the reader does, what the schema says and what the page of docs lists.
// After a change of keys: FATHOM_WRITE_SCHEMA=1 fathom_test_simulate --gtest_filter=SceneSchema.*
#include <fathom/simulate/scene/scene_keys.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/simulate/scene/scene.h>
#include <support/scratch_folder.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace fathom {
namespace scene_schema_test {

namespace fs = std::filesystem;

const fs::path source = FATHOM_SOURCE_DIR;
const bool writing = std::getenv("FATHOM_WRITE_SCHEMA") != nullptr;

std::string text_of(const fs::path& path) {
    const Bytes bytes = read_whole_file(path);
    return {reinterpret_cast<const char*>(bytes.span().data()), bytes.size()};
}

TEST(SceneSchema, the_published_schema_is_that_of_the_reader) {
    const fs::path file = source / "docs/scene.schema.json";
    if (writing) std::ofstream(file) << scene_schema();
    EXPECT_EQ(text_of(file), scene_schema());
}

TEST(SceneSchema, the_page_of_docs_lists_the_keys_of_the_reader) {
    const fs::path file = source / "docs/scenes.md";
    const std::string begin = "<!-- keys: made from fathom/simulate/scene/scene_keys.cpp -->\n",
                      end = "<!-- end of keys -->\n";
    std::string page = text_of(file);
    const std::size_t from = page.find(begin), to = page.find(end);
    ASSERT_NE(from, page.npos);
    ASSERT_NE(to, page.npos);
    const std::size_t first = from + begin.size();
    if (writing) {
        page.replace(first, to - first, scene_key_chapters());
        std::ofstream(file) << page;
    }
    EXPECT_EQ(text_of(file).substr(first, scene_key_chapters().size()), scene_key_chapters());
}

// A value that no key of the type takes.
std::string wrong_value(const SceneKey& key) {
    switch (key.type) {
    case KeyType::number:
    case KeyType::whole:
        return fmt::format("{}", key.high < 1e12 ? static_cast<std::int64_t>(key.high * 2 + 1) : std::int64_t{-1});
    case KeyType::numbers:
        return "{ size = \"large\" }";
    case KeyType::path:
        return "[[0, 1, 2]]";
    case KeyType::text:
    case KeyType::flag:
    case KeyType::choice:
        return "3";
    default:
        return "[1]";
    }
}

std::string message_of(const std::string& text) {
    try {
        (void)parse_scene(text, "scene.toml");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

// A scene with one line more, and the line that it stands in.
std::string scene_with(const SceneTable& table, const SceneKey& key, const std::string& line, std::size_t& number) {
    std::string kind = "rigid";
    if (&table == &body_keys()) kind = kind_names[std::countr_zero(key.kinds)];
    if (key.name == "field" || key.name == "network") kind = "moved";
    const std::string emitter = "[[emitter]]\n", tables[] = {"[springs]\n", "[solids]\n",  "[particles]\n",
                                                             "[motion]\n",  "[contact]\n", "[coupling]\n"};
    std::string text;
    const auto add = [&](const std::string& part) { text += part; };
    const auto add_line = [&] {
        number = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
        text += line + "\n";
    };
    if (table.name.empty()) add_line();
    const std::string head = std::string(table.name) + "\n";
    const bool soft_contact = &table == &spring_contact_keys();
    if (soft_contact) kind = "surface";
    if (std::find(std::begin(tables), std::end(tables), head) != std::end(tables)) add(head), add_line();
    if (&table == &coupling_keys()) add("[[body]]\nkind = \"surface\"\nshape = \"cloth\"\n");
    if (&table == &motion_keys()) kind = "moved";
    if (&table == &emitter_keys()) add("[particles]\n" + head), add_line();
    if (&table == &particles_keys()) add(emitter);
    if (table.name.empty() && key.name == "body") return text;
    if (&table != &body_keys())
        return text +
               fmt::format("[[body]]\nkind = \"{}\"\nshape = \"{}\"\n", kind, kind == "surface" ? "cloth" : "box");
    add("[[body]]\n");
    if (key.name != "kind") add(fmt::format("kind = \"{}\"\n", kind));
    if (key.name != "shape" && key.name != "mesh" && key.name != "field" && key.name != "network")
        add(kind == "solid" ? "shape = \"tet_box\"\n" : "shape = \"box\"\n");
    add_line();
    return text;
}

TEST(SceneSchema, every_key_is_read_and_a_wrong_value_is_named_with_key_and_line) {
    std::size_t keys = 0;
    for (const SceneTable* table : scene_tables())
        for (const SceneKey& key : table->keys) {
            std::size_t line = 0;
            const std::string text = scene_with(*table, key, fmt::format("{} = {}", key.name, wrong_value(key)), line),
                              message = message_of(text);
            EXPECT_NE(message.find(key.name), std::string::npos)
                << table->title << " " << key.name << ": " << message << "\n"
                << text;
            EXPECT_NE(message.find(fmt::format("scene.toml:{}:", line)), std::string::npos)
                << table->title << " " << key.name << ": " << message << "\n"
                << text;
            ++keys;
        }
    EXPECT_GT(keys, 150u);
}

TEST(SceneSchema, keys_of_another_kind_of_body_are_refused_by_name) {
    const std::string message = message_of("[[body]]\nkind = \"rigid\"\nshape = \"box\"\nbending = 1\n");
    EXPECT_NE(message.find("scene.toml:4: key body 0: bending: does not apply to a body of kind rigid"),
              std::string::npos)
        << message;
}

std::string refused_by_schema(const std::string& files, int& status) {
    const std::string command =
        fmt::format("/usr/bin/python3 '{}' '{}' {} 2>&1", (source / "tests/simulate/check_schema.py").string(),
                    (source / "docs/scene.schema.json").string(), files);
    std::FILE* pipe = popen(command.c_str(), "r"); // NOLINT: a test's own script
    std::string output;
    std::array<char, 4096> buffer;
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe)) output += buffer.data();
    const int closed = pipe ? pclose(pipe) : -1;
    status = WIFEXITED(closed) ? WEXITSTATUS(closed) : -1;
    return output;
}

bool no_validator(int status) { return status == 77 || status == 127; }

TEST(SceneSchema, takes_every_scene_of_the_project) {
    std::string files;
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(source / "scenes"))
        if (entry.path().extension() == ".toml") files += fmt::format("'{}' ", entry.path().string()), ++count;
    EXPECT_GE(count, 35u);
    int status = 0;
    const std::string refused = refused_by_schema(files, status);
    if (no_validator(status)) GTEST_SKIP() << "python3 with jsonschema is not installed";
    EXPECT_EQ(status, 0) << refused;
    EXPECT_EQ(refused, "");
}

TEST(SceneSchema, rejects_what_the_reader_rejects) {
    const testing::ScratchFolder folder;
    const std::string body = "[[body]]\nshape = \"box\"\n";
    const std::string wrong[] = {"stepp = 0.1\n" + body,
                                 "step = 0\n" + body,
                                 "step = \"fast\"\n" + body,
                                 "gravity = [0, 1]\n" + body,
                                 "mode = \"loose\"\n" + body,
                                 "record_every = 1.5\n" + body,
                                 "[contact]\nfrictoin = 1\n" + body,
                                 "[springs]\nstretch = -1\n" + body,
                                 body + "colour = 3\n",
                                 "step = 0.1\n",
                                 "[[body]]\nkind = \"rigid\"\nshape = \"box\"\nvolume = 1\n",
                                 "[[body]]\nshape = \"box\"\nmesh = \"a.obj\"\n",
                                 "[[body]]\nkind = \"ghost\"\nshape = \"box\"\n",
                                 "[[body]]\nkind = \"moved\"\nshape = \"box\"\npath = [[0, 1, 2]]\n",
                                 "[particles]\npixels = 0\n[[emitter]]\n",
                                 "[solids.contact]\nscaling = \"size\"\n" + body};
    std::string files;
    for (std::size_t k = 0; k < std::size(wrong); ++k) {
        EXPECT_NE(message_of(wrong[k]), "accepted") << wrong[k];
        const fs::path file = folder / fmt::format("{}.toml", k);
        std::ofstream(file) << wrong[k];
        files += fmt::format("'{}' ", file.string());
    }
    int status = 0;
    const std::string refused = refused_by_schema(files, status);
    if (no_validator(status)) GTEST_SKIP() << "python3 with jsonschema is not installed";
    EXPECT_EQ(static_cast<std::size_t>(std::count(refused.begin(), refused.end(), '\n')), std::size(wrong)) << refused;
}

} // namespace scene_schema_test
} // namespace fathom
