// Parser for the common parts of VTK's XML files: the header, the data arrays, and the appended data.
// Format: "VTK file formats" (Kitware), XML formats.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/encode/base64.h>
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text_scanner.h>

#include <memory>

namespace fathom {

// Storage attributes that hold for all arrays of the file, and the position of the appended data.
struct VtuStorage {
    std::endian order = std::endian::little;
    Scalar header = Scalar::uint32; // type of the sizes in front of binary data
    std::string compressor;         // empty: not compressed
    ByteFeed::Encoding appended_encoding = ByteFeed::Encoding::base64;
    std::size_t appended_begin = 0, appended_end = 0; // byte range in the file; empty if there is none
};

struct VtuArray {
    enum class Format { ascii, binary, appended };

    Scalar type = Scalar::float64;
    Format format = Format::ascii;
    std::uint64_t offset = 0;       // into the appended data
    std::size_t begin = 0, end = 0; // byte range of the inline text in the file
    std::string joined;             // the inline text instead, if comments divide it into pieces
    std::string name;               // for messages
};

// The numbers of one DataArray as a stream, for every kind of storage: text, base64 or raw, inline or appended, with or
// without zlib compression. A stream needs a few buffers of memory, whatever sizes the file states.
class VtuNumbers {
public:
    virtual ~VtuNumbers() = default;
    [[nodiscard]] virtual double number() = 0; // Error{truncated} at the end
    [[nodiscard]] virtual std::int64_t integer() = 0;
    [[nodiscard]] virtual bool at_end() = 0;
    [[noreturn]] virtual void fail(Cause cause, std::string_view reason, std::string_view element = {},
                                   std::int64_t index = -1) const = 0;
};

// The source, the storage and the array must outlive the stream. `whole`: the array must have an integer type.
[[nodiscard]] std::unique_ptr<VtuNumbers> open_array(const Source& source, const VtuStorage& storage,
                                                     const VtuArray& array, bool whole);

class VtkXml {
public:
    using Event = XmlScanner::Event;

    // `type` is the required type attribute of <VTKFile>, for example "UnstructuredGrid". walk() fills `storage`.
    VtkXml(const Source& source, std::string_view type, VtuStorage& storage)
        : source_(source), xml_(source), type_(type), storage_(storage) {}

    // Calls `element` for every tag inside <VTKFile>, up to its end or the appended data. Error{unknown_format,
    // truncated} if <VTKFile> or its end is missing.
    void walk(CallableRef<void(Event)> element);

    // Name and attributes of the present tag; `otherwise` is the value of a missing attribute.
    [[nodiscard]] std::string_view name() const { return xml_.name(); }
    [[nodiscard]] std::string value(std::string_view key, std::string_view otherwise) const;
    [[nodiscard]] std::uint64_t number(std::string_view key, std::string_view otherwise) const;
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {}) const {
        xml_.fail(cause, reason, element);
    }

    // Reads the <DataArray> that has been opened, with its text; `name` appears in messages.
    [[nodiscard]] VtuArray array(Event event, std::string name);
    // Skips the content of a tag that has been opened.
    void skip(Event event);

private:
    bool file_head();
    void content(VtuArray& array);
    void add_text(VtuArray& array) const;
    void appended_data();

    const Source& source_;
    XmlScanner xml_;
    std::string_view type_;
    VtuStorage& storage_;
};

} // namespace fathom
