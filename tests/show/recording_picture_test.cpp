// Pictures of recordings: bodies move from picture to picture, and curves hold every frame.
#include <fathom/geometry/generate/generate.h>
#include <fathom/show/recording_picture.h>
#include <fathom/simulate/particles/particles.h>
#include <fathom/simulate/rigid/rigid_world.h>

#include <gtest/gtest.h>

namespace fathom {
namespace recording_picture_test {

// A box in free fall, every step recorded.
struct Fall {
    RigidWorld world{RigidOptions{.step = 0.01}};
    Recording recording;

    explicit Fall(int steps) {
        world.add({.shape = make_body_shape(make_box(), {.grid = {.resolution = 16}}),
                   .pose = Pose::from_translation({0, 0, 5})});
        world.record(recording);
        for (int k = 0; k < steps; ++k) {
            world.step();
            world.record(recording);
        }
    }
};

// Rows of the topmost and lowest pixel that is not background, in one picture of a strip.
std::array<int, 2> rows_of(const Image& strip, int left, int width, Color background) {
    std::array<int, 2> rows = {-1, -1};
    for (int y = 0; y < strip.height; ++y)
        for (int x = left; x < left + width; ++x)
            if (strip.at(x, y) != background) {
                if (rows[0] < 0) rows[0] = y;
                rows[1] = y;
            }
    return rows;
}

TEST(RecordingPicture, a_falling_box_is_lower_in_the_last_picture) {
    const Fall fall(100);
    FilmOptions options{.pictures = 2, .columns = 2, .view = {.width = 120, .height = 200}};
    const Image strip = film_strip(fall.recording, options);
    ASSERT_EQ(strip.width, 246);
    const auto first = rows_of(strip, 0, 120, options.view.background),
               last = rows_of(strip, 126, 120, options.view.background);
    EXPECT_LT(first[0], 30);
    EXPECT_GT(last[1], 170);
    EXPECT_GT(last[0], first[1]); // five metres and a box of one
    EXPECT_NEAR(first[1] - first[0], last[1] - last[0], 2);
}

TEST(RecordingPicture, the_plots_contain_every_frame) {
    const Fall fall(20);
    const LinePlot energy = energy_plot(fall.recording), depth = penetration_plot(fall.recording);
    ASSERT_EQ(energy.curves.size(), 4u);
    for (const Curve& c : energy.curves) EXPECT_EQ(c.points.size(), 21u) << c.name;
    EXPECT_NEAR(energy.curves[0].points.front().second, energy.curves[0].points.back().second,
                0.01 * std::abs(energy.curves[0].points.front().second));
    EXPECT_GT(energy.curves[1].points.back().second, 0);
    EXPECT_EQ(depth.curves[0].points.back().second, 0);
}

TEST(RecordingPicture, several_runs_share_a_plot) {
    const Fall brief(5), lasting(20);
    const NamedRecording runs[] = {{"brief", &brief.recording}, {"lasting", &lasting.recording}};
    for (const LinePlot& plot : {energy_plot(runs), penetration_plot(runs)}) {
        ASSERT_EQ(plot.curves.size(), 2u);
        EXPECT_EQ(plot.curves[0].name, "brief");
        EXPECT_EQ(plot.curves[0].points.size(), 6u);
        EXPECT_EQ(plot.curves[1].points.size(), 21u);
    }
    EXPECT_EQ(energy_plot(runs).curves[1].points.back().second,
              energy_plot(lasting.recording).curves[0].points.back().second);
}

TEST(RecordingPicture, nothing_recorded_is_an_empty_picture) {
    const Recording recording;
    EXPECT_EQ(film_strip(recording).width, 0);
}

TEST(RecordingPicture, particles_are_dots_that_spread_and_are_hidden_by_bodies_in_front) {
    const Body plate{.shape = make_body_shape(Shape(make_box({.size = {1, 1, 0.1}}))),
                     .name = "plate",
                     .pose = Pose::from_translation({0, 0, 1})};
    ParticleWorld world({{.rate = 0, .burst = 4'000, .speed = 1, .spread = 1.0, .life = 10}}, {plate},
                        {.step = 0.05, .gravity = Vec3::Zero(), .pixels = 32});
    Recording recording({.contacts = false});
    world.record(recording);
    for (int k = 0; k < 30; ++k) {
        world.step();
        world.record(recording);
    }
    const FilmOptions options{.pictures = 2, .columns = 2, .view = {.width = 120, .height = 120}};
    const Image strip = film_strip(recording, options);
    ASSERT_EQ(strip.width, 246);
    std::array<std::size_t, 2> glowing{};
    for (int y = 0; y < strip.height; ++y)
        for (int x = 0; x < strip.width; ++x) {
            const Color& c = strip.at(x, y);
            if (x != 120 && c[0] > c[2] + 60) ++glowing[x < 120 ? 0 : 1];
        }
    EXPECT_EQ(glowing[0], 0u); // none is born yet
    EXPECT_EQ(glowing[1], 0u); // all are equally old: smoke
    const auto dotted = rows_of(strip, 126, 120, options.view.background),
               alone = rows_of(strip, 0, 120, options.view.background);
    EXPECT_GT(dotted[1], alone[1] + 10); // below the plate
    EXPECT_EQ(film_strip(recording, options).pixels, strip.pixels);
}

} // namespace recording_picture_test
} // namespace fathom
