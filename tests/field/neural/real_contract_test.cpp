#include <contract/field_contract.h>
#include <fathom/field/neural/network_fit.h>
#include <fathom/field/neural/network_values.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/generate/generate.h>
#include <field/neural/network_examples.h>
#include <support/models.h>

namespace fathom {
namespace real_contract_test {

using testing::FieldContract;
using testing::models;

constexpr const char* files[] = {"fox.npz", "bunny.npz", "hammer.npz", "100071_sf.h5", "37322_sf.h5"};

// Values are floats: differences over small steps are mostly rounding, over large ones they cross the kinks of relu.
void expect_contract(const NeuralField& field, const std::string& name) {
    FieldContract contract{.name = name, .region = field.domain().grown(0.1 * field.domain().diagonal())};
    contract.difference_step = 3e-4;
    contract.gradient_tolerance = 0.05;
    const testing::ContractCounts counts = check_field_contract(field, contract);
    EXPECT_GT(counts.outside, contract.boxes / 10) << name;
    EXPECT_GT(counts.inside, contract.boxes / 500) << name;
    EXPECT_GT(counts.mixed, contract.boxes / 500) << name;
}

class RealNetwork : public ::testing::TestWithParam<const char*> {
protected:
    static Network network() { return read_network(models() / "neural" / GetParam()); }
};

TEST_P(RealNetwork, keeps_the_contract) {
    FATHOM_NEEDS_MODELS();
    expect_contract(NeuralField(network()), GetParam());
}

// Errors against the usual size as well: a value near 0 is a difference of larger numbers. A gradient jumps at the
// kinks of relu.
TEST_P(RealNetwork, has_the_values_and_gradients_of_plain_loops_in_double) {
    FATHOM_NEEDS_MODELS();
    const Network real = network();
    const NetworkValues values(real);
    constexpr std::size_t count = 2000;
    Random random(7);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random.in_box(real.domain);
    std::vector<Sample> ours(count);
    values.samples(points, ours);
    std::vector<testing::PlainResult> plain;
    double usual = 0, usual_slope = 0;
    for (const Vec3& p : points) {
        plain.push_back(testing::plain_sample(real, p));
        usual += std::abs(plain.back().sample.distance) / count;
        usual_slope += plain.back().sample.gradient.norm() / count;
    }
    std::size_t smooth = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Sample& exact = plain[i].sample;
        EXPECT_LE(std::abs(ours[i].distance - exact.distance), 1e-5 * (std::abs(exact.distance) + usual))
            << points[i].transpose();
        if (plain[i].kink < 1e-4) continue;
        ++smooth;
        EXPECT_LE((ours[i].gradient - exact.gradient).norm(), 1e-5 * (exact.gradient.norm() + usual_slope))
            << points[i].transpose();
    }
    EXPECT_GT(smooth, count / 2);
}

// Against the network's own values on a lattice: nothing inside lies out of its bounds, and they are not much wider.
TEST_P(RealNetwork, is_bounded_closely) {
    FATHOM_NEEDS_MODELS();
    const NeuralField field(network());
    const Box bounds = field.bounds(), domain = field.domain();
    constexpr int cells = 48;
    std::vector<Vec3> points;
    for (int i = 0; i <= cells; ++i)
        for (int j = 0; j <= cells; ++j)
            for (int k = 0; k <= cells; ++k)
                points.push_back(domain.lower + domain.size().cwiseProduct(Vec3(i, j, k) / cells));
    std::vector<double> values(points.size());
    field.distances(points, values);
    Box inside;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (values[i] <= 0) inside.extend(points[i]);
    ASSERT_TRUE(bounds.contains(inside));
    EXPECT_LT((bounds.size() - inside.size()).maxCoeff(), 0.2 * inside.size().maxCoeff())
        << bounds.lower.transpose() << " .. " << bounds.upper.transpose();
}

INSTANTIATE_TEST_SUITE_P(Files, RealNetwork, ::testing::ValuesIn(files), [](const auto& file) {
    const std::string name = file.param;
    return "of_" + name.substr(0, name.find_first_of("._"));
});

TEST(FittedNetworks, keep_the_contract) {
    for (const Activation activation : {Activation::relu, Activation::elu}) {
        const FittedNetwork fit = fit_network(
            make_torus(), {.layers = 4, .width = 16, .activation = activation, .steps = 200, .samples = 1 << 12});
        expect_contract(NeuralField(fit.network), "torus by " + std::string(name(activation)));
    }
}

} // namespace real_contract_test
} // namespace fathom
