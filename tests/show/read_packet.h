// Reads packets of the viewer as the page does.
#pragma once

#include <fathom/show/viewer_packets.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

namespace fathom::testing {

struct ReadPacket {
    nlohmann::json json;
    std::string binary;

    explicit ReadPacket(const std::string& bytes) {
        EXPECT_EQ(bytes.substr(0, 4), "FTHM");
        std::uint32_t head[2] = {};
        std::memcpy(head, bytes.data() + 4, sizeof head);
        EXPECT_EQ(head[0], 1u);
        EXPECT_EQ((12 + head[1]) % 8, 0u);
        json = nlohmann::json::parse(bytes.substr(12, head[1]));
        binary = bytes.substr(12 + head[1]);
    }

    template <class T>
    [[nodiscard]] std::vector<T> array(const nlohmann::json& said, const char* type, std::size_t width) const {
        EXPECT_EQ(said.at("type"), type);
        EXPECT_EQ(said.at("width"), width);
        const std::size_t count = said.at("count").get<std::size_t>() * width,
                          offset = said.at("offset").get<std::size_t>();
        EXPECT_EQ(offset % 8, 0u);
        std::vector<T> values(count);
        if (offset + count * sizeof(T) > binary.size())
            ADD_FAILURE() << "an array past the end";
        else if (count > 0)
            std::memcpy(values.data(), binary.data() + offset, count * sizeof(T));
        return values;
    }
    [[nodiscard]] std::vector<float> floats(const nlohmann::json& said, std::size_t width) const {
        return array<float>(said, "f32", width);
    }
    [[nodiscard]] std::vector<double> doubles(const nlohmann::json& said) const {
        return array<double>(said, "f64", 1);
    }
    [[nodiscard]] std::vector<std::uint32_t> indices(const nlohmann::json& said, std::size_t width) const {
        return array<std::uint32_t>(said, "u32", width);
    }
};

} // namespace fathom::testing
