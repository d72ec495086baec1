#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/io/mesh_file.h>
#include <field/neural/enclosing_ball.h>
#include <field/neural/network_examples.h>
#include <support/models.h>

namespace fathom {
namespace real_networks_test {

using testing::enclosing_ball;
using testing::models;
using testing::plain_value;
using testing::Sphere;

Network model(const char* name) { return read_network(models() / "neural" / name); }

std::vector<int> sizes_of(const Network& network) {
    std::vector<int> sizes = {network.layers.front().inputs};
    for (const DenseLayer& layer : network.layers) sizes.push_back(layer.outputs);
    return sizes;
}

std::vector<int> eight_layers(int width) {
    std::vector<int> sizes(10, width);
    sizes.front() = 3;
    sizes.back() = 1;
    return sizes;
}

TEST(RealNetworks, have_the_layers_that_they_were_published_with) {
    FATHOM_NEEDS_MODELS();
    struct Known {
        const char* name;
        int width;
        Activation hidden, output;
        std::size_t weights;
    };
    for (const Known& known : {Known{"fox.npz", 32, Activation::relu, Activation::none, 7553},
                               Known{"bunny.npz", 64, Activation::elu, Activation::none, 29441},
                               Known{"hammer.npz", 64, Activation::relu, Activation::none, 29441},
                               Known{"100071_sf.h5", 32, Activation::relu, Activation::tanh, 7553},
                               Known{"37322_sf.h5", 32, Activation::relu, Activation::tanh, 7553}}) {
        const Network network = model(known.name);
        EXPECT_EQ(sizes_of(network), eight_layers(known.width)) << known.name;
        EXPECT_EQ(network.weight_count(), known.weights) << known.name;
        EXPECT_EQ(network.layers[0].activation, known.hidden) << known.name;
        EXPECT_EQ(network.layers[7].activation, known.hidden) << known.name;
        EXPECT_EQ(network.layers[8].activation, known.output) << known.name;
        EXPECT_TRUE(is_network_file(models() / "neural" / known.name));
    }
}

double share_inside(const Network& network) {
    Random random(3);
    constexpr int count = 4000;
    int inside = 0;
    for (int k = 0; k < count; ++k)
        inside += plain_value(network, random.in_box(Box::around(Vec3::Zero(), Vec3::Ones()))) < 0;
    return static_cast<double>(inside) / count;
}

TEST(RealNetworks, of_shapes_fill_as_much_of_the_cube_as_they_should) {
    FATHOM_NEEDS_MODELS();
    EXPECT_NEAR(share_inside(model("fox.npz")), 0.015, 0.004);
    EXPECT_NEAR(share_inside(model("bunny.npz")), 0.083, 0.008);
}

struct Misfit {
    double mean = 0, largest = 0;
};
Misfit misfit(const char* network_name, const char* mesh_name) {
    const Network network = model(network_name);
    const MeshFile mesh = read_mesh(models() / mesh_name);
    const Sphere ball = enclosing_ball(mesh.surface.vertices);
    Misfit result;
    for (const Vec3& v : mesh.surface.vertices) {
        const double value = std::abs(plain_value(network, 0.9 / ball.radius * (v - ball.center)));
        result.mean += value / static_cast<double>(mesh.surface.vertices.size());
        result.largest = std::max(result.largest, value);
    }
    return result;
}

TEST(RealNetworks, vanish_on_the_vertices_of_the_meshes_that_they_were_fitted_to) {
    FATHOM_NEEDS_MODELS();
    const Misfit first = misfit("100071_sf.h5", "100071_sf.obj");
    EXPECT_NEAR(first.mean, 0.0017, 0.0002);
    EXPECT_NEAR(first.largest, 0.022, 0.001);
    const Misfit second = misfit("37322_sf.h5", "37322.stl");
    EXPECT_NEAR(second.mean, 0.010, 0.001);
    EXPECT_NEAR(second.largest, 0.019, 0.001);
}

} // namespace real_networks_test
} // namespace fathom
