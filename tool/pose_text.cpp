// Poses as users write them.
#include <tool/pose_text.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

namespace fathom::tool {

namespace {

std::vector<double> numbers(const std::string& text, const std::string& option) {
    std::vector<double> values;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        while (at < end && *at == ' ') ++at;
        double value = 0;
        const auto [rest, problem] = std::from_chars(at, end, value);
        if (problem != std::errc() || !std::isfinite(value))
            throw Error(Cause::invalid_argument, fmt::format("{}: '{}' is no pose: a number is wanted at character {}",
                                                             option, text, at - text.data() + 1));
        values.push_back(value);
        at = rest;
        if (at == end) return values;
        if (*at++ != ',')
            throw Error(Cause::invalid_argument, fmt::format("{}: '{}' is no pose: a comma is wanted at character {}",
                                                             option, text, at - text.data()));
    }
}

} // namespace

Pose pose_from_text(const std::string& text, const std::string& option) {
    const std::vector<double> v = numbers(text, option);
    if (v.size() != 3 && v.size() != 7)
        throw Error(
            Cause::invalid_argument,
            fmt::format("{}: '{}' has {} numbers; a pose is x,y,z or x,y,z,qw,qx,qy,qz", option, text, v.size()));
    Pose pose = Pose::at({v[0], v[1], v[2]});
    if (v.size() == 3) return pose;
    const Quat rotation(v[3], v[4], v[5], v[6]);
    if (std::abs(rotation.norm() - 1) > 2e-3)
        throw Error(Cause::invalid_argument,
                    fmt::format("{}: the quaternion of '{}' has length {:.4g}, not 1", option, text, rotation.norm()));
    pose.rotation = rotation.normalized();
    return pose;
}

} // namespace fathom::tool
