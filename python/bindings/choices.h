// Conversion between the enums of the library and those of fathom/_choices.py; the name of a member as a string is
// accepted too. To add an enum, add its names to enums.h and a class to _choices.py. A test compares the two.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <string_view>

namespace fathom::python {

namespace py = pybind11;

// The names of the members in the order of the enum, whose values count from 0. FATHOM_PYTHON_CHOICES defines it.
template <class E>
struct Choices;

#define FATHOM_PYTHON_CHOICES(Enum, ...)                                                                               \
    template <>                                                                                                        \
    struct fathom::python::Choices<fathom::Enum> {                                                                     \
        static constexpr const char* type = #Enum;                                                                     \
        static constexpr auto names = std::to_array<std::string_view>({__VA_ARGS__});                                  \
    };                                                                                                                 \
    template <>                                                                                                        \
    struct pybind11::detail::type_caster<fathom::Enum> : fathom::python::ChoiceCaster<fathom::Enum> {};

[[nodiscard]] py::object choice_member(const char* type, std::string_view name);
// The index of a name in `names`. ValueError, which lists the names, if it is not among them; -1 if `given` is neither
// a string nor a member of an IntEnum.
[[nodiscard]] int choice_place(py::handle given, const char* type, const std::string_view* names, std::size_t count);

template <class E>
struct ChoiceCaster {
    // The members that PYBIND11_TYPE_CASTER would define; signatures name the type str.
    static constexpr auto name = py::detail::const_name("str");
    E value{};
    template <class T>
    using cast_op_type = py::detail::movable_cast_op_type<T>;
    // NOLINTBEGIN(google-explicit-constructor): pybind11 converts implicitly
    operator E*() { return &value; }
    operator E&() { return value; }
    operator E&&() && { return std::move(value); }
    // NOLINTEND(google-explicit-constructor)

    bool load(py::handle given, bool) {
        const int place = choice_place(given, Choices<E>::type, Choices<E>::names.data(), Choices<E>::names.size());
        value = static_cast<E>(place);
        return place >= 0;
    }
    static py::handle cast(E member, py::return_value_policy, py::handle) {
        return choice_member(Choices<E>::type, Choices<E>::names[static_cast<std::size_t>(member)]).release();
    }
};

// The dictionary {class: [names]} that _core._choices() returns to the test.
template <class... E>
[[nodiscard]] py::dict all_choices() {
    py::dict all;
    const auto add = [&]<class One>() {
        py::list names;
        for (const std::string_view name : Choices<One>::names) names.append(py::str(name.data(), name.size()));
        all[Choices<One>::type] = names;
    };
    (add.template operator()<E>(), ...);
    return all;
}

} // namespace fathom::python
