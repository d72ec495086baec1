// Runs a fuzz target without a fuzzer: every file of its corpus, every 1/16 truncation, and seeded mutations of each.
// Deterministic; any compiler. Usage: <reader>_fuzz_replay CORPUS_FOLDER [MORE...]
#include <fathom/base/random.h>
#include <support/test_counts.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

std::vector<fs::path> files_below(int argc, char** argv) {
    std::vector<fs::path> files;
    for (int i = 1; i < argc; ++i)
        for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
            if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

Bytes load(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(stream), {});
}

// A few byte flips, a cut-out piece, or a number blown up: what damaged files and simple attacks look like.
Bytes mutated(Bytes bytes, fathom::Random& random) {
    if (bytes.empty()) return bytes;
    const std::size_t edits = 1 + random.below(4);
    for (std::size_t i = 0; i < edits && !bytes.empty(); ++i) {
        const std::size_t at = random.below(bytes.size());
        switch (random.below(5)) {
        case 0:
            bytes[at] = static_cast<std::uint8_t>(random.bits());
            break;
        case 1:
            bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << random.below(8)));
            break;
        case 2:
            bytes[at] = 0xff;
            break;
        case 3:
            bytes[at] = static_cast<std::uint8_t>('0' + random.below(10));
            break;
        default: {
            const std::size_t length = std::min<std::size_t>(1 + random.below(32), bytes.size() - at);
            const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
            if (random.chance(0.5)) {
                bytes.erase(from, from + static_cast<std::ptrdiff_t>(length));
            } else {
                const Bytes piece(from, from + static_cast<std::ptrdiff_t>(length));
                bytes.insert(from, piece.begin(), piece.end());
            }
        }
        }
    }
    return bytes;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<fs::path> files = files_below(argc, argv);
    std::size_t runs = 0;
    const auto run = [&](const Bytes& bytes) {
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        ++runs;
    };
    run({});
    for (std::size_t f = 0; f < files.size(); ++f) {
        const Bytes whole = load(files[f]);
        run(whole);
        for (std::size_t k = 1; k < 16; ++k) {
            const auto length = static_cast<std::ptrdiff_t>(whole.size() * k / 16);
            run(Bytes(whole.begin(), whole.begin() + length));
        }
        fathom::Random random(1, f);
        const std::size_t mutations = fathom::testing::count_of(200, 5000);
        for (std::size_t k = 0; k < mutations; ++k) run(mutated(whole, random));
    }
    std::printf("%zu runs over %zu corpus files\n", runs, files.size());
    return files.empty() ? 1 : 0; // a target without a corpus tests nothing
}
