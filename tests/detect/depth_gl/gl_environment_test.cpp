// Environments that only the graphics pipeline knows: geometry, tessellation and compute shaders, lines and points.
// They hit a ball where they are put into it, and do not where they are put behind it or beside it.
#include <detect/depth_gl/gl_programs.h>
#include <detect/depth_gl/gl_support.h>

#include <fathom/geometry/generate/generate.h>

#include <cmath>

namespace fathom {

namespace gl_environment_test {

using testing::link_environment;
using testing::link_program;
using testing::make_array;
using testing::shared_gl;

constexpr std::string_view plain_vertex = R"(#version 450 core
layout(location = 0) in vec3 place;
uniform mat4 fathom_clip;
void main() { gl_Position = fathom_clip * vec4(place, 1.0); }
)";

// Far from the origin, where floats alone would be millimetres off.
const Vec3 middle(1000.0, -2000.0, 500.0);
constexpr double radius = 0.5;

class GlEnvironment : public ::testing::Test {
protected:
    void SetUp() override {
        FATHOM_NEEDS_GL();
        gl_ = shared_gl().backend.get();
        const Pose pose = Pose::from_translation(middle);
        const auto ball = std::make_shared<DrawnMesh>(make_sphere({.radius = radius, .resolution = 16}));
        view_ = view_of(Box::around(Vec3::Zero(), Vec3(0.8, 0.8, 0.8)), pose, Vec3(0, 1, 0), {.pixels = 200});
        object_ = gl_->make_target();
        gl_->draw(view_, std::array{DrawnBody{ball, pose, 1}}, {.keep = Keep::farthest, .faces = Faces::back},
                  *object_);
        drawn_ = gl_->make_target();
    }

    using Draw = std::function<void(const GlScene&, const Pose&)>;
    [[nodiscard]] DepthOverlap collide(const Vec3& offset, const Draw& draw,
                                       const DrawOptions& options = {
                                           .faces = Faces::both, .ids = true, .normals = true}) {
        const Pose frame = Pose::from_translation(middle + offset);
        gl_->draw(view_, options, *drawn_, [&](const GlScene& scene) { draw(scene, frame); });
        const DepthOverlap overlap = gl_->compare(*object_, *drawn_);
        EXPECT_EQ(gl_->touch(*object_, *drawn_), overlap.pixels > 0);
        return overlap;
    }

    [[nodiscard]] std::size_t drawn_pixels() const {
        const DepthMap& map = drawn_->map();
        std::size_t count = 0;
        for (std::size_t k = 0; k < map.depth.size(); ++k) count += map.covered(k);
        return count;
    }

    // What is drawn is at most 0.1 around the frame, and there are pixels of it everywhere.
    void expect_hits_where_it_is(const Draw& draw) {
        EXPECT_GT(collide(Vec3::Zero(), draw).pixels, 0u);
        const DepthMap& map = drawn_->map();
        for (std::size_t k = 0; k < map.depth.size(); ++k) {
            if (!map.covered(k)) continue;
            EXPECT_LT((view_.to_world(k, map.depth[k]) - middle).cwiseAbs().maxCoeff(), 0.12);
            EXPECT_EQ(map.ids[k].body, 42u);
            EXPECT_NEAR(map.normals[k].norm(), 1, 1e-4);
        }
        for (const Vec3& apart : {Vec3(0, 0.65, 0), Vec3(0.65, 0, 0), Vec3(0, 0, -0.65), Vec3(0.45, 0.45, 0)}) {
            EXPECT_EQ(collide(apart, draw).pixels, 0u) << apart.transpose();
            EXPECT_GT(drawn_pixels(), 0u) << apart.transpose();
        }
    }

