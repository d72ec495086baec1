// HDF5 files made by hand, as the library writes them by default: superblock 0, symbol tables, old headers. Objects are
// put one after another, children first.
#pragma once

#include <fathom/base/encode/bytes.h>

#include <map>
#include <span>
#include <vector>

namespace fathom::testing {

class Hdf5Bytes {
public:
    using Links = std::map<std::string, std::uint64_t>;

    Hdf5Bytes() : out_(96, '\0') {}

    template <class... Numbers>
    static std::string packed(Numbers... numbers) {
        std::string bytes;
        (append_little_endian(bytes, numbers), ...);
        return bytes;
    }
    static std::string message(unsigned type, std::string body) {
        body.resize((body.size() + 7) / 8 * 8);
        return packed(static_cast<std::uint16_t>(type), static_cast<std::uint16_t>(body.size()), std::uint32_t{0}) +
               body;
    }
    static std::string dataspace(const std::vector<std::uint64_t>& shape) {
        std::string body =
            packed(std::uint8_t{1}, static_cast<std::uint8_t>(shape.size()), std::uint16_t{0}, std::uint32_t{0});
        for (const std::uint64_t n : shape) body += packed(n);
        return body;
    }
    static std::string float_type(bool doubles = false, bool big_endian = false) {
        const std::string head = packed(std::uint8_t{0x11}, static_cast<std::uint8_t>(0x20 | (big_endian ? 1 : 0)),
                                        static_cast<std::uint8_t>(doubles ? 63 : 31), std::uint8_t{0});
        return doubles ? head + packed(8U, std::uint16_t{0}, std::uint16_t{64}) +
                             packed(std::uint8_t{52}, std::uint8_t{11}, std::uint8_t{0}, std::uint8_t{52}, 1023U)
                       : head + packed(4U, std::uint16_t{0}, std::uint16_t{32}) +
                             packed(std::uint8_t{23}, std::uint8_t{8}, std::uint8_t{0}, std::uint8_t{23}, 127U);
    }
    // Texts of fixed length, padded with zeros.
    static std::string text_attribute(std::string name, const std::vector<std::string>& texts, bool list = true) {
        std::size_t longest = 1;
        for (const std::string& text : texts) longest = std::max(longest, text.size());
        std::string data;
        for (std::string text : texts) data += (text.resize(longest), text);
        return attribute(std::move(name), packed(0x113U, static_cast<std::uint32_t>(longest)),
                         list ? dataspace({texts.size()}) : dataspace({}), data);
    }
    // One text in the global heap.
    std::string heap_attribute(std::string name, std::string_view text) {
        align();
        const std::uint64_t heap = out_.size();
        const std::size_t size = (text.size() + 7) / 8 * 8, whole = std::max<std::size_t>(4096, 48 + size);
        out_ += "GCOL" +
                packed(1U, std::uint64_t{whole}, std::uint16_t{1}, std::uint16_t{1}, 0U, std::uint64_t{text.size()});
        out_ += text;
        out_.resize(out_.size() + size - text.size());
        const std::size_t left = whole - 32 - size;
        out_ += packed(std::uint64_t{0}, std::uint64_t{left});
        out_.resize(static_cast<std::size_t>(heap) + whole);
        const std::string type = packed(0x119U, 16U) + packed(0x10U, 1U, std::uint64_t{0x80000});
        return attribute(std::move(name), type, dataspace({}),
                         packed(static_cast<std::uint32_t>(text.size()), heap, 1U));
    }

    std::uint64_t object(const std::vector<std::string>& messages) {
        align();
        const std::uint64_t address = out_.size();
        std::string body;
        for (const std::string& m : messages) body += m;
        out_ += packed(std::uint16_t{1}, static_cast<std::uint16_t>(messages.size()), 1U,
                       static_cast<std::uint32_t>(body.size()), 0U) +
                body;
        return address;
    }

    std::uint64_t array(const std::vector<std::uint64_t>& shape, std::string_view data,
                        const std::string& type = float_type()) {
        align();
        const std::uint64_t address = out_.size();
        out_ += data;
        return object({message(1, dataspace(shape)), message(3, type),
                       message(8, packed(std::uint8_t{3}, std::uint8_t{1}, address, std::uint64_t{data.size()}))});
    }

    std::uint64_t group(const Links& links, std::vector<std::string> messages = {}) {
        messages.insert(messages.begin(), symbol_table(links));
        return object(messages);
    }

    std::string finish(std::uint64_t root) {
        std::string head = "\x89HDF\r\n\x1a\n" +
                           packed(0U, std::uint16_t{0x800}, std::uint16_t{8}, std::uint16_t{4}, std::uint16_t{16}, 0U);
        head += packed(std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{out_.size()}, ~std::uint64_t{0},
                       std::uint64_t{0}, root);
        out_.replace(0, head.size(), head);
        return out_;
    }

private:
    static std::string attribute(std::string name, const std::string& type, const std::string& space,
                                 const std::string& data) {
        name.push_back('\0');
        const auto padded = [](std::string text) { return (text.resize((text.size() + 7) / 8 * 8), text); };
        return message(12, packed(std::uint16_t{1}, static_cast<std::uint16_t>(name.size()),
                                  static_cast<std::uint16_t>(type.size()), static_cast<std::uint16_t>(space.size())) +
                               padded(name) + padded(type) + padded(space) + data);
    }

    void align() { out_.resize((out_.size() + 7) / 8 * 8); }

    std::string symbol_table(const Links& links) {
        align();
        std::string names(8, '\0'), keys = packed(std::uint64_t{0});
        std::vector<std::string> nodes;
        std::size_t count = 0;
        for (const auto& [name, address] : links) {
            if (count++ % 8 == 0) nodes.emplace_back();
            nodes.back() +=
                packed(std::uint64_t{names.size()}, address, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0});
            names += name;
            names.resize((names.size() + 8) / 8 * 8);
        }
        const std::uint64_t heap_data = out_.size(), heap = heap_data + names.size(), first_node = heap + 32;
        out_ += names + "HEAP" + packed(0U, std::uint64_t{names.size()}, std::uint64_t{1}, heap_data);
        constexpr std::size_t node_size = 8 + 8 * 40, tree_size = 24 + 33 * 8 + 32 * 8;
        std::string tree = "TREE" + packed(std::uint16_t{0}, static_cast<std::uint16_t>(nodes.size()),
                                           ~std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0});
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const std::size_t entries = nodes[k].size() / 40;
            std::string node =
                "SNOD" + packed(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint16_t>(entries)) + nodes[k];
            node.resize(node_size);
            out_ += node;
            tree += packed(first_node + k * node_size) + nodes[k].substr(40 * (entries - 1), 8); // key: the last name
        }
        tree.resize(tree_size);
        const std::uint64_t at = out_.size();
        out_ += tree;
        return message(17, packed(at, heap));
    }

    std::string out_;
};

} // namespace fathom::testing
