// Reader for the subset of HDF5 that weight files use: groups, arrays of float and double, text attributes. The input
// is not trusted.
// Format: "HDF5 File Format Specification 3.0": superblocks 0 to 3, object headers 1 and 2, symbol tables and link
// messages, contiguous and compact storage. Not supported: chunks, filters, dense groups, references; the error names
// the feature.
#pragma once

#include <fathom/base/encode/bytes.h>
#include <fathom/field/neural_io/network_formats.h>

#include <map>
#include <optional>
#include <string>

namespace fathom {

struct Hdf5Object {
    std::map<std::string, std::uint64_t, std::less<>> links;            // of a group: names and addresses
    std::map<std::string, std::vector<std::string>, std::less<>> texts; // text attributes, or lists of text
    std::optional<FloatArray> array;                                    // of a dataset
};

// Use one object per file and thread; the source must outlive it.
class Hdf5File {
public:
    explicit Hdf5File(const Source& source); // reads the superblock

    [[nodiscard]] std::uint64_t root() const { return root_; }

    // Throws Error naming the byte offset. Links may form cycles: the caller must bound the depth to which it follows
    // them.
    [[nodiscard]] Hdf5Object object(std::uint64_t address) const;

private:
    const Source& source_;
    std::uint64_t root_ = 0;
};

} // namespace fathom
