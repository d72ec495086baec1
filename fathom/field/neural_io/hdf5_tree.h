// As much of HDF5 as files of weights use, read without belief: groups, arrays of float and double,
// attributes of text.
// Format: "HDF5 File Format Specification 3.0": superblocks 0 to 3, object headers 1 and 2, symbol tables and link
// messages, contiguous and compact storage. Not for: chunks, filters, dense groups, references; each is refused by
// name.
#pragma once

#include <fathom/base/encode/bytes.h>
#include <fathom/field/neural_io/network_formats.h>

#include <map>
#include <optional>
#include <string>

namespace fathom {

struct Hdf5Object {
    std::map<std::string, std::uint64_t, std::less<>> links;            // of a group: names and addresses
    std::map<std::string, std::vector<std::string>, std::less<>> texts; // attributes that are text, or lists of it
    std::optional<FloatArray> array;                                    // of a dataset
};

// One object a file and a thread; the source must outlive it.
class Hdf5File {
public:
    explicit Hdf5File(const Source& source); // reads the superblock

    [[nodiscard]] std::uint64_t root() const { return root_; }

    // Throws Error naming the byte. Objects refer to one another as they like: whoever follows links bounds how far.
    [[nodiscard]] Hdf5Object object(std::uint64_t address) const;

private:
    const Source& source_;
    std::uint64_t root_ = 0;
};

} // namespace fathom
