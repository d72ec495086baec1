#include <fathom/base/hash.h>

#include <gtest/gtest.h>

#include <set>

namespace fathom {
namespace hash_test {

TEST(Hash, is_xxh3) {
    EXPECT_EQ(checksum({}), 0x2d06800538d394c2u); // the published value for no input
}

TEST(Hash, every_flipped_bit_changes_the_checksum) {
    std::string text(2000, 'x');
    std::set<std::uint64_t> seen = {checksum(std::as_bytes(std::span(text)))};
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        std::string changed = text;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
        seen.insert(checksum(std::as_bytes(std::span(changed))));
    }
    EXPECT_EQ(seen.size(), 8 * text.size() + 1);
}

Fingerprint of(std::initializer_list<std::string_view> pieces) {
    Fingerprinter printer;
    for (const std::string_view piece : pieces) printer.add(piece);
    return printer.finish();
}

TEST(Hash, lengths_of_parts_are_hashed) {
    EXPECT_EQ(of({"ab", "c"}), of({"ab", "c"}));
    EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
    EXPECT_NE(of({"abc"}), of({"abc", ""}));
    EXPECT_EQ(of({"abc"}).text().size(), 32u);
}

} // namespace hash_test
} // namespace fathom
