// Grids of random samples: surface everywhere, several crossings in many cells.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/grid/grid_field.h>

#include <cmath>

namespace fathom::testing {

// `stored`: the share of bricks with all samples. `height`: of the noise, in cells; past 12, 16-bit codes clamp it, and
// bricks no longer agree at their common faces.
[[nodiscard]] inline GridField noise_grid(Random& random, double stored, GridStorage storage, double height) {
    GridLayout layout;
    layout.origin = random.in_box({Vec3::Constant(-1), Vec3::Constant(1)});
    layout.cell = std::pow(10.0, random.uniform(-3, 3));
    for (int& n : layout.bricks) n = 1 + static_cast<int>(random.below(3));
    const auto value = [&] { return layout.cell * random.uniform(-height, height); };
    std::vector<float> corners(layout.corner_count());
    for (float& c : corners) c = static_cast<float>(value());
    std::vector<bool> kept(layout.brick_count());
    for (std::size_t b = 0; b < kept.size(); ++b) kept[b] = random.chance(stored);
    // One value for each lattice point, so that neighbours agree.
    const std::array<int, 3> n = {layout.cells(0) + 1, layout.cells(1) + 1, layout.cells(2) + 1};
    std::vector<double> lattice(static_cast<std::size_t>(n[0] * n[1] * n[2]));
    for (double& v : lattice) v = value();
    GridAssembler assembler(layout, storage, corners, kept);
    for (std::size_t b = 0; b < kept.size(); ++b) {
        if (!kept[b]) continue;
        const std::array<int, 3> p = layout.brick_position(b);
        std::array<double, brick_size> samples;
        for (int k = 0; k < 9; ++k)
            for (int j = 0; j < 9; ++j)
                for (int i = 0; i < 9; ++i)
                    samples[brick_sample(i, j, k)] =
                        lattice[static_cast<std::size_t>(((p[2] * 8 + k) * n[1] + p[1] * 8 + j) * n[0] + p[0] * 8 + i)];
        assembler.set(b, samples);
    }
    return GridField(std::move(assembler).finish(0, {.error = HUGE_VAL, .lipschitz = height}));
}

} // namespace fathom::testing
