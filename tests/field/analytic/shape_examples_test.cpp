#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_kinds.h>
#include <field/analytic/shape_examples.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace fathom::testing {

namespace shape_examples_test {

using namespace fathom::shapes;

AnalyticExpression random_primitive(Random& random) {
    const double a = random.uniform(0.2, 0.9), b = random.uniform(0.1, 0.4), c = random.uniform(0.3, 1);
    switch (random.below(12)) {
    case 0:
        return sphere(a);
    case 1:
        return box({a, b + 0.3, c});
    case 2:
        return torus(a, b);
    case 3:
        return cylinder(a, c);
    case 4:
        return capped_cone(a, b, c);
    case 5:
        return capsule({-a, b, 0}, {c, -b, a}, b);
    case 6:
        return octahedron(c);
    case 7:
        return pyramid(a, c);
    case 8:
        return extrude(c, star(5, a + 0.2, b));
    case 9:
        return rounded_cone(b, 0.5 * b, c);
    case 10:
        return plane(random.direction(), random.uniform(-0.5, 0.5));
    default:
        return ellipsoid({a, b, c});
    }
}

AnalyticExpression random_change(Random& random, const AnalyticExpression& shape) {
    switch (random.below(9)) {
    case 0:
        return translate(0.5 * random.in_ball(), shape);
    case 1:
        return rotate(random.uniform(-3, 3), random.direction(), shape);
    case 2:
        return scale(random.uniform(0.6, 1.5), shape);
    case 3:
        return transform({random.rotation(), 0.5 * random.in_ball()}, shape);
    case 4:
        return shell(random.uniform(0.05, 0.2), shape);
    case 5:
        return fathom::shapes::round(random.uniform(0, 0.2), shape);
    case 6:
        return mirror(random.chance(0.5) ? Vec3(1, 0, 0) : random.direction(), shape);
    case 7:
        return elongate(random.uniform() * Vec3(0.4, 0, 0.3), shape);
    default:
        return random.chance(0.3) ? twist(random.uniform(-0.8, 0.8), 1.5, shape)
                                  : translate(0.5 * random.in_ball(), shape);
    }
}

AnalyticExpression random_pair(Random& random, const AnalyticExpression& a, const AnalyticExpression& b) {
    const double width = random.uniform(0.05, 0.4);
    switch (random.below(8)) {
    case 0:
        return intersection(a, b);
    case 1:
        return difference(a, b);
    case 2:
        return smooth_union(a, b, width);
    case 3:
        return smooth_intersection(a, b, width);
    case 4:
        return smooth_difference(a, b, width);
    default:
        return union_of(a, b);
    }
}

} // namespace shape_examples_test

AnalyticExpression random_shape(Random& random, int count) {
    if (count <= 1) return shape_examples_test::random_primitive(random);
    if (random.chance(0.4)) return shape_examples_test::random_change(random, random_shape(random, count - 1));
    const int left = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(count)));
    return shape_examples_test::random_pair(random, random_shape(random, left), random_shape(random, count - left));
}

namespace shape_examples_test {

void collect_kinds(const AnalyticNode& node, std::set<std::string_view>& names) {
    names.insert(node.kind->name);
    for (const AnalyticExpression& child : node.children) collect_kinds(child.node(), names);
}

TEST(ShapeExamples, show_every_kind_of_the_catalogue) {
    std::set<std::string_view> shown;
    for (const std::string& text : shape_examples()) collect_kinds(parse_shape(text).node(), shown);
    for (const AnalyticKind& kind : analytic_kinds()) EXPECT_TRUE(shown.contains(kind.name)) << kind.name;
}

// As the page writes it: torus(radius, tube), translate(x, y, z, shape), union(shape, ...).
std::string signature(const AnalyticKind& kind) {
    std::vector<std::string> numbers, shapes(std::min<std::size_t>(kind.child_count.min, 2), "shape"), all;
    for (const Parameter& p : kind.parameters) numbers.emplace_back(p.name);
    if (kind.more_numbers || kind.child_count.max > 2) (kind.more_numbers ? numbers : shapes).emplace_back("...");
    all = kind.children_first ? shapes : numbers;
    const auto& rest = kind.children_first ? numbers : shapes;
    all.insert(all.end(), rest.begin(), rest.end());
    std::string text(kind.name);
    text.append("(");
    for (std::size_t k = 0; k < all.size(); ++k) text.append(k == 0 ? "" : ", ").append(all[k]);
    return text.append(")");
}

TEST(ShapeExamples, the_page_of_analytic_fields_lists_every_kind_with_its_numbers) {
    std::ifstream file(FATHOM_SOURCE_DIR "/docs/analytic-fields.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const AnalyticKind& kind : analytic_kinds())
        EXPECT_NE(page.find(signature(kind)), std::string::npos) << signature(kind);
}

} // namespace shape_examples_test
} // namespace fathom::testing