    GlDepthBackend* gl_ = nullptr;
    DepthView view_;
    std::unique_ptr<DepthTarget> object_, drawn_;
};

TEST_F(GlEnvironment, triangles_collide_with_id_depth_and_normal) {
    GLuint program = 0, array = 0;
    gl_->with_context([&] {
        program = link_environment({{GL_VERTEX_SHADER, plain_vertex}});
        // Two triangles; the second leans: y grows by half as much as x.
        array = make_array({{-0.1f, 0, -0.1f},
                            {0, 0, 0.1f},
                            {-0.02f, 0, -0.1f},
                            {0.02f, 0.01f, -0.1f},
                            {0.02f, 0.01f, 0.1f},
                            {0.1f, 0.05f, -0.1f}});
    });
    const Draw draw = [&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(array);
        glDrawArrays(GL_TRIANGLES, 0, 6);
    };
    expect_hits_where_it_is(draw);
    EXPECT_GT(collide(Vec3::Zero(), draw).pixels, 0u);
    const DepthMap& map = drawn_->map();
    std::array<std::size_t, 2> counts{};
    const std::array<Vec3, 2> across = {Vec3(0, 1, 0), Vec3(-0.5, 1, 0).normalized()};
    for (std::size_t k = 0; k < map.depth.size(); ++k) {
        if (!map.covered(k)) continue;
        const Vec3 p = view_.to_world(k, map.depth[k]) - middle;
        const Index which = map.ids[k].primitive;
        ASSERT_LT(which, 2u);
        ++counts[which];
        EXPECT_NEAR(p.y(), which == 0 ? 0.0 : 0.5 * p.x(), 1e-5);
        // Corner order of both makes the normal look along +y or against it alike: away from where corners run
        // clockwise.
        EXPECT_GT(std::abs(map.normals[k].cast<double>().dot(across[which])), 0.999) << map.normals[k].transpose();
    }
    EXPECT_GT(counts[0], 20u);
    EXPECT_GT(counts[1], 20u);
}

TEST_F(GlEnvironment, normals_of_drawn_triangles_are_those_of_the_same_mesh) {
    const TriangleMesh mesh = make_torus({.radius = 0.3, .tube = 0.15});
    GLuint program = 0, array = 0;
    gl_->with_context([&] {
        std::vector<Vec3f> corners;
        for (const Triangle& triangle : mesh.triangles)
            for (const Index v : triangle) corners.push_back(mesh.vertices[v].cast<float>());
        program = link_environment({{GL_VERTEX_SHADER, plain_vertex}});
        array = make_array(corners);
    });
    const Pose frame = Pose::from_axis_angle(0.7, Vec3(1, 2, 3).normalized(), middle);
    const auto same = gl_->make_target();
    const auto drawn_mesh = std::make_shared<DrawnMesh>(mesh);
    for (const Faces faces : {Faces::front, Faces::back}) {
        const DrawOptions options{.faces = faces, .ids = true, .normals = true};
        gl_->draw(view_, options, *drawn_, [&](const GlScene& scene) {
            scene.use(program, 5, frame);
            glBindVertexArray(array);
            glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(3 * mesh.triangles.size()));
        });
        gl_->draw(view_, std::array{DrawnBody{drawn_mesh, frame, 5}}, options, *same);
        const DepthMap &a = drawn_->map(), &b = same->map();
        std::size_t equal = 0, close = 0;
        for (std::size_t k = 0; k < a.depth.size(); ++k) {
            if (!a.covered(k) || a.ids[k] != b.ids[k]) continue;
            ++equal;
            close += a.normals[k].dot(b.normals[k]) > 0.99f;
        }
        EXPECT_GT(equal, 1000u);
        EXPECT_GT(close, equal * 98 / 100) << "of " << equal;
    }
}

TEST_F(GlEnvironment, lines_collide) {
    GLuint program = 0, array = 0;
    gl_->with_context([&] {
        program = link_environment({{GL_VERTEX_SHADER, plain_vertex}});
        array = make_array({{-0.1f, -0.05f, -0.1f}, {0.1f, 0.05f, 0.1f}, {0, 0, -0.1f}, {0, 0, 0.1f}});
    });
    expect_hits_where_it_is([&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(array);
        glDrawArrays(GL_LINES, 0, 4);
    });
    EXPECT_LT(drawn_pixels(), 60u);
}

