// What all of VTK's XML files share: the head, the arrays, and the appended data. Format: "VTK file
// formats" (Kitware), XML formats.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/encode/base64.h>
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text_scanner.h>

#include <memory>

namespace fathom {

// The numbers of one DataArray of a .vtu, one after another, however they are stored: text, base64 or
// raw, inline or appended, packed by zlib or not. Memory is a few buffers a stream, whatever sizes the file states.

// What the head of the file says about all arrays, and where the appended data lies.
struct VtuStorage {
    std::endian order = std::endian::little;
    Scalar header = Scalar::uint32; // the type of sizes in front of binary data
    std::string compressor;         // empty: not packed
    ByteFeed::Encoding appended_encoding = ByteFeed::Encoding::base64;
    std::size_t appended_begin = 0, appended_end = 0; // in the file; equal where there is none
};

struct VtuArray {
    enum class Format { ascii, binary, appended };

    Scalar type = Scalar::float64;
    Format format = Format::ascii;
    std::uint64_t offset = 0;       // into the appended data
    std::size_t begin = 0, end = 0; // of the inline text in the file
    std::string joined;             // instead, where comments cut that text into pieces
    std::string name;               // for messages
};

class VtuNumbers {
public:
    virtual ~VtuNumbers() = default;
    [[nodiscard]] virtual double number() = 0; // Error{truncated} at the end
    [[nodiscard]] virtual std::int64_t integer() = 0;
    [[nodiscard]] virtual bool at_end() = 0;
    [[noreturn]] virtual void fail(Cause cause, std::string_view reason, std::string_view element = {},
                                   std::int64_t index = -1) const = 0;
};

// The source, the storage and the array must outlive the stream. `whole`: the array must be of a whole type.
[[nodiscard]] std::unique_ptr<VtuNumbers> open_array(const Source& source, const VtuStorage& storage,
                                                     const VtuArray& array, bool whole);

class VtkXml {
public:
    using Event = XmlScanner::Event;

    // `type` is what <VTKFile> must state: "UnstructuredGrid". `storage` is filled by walk().
    VtkXml(const Source& source, std::string_view type, VtuStorage& storage)
        : source_(source), xml_(source), type_(type), storage_(storage) {}

    // Every tag inside <VTKFile>, up to its end or the appended data. Error{unknown_format, truncated} where they are
    // not.
    void walk(CallableRef<void(Event)> element);

    // Of the present tag.
    [[nodiscard]] std::string_view name() const { return xml_.name(); }
    [[nodiscard]] std::string value(std::string_view key, std::string_view otherwise) const;
    [[nodiscard]] std::uint64_t number(std::string_view key, std::string_view otherwise) const;
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {}) const {
        xml_.fail(cause, reason, element);
    }

    // The <DataArray> that has begun, with its text; `name` serves the messages.
    [[nodiscard]] VtuArray array(Event event, std::string name);
    // Passes over the content of a tag that has begun.
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
