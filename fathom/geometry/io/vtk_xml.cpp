// Reads what all of VTK's XML files share.
#include <fathom/base/encode/printable.h>
#include <fathom/geometry/io/vtk_xml.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fathom {

void VtkXml::walk(CallableRef<void(Event)> element) {
    bool inside_file = false;
    for (auto event = xml_.next(); event != Event::end; event = xml_.next()) {
        if (event == Event::text) continue;
        if (event == Event::close && name() == "VTKFile") return;
        if (event != Event::close && name() == "VTKFile")
            inside_file = file_head();
        else if (!inside_file)
            xml_.fail(Cause::unknown_format, "does not start with <VTKFile>");
        else if (name() == "AppendedData")
            return appended_data();
        else
            element(event);
    }
    xml_.fail(inside_file ? Cause::truncated : Cause::unknown_format,
              inside_file ? "ends before </VTKFile>" : "holds no <VTKFile>");
}

std::string VtkXml::value(std::string_view key, std::string_view otherwise) const {
    return std::string(xml_.attribute(key).value_or(otherwise));
}

std::uint64_t VtkXml::number(std::string_view key, std::string_view otherwise) const {
    const std::string text = value(key, otherwise);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        xml_.fail(Cause::malformed, fmt::format("the attribute {} is not a whole number", key));
    return number;
}

bool VtkXml::file_head() {
    const std::string type = value("type", "");
    if (type != type_)
        xml_.fail(Cause::unsupported, fmt::format("a VTK file of type '{}'; only {} is read", printable(type), type_));
    const std::string order = value("byte_order", "LittleEndian"), header = value("header_type", "UInt32");
    if (order != "LittleEndian" && order != "BigEndian") xml_.fail(Cause::malformed, "an unknown byte_order");
    if (header != "UInt32" && header != "UInt64") xml_.fail(Cause::malformed, "an unknown header_type");
    storage_.order = order == "BigEndian" ? std::endian::big : std::endian::little;
    storage_.header = header == "UInt64" ? Scalar::uint64 : Scalar::uint32;
    storage_.compressor = value("compressor", "");
    return true;
}

VtuArray VtkXml::array(Event event, std::string name) {
    VtuArray array;
    array.name = std::move(name);
    const std::optional<Scalar> type = xml_scalar(value("type", ""));
    if (!type) xml_.fail(Cause::unsupported, "a number type that is not known here", array.name);
    array.type = *type;
    const std::string format = value("format", "ascii");
    if (format == "appended") {
        array.format = VtuArray::Format::appended;
        array.offset = number("offset", "");
    } else if (format == "binary") {
        array.format = VtuArray::Format::binary;
    } else if (format != "ascii") {
        xml_.fail(Cause::unsupported, "a format of data that is not known here", array.name);
    }
    if (event == Event::open) content(array);
    return array;
}

void VtkXml::skip(Event event) {
    VtuArray ignored;
    ignored.format = VtuArray::Format::appended;
    if (event == Event::open) content(ignored);
}

// The text of the array, up to its closing tag; what stands inside elements of its own (VTK's InformationKey) is
// not data.
void VtkXml::content(VtuArray& array) {
    std::size_t depth = 0;
    for (auto event = xml_.next(); event != Event::end; event = xml_.next()) {
        if (event == Event::open) ++depth;
        if (event == Event::close && depth-- == 0) return;
        if (event != Event::text || depth > 0 || array.format == VtuArray::Format::appended) continue;
        add_text(array);
    }
    xml_.fail(Cause::truncated, "the file ends inside a DataArray");
}

void VtkXml::add_text(VtuArray& array) const {
    if (array.end != 0) {
        if (array.joined.empty()) array.joined = source_.text().substr(array.begin, array.end - array.begin);
        array.joined.append(" ").append(xml_.text());
        return;
    }
    array.begin = static_cast<std::size_t>(xml_.text().data() - source_.text().data());
    array.end = array.begin + xml_.text().size();
}

// The data starts behind an underscore.
void VtkXml::appended_data() {
    const std::string encoding = value("encoding", "base64");
    if (encoding != "raw" && encoding != "base64")
        xml_.fail(Cause::unsupported, "an unknown encoding of the appended data");
    const std::string_view all = source_.text();
    const std::size_t mark = all.find_first_not_of(" \t\r\n", xml_.offset());
    if (mark == all.npos || all[mark] != '_') xml_.fail(Cause::malformed, "the appended data does not start with '_'");
    const bool raw = encoding == "raw";
    storage_.appended_encoding = raw ? ByteFeed::Encoding::raw : ByteFeed::Encoding::base64;
    storage_.appended_begin = mark + 1;
    storage_.appended_end = raw ? all.size() : std::min(all.find('<', mark), all.size());
}

} // namespace fathom
