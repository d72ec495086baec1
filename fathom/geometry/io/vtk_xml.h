// What all of VTK's XML files share: the head, the arrays, and the appended data. Format: "VTK file
// formats" (Kitware), XML formats.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/geometry/io/vtu_array.h>
#include <fathom/base/encode/xml_scanner.h>

namespace fathom {

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