TEST_F(GlEnvironment, points_cover_one_pixel_or_their_drawn_size) {
    GLuint program = 0, array = 0;
    gl_->with_context([&] {
        program = link_environment({{GL_VERTEX_SHADER, plain_vertex}});
        array = make_array({{0, 0, 0}, {0.05f, 0.02f, 0}, {-0.05f, 0, 0.07f}});
    });
    float size = 1;
    const Draw draw = [&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(array);
        glPointSize(size);
        glDrawArrays(GL_POINTS, 0, 3);
        glPointSize(1);
    };
    expect_hits_where_it_is(draw);
    EXPECT_EQ(collide(Vec3::Zero(), draw).pixels, 3u);
    for (const Vec3f& normal : drawn_->map().normals)
        EXPECT_TRUE(normal.isZero() || (normal.cast<double>() + view_.direction()).norm() < 1e-5);
    size = 5;
    EXPECT_EQ(collide(Vec3::Zero(), draw).pixels, 75u);
}

// Each point grows a plant of three lines.
TEST_F(GlEnvironment, lines_from_a_geometry_shader_collide) {
    constexpr std::string_view grow = R"(#version 450 core
layout(points) in;
layout(line_strip, max_vertices = 6) out;
uniform mat4 fathom_clip;
void main() {
    for (int blade = 0; blade < 3; ++blade) {
        gl_Position = fathom_clip * gl_in[0].gl_Position;
        gl_PrimitiveID = gl_PrimitiveIDIn;
        EmitVertex();
        gl_Position = fathom_clip * (gl_in[0].gl_Position + vec4(0.02 * float(blade - 1), 0.0, 0.06, 0.0));
        gl_PrimitiveID = gl_PrimitiveIDIn;
        EmitVertex();
        EndPrimitive();
    }
}
)";
    constexpr std::string_view pass = R"(#version 450 core
layout(location = 0) in vec3 place;
void main() { gl_Position = vec4(place, 1.0); }
)";
    GLuint program = 0, array = 0;
    gl_->with_context([&] {
        program = link_environment({{GL_VERTEX_SHADER, pass}, {GL_GEOMETRY_SHADER, grow}});
        array = make_array({{-0.05f, 0, 0}, {0.05f, 0, 0}});
    });
    expect_hits_where_it_is([&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(array);
        glDrawArrays(GL_POINTS, 0, 2);
    });
    bool both[2] = {};
    for (const DepthId& id : drawn_->map().ids)
        if (id != DepthId{}) both[id.primitive & 1] = true;
    EXPECT_TRUE(both[0] && both[1]);
}

// A patch of four corners becomes a waving sheet.
TEST_F(GlEnvironment, triangles_from_tessellation_collide) {
    constexpr std::string_view pass = R"(#version 450 core
layout(location = 0) in vec3 place;
void main() { gl_Position = vec4(place, 1.0); }
)";
    constexpr std::string_view split = R"(#version 450 core
layout(vertices = 4) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter = float[](16.0, 16.0, 16.0, 16.0);
    gl_TessLevelInner = float[](16.0, 16.0);
}
)";
    constexpr std::string_view wave = R"(#version 450 core
layout(quads) in;
uniform mat4 fathom_clip;
void main() {
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
    vec4 high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x);
    vec4 place = mix(low, high, gl_TessCoord.y);
    place.y += 0.03 * sin(12.0 * gl_TessCoord.x);
    gl_Position = fathom_clip * place;
}
)";
    GLuint program = 0, array = 0;
    gl_->with_context([&] {
        program = link_environment(
            {{GL_VERTEX_SHADER, pass}, {GL_TESS_CONTROL_SHADER, split}, {GL_TESS_EVALUATION_SHADER, wave}});
        array = make_array({{-0.1f, 0, -0.1f}, {0.1f, 0, -0.1f}, {0.1f, 0, 0.1f}, {-0.1f, 0, 0.1f}});
    });
    expect_hits_where_it_is([&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(array);
        glPatchParameteri(GL_PATCH_VERTICES, 4);
        glDrawArrays(GL_PATCHES, 0, 4);
    });
}

TEST_F(GlEnvironment, points_that_a_compute_shader_moves_collide_once_they_are_there) {
    constexpr std::string_view move = R"(#version 450 core
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Places { vec4 places[]; };
layout(location = 0) uniform float step;
void main() { places[gl_GlobalInvocationID.x].y -= step; }
)";
    constexpr std::string_view fetch = R"(#version 450 core
