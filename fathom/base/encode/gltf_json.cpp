// Parsing of the JSON of a glTF file, and checked access to it.
#include <fathom/base/encode/gltf_json.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t max_json_depth = 64;

// Limit (bytes) on the allocations for a file of `size` bytes.
std::size_t max_json_bytes(std::size_t size) { return 6 * size + (std::size_t{16} << 20); }

// Sums up the allocations of the real parser without storing anything, so that they are known before parsing starts.
class JsonCensus : public nlohmann::json_sax<Json> {
public:
    explicit JsonCensus(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    bool null() override { return add_bytes(member()); }
    bool boolean(bool) override { return add_bytes(member()); }
    bool number_integer(number_integer_t) override { return add_bytes(member()); }
    bool number_unsigned(number_unsigned_t) override { return add_bytes(member()); }
    bool number_float(number_float_t, const string_t&) override { return add_bytes(member()); }
    bool string(string_t& text) override { return add_bytes(member() + text_cost + text.size()); }
    bool binary(binary_t&) override { return add_bytes(member()); }
    bool key(string_t& text) override { return add_bytes(tree_node_cost + text.size()); }
    bool start_object(std::size_t) override { return open(true); }
    bool start_array(std::size_t) override { return open(false); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        error_offset = position;
        return false;
    }

    std::optional<std::size_t> error_offset;

private:
    static constexpr std::size_t tree_node_cost = 96; // including the value in it
    static constexpr std::size_t text_cost = 48;
    static constexpr std::size_t container_cost = 64;
    static constexpr std::size_t array_member_cost = 32; // a value, and the same amount of spare capacity

    [[nodiscard]] std::size_t member() const { return in_object_.empty() || in_object_.back() ? 0 : array_member_cost; }
    bool add_bytes(std::size_t bytes) {
        bytes_ += bytes;
        return bytes_ <= max_bytes_;
    }
    bool open(bool object) {
        const std::size_t cost = member() + container_cost;
        in_object_.push_back(object);
        return in_object_.size() <= max_json_depth && add_bytes(cost);
    }
    bool close() {
        in_object_.pop_back();
        return true;
    }

    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    std::vector<bool> in_object_;
};

std::optional<std::size_t> as_whole(const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::size_t>();
    if (!value.is_number_float()) return std::nullopt; // also for negative integers
    const double number = value.get<double>();
    if (!(number >= 0 && number <= 0x1p53) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::size_t>(number);
}

const Json& member(const Source& source, const Json& list, std::size_t index, std::string_view element) {
    if (index < list.size()) return list[index];
    throw Error(Cause::index_out_of_range,
                fmt::format("{} {} does not exist, there are {}", element, index, list.size()), {.file = source.name});
}

} // namespace

Json parse_gltf_json(const Source& source, std::string_view text) {
    JsonCensus census(max_json_bytes(source.bytes.size()));
    const bool accepted = Json::sax_parse(text.begin(), text.end(), &census);
    if (census.error_offset)
        throw Error(Cause::malformed, "not valid JSON",
                    {.file = source.name, .offset = static_cast<std::int64_t>(*census.error_offset)});
    if (!accepted)
        throw Error(Cause::too_large, "the JSON is nested deeper than 64 levels or has too many values",
                    {.file = source.name});
    return Json::parse(text.begin(), text.end(), nullptr, false);
}

GltfTable::GltfTable(const Source& source, const Json& value, std::string_view element, std::int64_t index)
    : source_(source), value_(value), element_(element), index_(index) {
    if (!value.is_object()) fail(Cause::malformed, "is not a JSON object");
}

GltfTable::GltfTable(const Source& source, const Json& list, std::size_t index, std::string_view element)
    : GltfTable(source, member(source, list, index, element), element, static_cast<std::int64_t>(index)) {}

const Json& GltfTable::at(const char* key) const {
    const auto found = value_.find(key);
    if (found == value_.end()) fail(Cause::malformed, fmt::format("has no '{}'", key));
    return *found;
}

std::size_t GltfTable::whole(const char* key) const {
    const std::optional<std::size_t> value = as_whole(at(key));
    if (!value) fail(Cause::malformed, fmt::format("'{}' is not a whole number", key));
    return *value;
}

std::size_t GltfTable::whole(const char* key, std::size_t otherwise) const { return has(key) ? whole(key) : otherwise; }

const std::string& GltfTable::text(const char* key) const {
    if (!at(key).is_string()) fail(Cause::malformed, fmt::format("'{}' is not a string", key));
    return at(key).get_ref<const std::string&>();
}

bool GltfTable::flag(const char* key) const { return has(key) && at(key).is_boolean() && at(key).get<bool>(); }

const Json& GltfTable::list(const char* key) const {
    static const Json none = Json::array();
    if (!has(key)) return none;
    if (!at(key).is_array()) fail(Cause::malformed, fmt::format("'{}' is not an array", key));
    return at(key);
}

std::vector<std::size_t> GltfTable::indices(const char* key, std::size_t count) const {
    std::vector<std::size_t> out;
    for (const Json& value : list(key)) {
        const std::optional<std::size_t> index = as_whole(value);
        if (!index || *index >= count)
            fail(Cause::index_out_of_range, fmt::format("'{}' refers to a node that does not exist", key));
        out.push_back(*index);
    }
    return out;
}

void GltfTable::read_numbers(const char* key, std::span<double> out) const {
    const Json& values = list(key);
    if (values.size() != out.size()) fail(Cause::malformed, fmt::format("'{}' must have {} numbers", key, out.size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!values[i].is_number())
            fail(Cause::malformed, fmt::format("'{}' contains a value that is not a number", key));
        out[i] = values[i].get<double>();
    }
}

void GltfTable::fail(Cause cause, std::string_view reason) const {
    throw Error(cause, std::string(reason), {.file = source_.name, .element = std::string(element_), .index = index_});
}

} // namespace fathom
