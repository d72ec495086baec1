// One reader and one writer a format; read_grid_file() and write_grid_file() pick. Readers take unpacked
// bytes, believe nothing, and throw Error. Writers put everything but finish() into the file.
#pragma once

#include <fathom/field/file/sample_lattice.h>

namespace fathom {

[[nodiscard]] GridFile read_npy_grid(const Source& source, const GridReadOptions& options);
[[nodiscard]] GridFile read_nrrd(const Source& source, const GridReadOptions& options);   // attached; raw, gzip, text
[[nodiscard]] GridFile read_vti(const Source& source, const GridReadOptions& options);    // all that .vtu is read with
[[nodiscard]] GridFile read_sdfgen(const Source& source, const GridReadOptions& options); // text
[[nodiscard]] GridFile read_vega(const Source& source, const GridReadOptions& options);   // binary

void write_npy_grid(FileWriter& file, const GridData& data, const GridWriteOptions& options);
void write_nrrd(FileWriter& file, const GridData& data, const GridWriteOptions& options); // raw
void write_vti(FileWriter& file, const GridData& data, const GridWriteOptions& options);  // appended raw
void write_sdfgen(FileWriter& file, const GridData& data, const GridWriteOptions& options);
void write_vega(FileWriter& file, const GridData& data, const GridWriteOptions& options);

[[nodiscard]] bool is_vega(std::span<const std::byte> bytes); // the counts in front give the size of the file exactly

#ifdef FATHOM_WITH_VDB
// OpenVDB level sets. Read in a child process with bounded memory and time: OpenVDB trusts its files.
[[nodiscard]] GridFile read_vdb(const std::filesystem::path& path, const GridReadOptions& options);
void write_vdb(const GridField& field, const std::filesystem::path& path);
#endif

} // namespace fathom