layout(std430, binding = 0) readonly buffer Places { vec4 places[]; };
uniform mat4 fathom_clip;
void main() { gl_Position = fathom_clip * vec4(places[gl_VertexID].xyz, 1.0); }
)";
    GLuint mover = 0, program = 0, array = 0, buffer = 0;
    gl_->with_context([&] {
        mover = link_program({{GL_COMPUTE_SHADER, move}});
        program = link_environment({{GL_VERTEX_SHADER, fetch}});
        glCreateVertexArrays(1, &array);
        glCreateBuffers(1, &buffer);
        std::vector<float> places(4 * 256);
        for (std::size_t k = 0; k < 256; ++k) {
            places[4 * k] = 0.1f * std::sin(static_cast<float>(k));
            places[4 * k + 1] = 0.6f;
            places[4 * k + 2] = 0.1f * std::cos(static_cast<float>(k));
        }
        glNamedBufferData(buffer, static_cast<GLsizeiptr>(places.size() * sizeof(float)), places.data(),
                          GL_DYNAMIC_COPY);
    });
    const Draw draw = [&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(array);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
        glDrawArrays(GL_POINTS, 0, 256);
    };
    const auto step = [&](float length) {
        gl_->with_context([&] {
            glUseProgram(mover);
            glUniform1f(0, length);
            glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
            glDispatchCompute(4, 1, 1);
            glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
        });
    };
    EXPECT_EQ(collide(Vec3::Zero(), draw).pixels, 0u);
    EXPECT_GT(drawn_pixels(), 20u);
    step(0.6f);
    EXPECT_GT(collide(Vec3::Zero(), draw).pixels, 20u);
    expect_hits_where_it_is(draw);
}

TEST_F(GlEnvironment, is_cut_to_the_box_and_to_the_limits_pixel_by_pixel) {
    GLuint program = 0, array = 0;
    gl_->with_context([&] {
        program = link_environment({{GL_VERTEX_SHADER, plain_vertex}});
        array = make_array({{0, -5, 0}, {0, 5, 0.001f}}); // nearly along the view
    });
    const Draw draw = [&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(array);
        glDrawArrays(GL_LINES, 0, 2);
    };
    EXPECT_EQ(collide(Vec3(0, 7, 0), draw).pixels, 0u);
    EXPECT_EQ(drawn_pixels(), 0u);

    // A slanted sheet: until the object's far side, only its part in front of or inside the ball is there.
    GLuint sheet = 0;
    gl_->with_context([&] {
        sheet = make_array({{-0.7f, -0.7f, -0.7f}, {0.7f, 0.7f, -0.7f}, {-0.7f, -0.7f, 0.7f}, {0.7f, 0.7f, 0.7f}});
    });
    const Draw slant = [&](const GlScene& scene, const Pose& frame) {
        scene.use(program, 42, frame);
        glBindVertexArray(sheet);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    };
    const std::size_t hits = collide(Vec3::Zero(), slant).pixels;
    EXPECT_GT(drawn_pixels(), hits);
    EXPECT_EQ(collide(Vec3::Zero(), slant, {.faces = Faces::both, .until = object_.get()}).pixels, hits);
    EXPECT_EQ(drawn_pixels(), hits);
    EXPECT_EQ(collide(Vec3::Zero(), slant, {.faces = Faces::both, .after = object_.get()}).pixels, 0u);
    EXPECT_GT(drawn_pixels(), 1000u);
}

TEST_F(GlEnvironment, a_failing_environment_is_reported_and_does_no_harm) {
    const auto cause_of = [&](const std::function<void(const GlScene&)>& draw) {
        try {
            gl_->draw(view_, {}, *drawn_, draw);
        } catch (const Error& error) {
            return error.cause();
        }
        return Cause::cancelled;
    };
    EXPECT_EQ(cause_of([](const GlScene&) { glEnable(0xdead); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([](const GlScene& scene) { scene.use(12345, 0, {}); }), Cause::invalid_argument);
    EXPECT_THROW(gl_->draw(view_, {}, *drawn_, [](const GlScene&) { throw std::logic_error("mine"); }),
                 std::logic_error);
    EXPECT_THROW(gl_->with_context([] { glEnable(0xdead); }), Error);
    EXPECT_NO_THROW(gl_->draw(view_, {}, *drawn_, [](const GlScene&) {}));
    EXPECT_EQ(drawn_pixels(), 0u);
}

} // namespace gl_environment_test

} // namespace fathom
