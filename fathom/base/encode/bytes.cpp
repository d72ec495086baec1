// Reading of VTK's number types.
#include <fathom/base/encode/bytes.h>

#include <array>

namespace fathom {

namespace {

struct Named {
    std::string_view name;
    Scalar type;
};

template <std::size_t N>
std::optional<Scalar> find(const std::array<Named, N>& table, std::string_view name) {
    for (const Named& entry : table)
        if (entry.name == name) return entry.type;
    return std::nullopt;
}

// The type named long in VTK's legacy files has 8 bytes on every machine that writes them today; vtkIdType is stored as
// int.
constexpr std::array<Named, 15> legacy_names = {{{"char", Scalar::int8},
                                                 {"signed_char", Scalar::int8},
                                                 {"unsigned_char", Scalar::uint8},
                                                 {"short", Scalar::int16},
                                                 {"unsigned_short", Scalar::uint16},
                                                 {"int", Scalar::int32},
                                                 {"vtkidtype", Scalar::int32},
                                                 {"vtktypeint32", Scalar::int32},
                                                 {"unsigned_int", Scalar::uint32},
                                                 {"long", Scalar::int64},
                                                 {"vtktypeint64", Scalar::int64},
                                                 {"unsigned_long", Scalar::uint64},
                                                 {"vtktypeuint64", Scalar::uint64},
                                                 {"float", Scalar::float32},
                                                 {"double", Scalar::float64}}};

constexpr std::array<Named, 10> xml_names = {{{"Int8", Scalar::int8},
                                              {"UInt8", Scalar::uint8},
                                              {"Int16", Scalar::int16},
                                              {"UInt16", Scalar::uint16},
                                              {"Int32", Scalar::int32},
                                              {"UInt32", Scalar::uint32},
                                              {"Int64", Scalar::int64},
                                              {"UInt64", Scalar::uint64},
                                              {"Float32", Scalar::float32},
                                              {"Float64", Scalar::float64}}};

// Reads a value of the given type and converts it to Result.
template <class Result>
Result read_as(ByteReader& bytes, Scalar type) {
    constexpr std::string_view what = "a number";
    switch (type) {
    case Scalar::int8:
        return static_cast<Result>(bytes.read<std::int8_t>(what));
    case Scalar::uint8:
        return static_cast<Result>(bytes.read<std::uint8_t>(what));
    case Scalar::int16:
        return static_cast<Result>(bytes.read<std::int16_t>(what));
    case Scalar::uint16:
        return static_cast<Result>(bytes.read<std::uint16_t>(what));
    case Scalar::int32:
        return static_cast<Result>(bytes.read<std::int32_t>(what));
    case Scalar::uint32:
        return static_cast<Result>(bytes.read<std::uint32_t>(what));
    case Scalar::int64:
        return static_cast<Result>(bytes.read<std::int64_t>(what));
    case Scalar::uint64:
        return static_cast<Result>(bytes.read<std::uint64_t>(what));
    case Scalar::float32:
    case Scalar::float64:
        break;
    }
    return static_cast<Result>(-1);
}

} // namespace

std::size_t size_of(Scalar type) {
    constexpr std::array<std::size_t, 10> sizes = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[static_cast<std::size_t>(type)];
}

std::optional<Scalar> legacy_scalar(std::string_view name) { return find(legacy_names, name); }
std::optional<Scalar> xml_scalar(std::string_view name) { return find(xml_names, name); }

double read_number(ByteReader& bytes, Scalar type) {
    if (type == Scalar::float32) return static_cast<double>(bytes.read<float>("a number"));
    if (type == Scalar::float64) return bytes.read<double>("a number");
    return read_as<double>(bytes, type);
}

std::int64_t read_integer(ByteReader& bytes, Scalar type) { return read_as<std::int64_t>(bytes, type); }

} // namespace fathom
