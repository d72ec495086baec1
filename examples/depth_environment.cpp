// A ship collides with geometry that exists only in the graphics pipeline: plants from a geometry shader (lines), a
// flag from tessellation (triangles), and fireworks moved by a compute shader (points). None of it is ever in main
// memory.
#include <fathom/base/error.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/geometry/generate/generate.h>

#include <epoxy/gl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using namespace fathom;

namespace {

// ---- Plants: one seed per vertex; the geometry shader makes five blades from each.

constexpr std::string_view seed_vertex = R"(#version 450 core
void main() { // seeds on a grid of 40 x 40, half a metre apart
    vec2 cell = vec2(gl_VertexID % 40, gl_VertexID / 40);
    gl_Position = vec4(0.5 * (cell - 19.5), 0.0, 1.0);
}
)";

constexpr std::string_view plant_geometry = R"(#version 450 core
layout(points) in;
layout(line_strip, max_vertices = 20) out;
uniform mat4 fathom_clip; // set by GlScene::use
uniform float time;

void main() {
    vec3 root = gl_in[0].gl_Position.xyz;
    for (int blade = 0; blade < 5; ++blade) {
        float turn = 1.2566 * float(blade) + root.x;
        for (int k = 0; k < 4; ++k) {
            float up = float(k) / 3.0, out_by = 0.15 * up * up + 0.03 * up * sin(time + root.y);
            vec3 place = root + vec3(out_by * cos(turn), out_by * sin(turn), 0.6 * up);
            gl_Position = fathom_clip * vec4(place, 1.0);
            gl_PrimitiveID = gl_PrimitiveIDIn; // so that hits identify the plant
            EmitVertex();
        }
        EndPrimitive();
    }
}
)";

// ---- A waving flag: one patch, tessellated into 32 x 32 cells.

constexpr std::string_view flag_vertex = R"(#version 450 core
void main() {
    vec2 corner = vec2(gl_VertexID == 1 || gl_VertexID == 2, gl_VertexID >= 2);
    gl_Position = vec4(2.0 * corner.x, 0.0, 1.2 * corner.y, 1.0); // 2 m x 1.2 m, starting at the pole
}
)";

constexpr std::string_view flag_control = R"(#version 450 core
layout(vertices = 4) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter = float[](32.0, 32.0, 32.0, 32.0);
    gl_TessLevelInner = float[](32.0, 32.0);
}
)";

constexpr std::string_view flag_evaluation = R"(#version 450 core
layout(quads) in;
uniform mat4 fathom_clip;
uniform float time;
void main() {
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
    vec4 high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x);
    vec4 place = mix(low, high, gl_TessCoord.y);
    place.y += 0.2 * gl_TessCoord.x * sin(5.0 * gl_TessCoord.x - 4.0 * time);
    gl_Position = fathom_clip * place;
}
)";

// ---- Fireworks: positions and velocities in a device buffer.

constexpr int particles = 59000;

constexpr std::string_view firework_compute = R"(#version 450 core
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Particles { vec4 place_and_speed[]; };
uniform int count;
uniform float step; // time step (s); negative: initialize
void main() {
    int k = int(gl_GlobalInvocationID.x);
    if (k >= count) return;
    if (step < 0.0) { // evenly distributed directions, by the golden angle
        float z = 1.0 - (2.0 * float(k) + 1.0) / float(count), around = 2.39996323 * float(k), r = sqrt(1.0 - z * z);
        place_and_speed[2 * k] = vec4(0.0, 0.0, 0.0, 1.0);
        place_and_speed[2 * k + 1] = vec4(r * cos(around), r * sin(around), z, 0.0) * (2.0 + float(k % 7) * 0.1);
    } else {
        place_and_speed[2 * k + 1].z -= 9.81 * step;
        place_and_speed[2 * k].xyz += step * place_and_speed[2 * k + 1].xyz;
    }
}
)";

constexpr std::string_view firework_vertex = R"(#version 450 core
layout(std430, binding = 0) readonly buffer Particles { vec4 place_and_speed[]; };
uniform mat4 fathom_clip;
void main() { gl_Position = fathom_clip * place_and_speed[2 * gl_VertexID]; }
)";

// ---- Minimal OpenGL code.

GLuint link(const std::vector<std::pair<GLenum, std::string_view>>& stages) {
    const GLuint program = glCreateProgram();
    for (const auto& [type, source] : stages) {
        const GLuint shader = glCreateShader(type);
        const GLchar* text = source.data();
        const auto length = static_cast<GLint>(source.size());
        glShaderSource(shader, 1, &text, &length);
        glCompileShader(shader);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) std::printf("a shader program failed to link\n"), std::exit(1);
    return program;
}

class Garden {
public:
    enum Body : Index { plants, flag, fireworks };

    void make() {
        const std::pair<GLenum, std::string_view> fragment = {GL_FRAGMENT_SHADER, environment_fragment_shader()};
        plant_program_ = link({{GL_VERTEX_SHADER, seed_vertex}, {GL_GEOMETRY_SHADER, plant_geometry}, fragment});
        flag_program_ = link({{GL_VERTEX_SHADER, flag_vertex},
                              {GL_TESS_CONTROL_SHADER, flag_control},
                              {GL_TESS_EVALUATION_SHADER, flag_evaluation},
                              fragment});
        firework_program_ = link({{GL_VERTEX_SHADER, firework_vertex}, fragment});
        mover_ = link({{GL_COMPUTE_SHADER, firework_compute}});
        glCreateVertexArrays(1, &no_attributes_);
        glCreateBuffers(1, &particles_);
        glNamedBufferData(particles_, particles * 2 * 4 * static_cast<GLsizeiptr>(sizeof(float)), nullptr,
                          GL_DYNAMIC_COPY);
        move(-1);
    }

    void move(float step) {
        glUseProgram(mover_);
        glUniform1i(glGetUniformLocation(mover_, "count"), particles);
        glUniform1f(glGetUniformLocation(mover_, "step"), step);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, particles_);
        glDispatchCompute((particles + 63) / 64, 1, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    }

    // Each body is drawn in its own frame, which preserves precision in large worlds.
    void draw(const GlScene& scene, float time) const {
        glBindVertexArray(no_attributes_);
        scene.use(plant_program_, plants);
        glUniform1f(glGetUniformLocation(plant_program_, "time"), time);
        glDrawArrays(GL_POINTS, 0, 1600);

        scene.use(flag_program_, flag, Pose::from_translation({0, 0, 3}));
        glUniform1f(glGetUniformLocation(flag_program_, "time"), time);
        glPatchParameteri(GL_PATCH_VERTICES, 4);
        glDrawArrays(GL_PATCHES, 0, 4);

        scene.use(firework_program_, fireworks, Pose::from_translation({5, 0, 7}));
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, particles_);
        glDrawArrays(GL_POINTS, 0, particles);
    }

private:
    GLuint plant_program_ = 0, flag_program_ = 0, firework_program_ = 0, mover_ = 0, no_attributes_ = 0, particles_ = 0;
};

// Number of pixels in which each body of the garden is inside the ship.
struct Hits {
    std::size_t plants = 0, flag = 0, fireworks = 0;
};

Hits collide(GlDepthBackend& gl, const Garden& garden, const std::shared_ptr<const DrawnMesh>& ship, const Pose& pose,
             float time) {
    const DepthView view = view_of(ship->bounds(), pose, Vec3::UnitY(), {.pixels = 256});
    const auto front = gl.make_target(), back = gl.make_target(), environment = gl.make_target();
    const std::array body = {DrawnBody{ship, pose, 0}};
    gl.draw(view, body, {.keep = Keep::nearest, .faces = Faces::front}, *front);
    gl.draw(view, body, {.keep = Keep::farthest, .faces = Faces::back}, *back);
    // Keep only surfaces between the front and the back of the ship.
    gl.draw(view, {.faces = Faces::both, .ids = true, .after = front.get(), .until = back.get()}, *environment,
            [&](const GlScene& scene) { garden.draw(scene, time); });
    Hits hits;
    if (!gl.touch(*back, *environment)) return hits; // no data is copied to main memory
    for (const DepthId& id : environment->map().ids) {
        hits.plants += id.body == Garden::plants;
        hits.flag += id.body == Garden::flag;
        hits.fireworks += id.body == Garden::fireworks;
    }
    return hits;
}

} // namespace

int main() try {
    const auto gl = make_gl_depth_backend();
    std::printf("renderer: %s\n", gl->name().c_str());
    Garden garden;
    gl->with_context([&] { garden.make(); });

    // The ship starts in the plants, climbs through the flag and continues through the fireworks.
    const auto ship = std::make_shared<DrawnMesh>(make_spaceship({.triangles = 10'000, .length = 2}));
    std::printf("%6s %22s %8s %8s %10s\n", "time", "ship", "plants", "flag", "fireworks");
    Hits all;
    const float step = 0.05f;
    for (int frame = 0; frame <= 20; ++frame) {
        const double way = frame / 20.0;
        const Vec3 place(-8 + 16 * way, 0.05, 0.5 + 6 * way * way + 1.4 * way);
        const Hits hits = collide(*gl, garden, ship, Pose::from_translation(place), step * static_cast<float>(frame));
        std::printf("%5.2fs  (%5.2f, %5.2f, %5.2f) %8zu %8zu %10zu\n", step * static_cast<float>(frame), place.x(),
                    place.y(), place.z(), hits.plants, hits.flag, hits.fireworks);
        all.plants += hits.plants, all.flag += hits.flag, all.fireworks += hits.fireworks;
        gl->with_context([&] { garden.move(step); });
    }
    std::printf("the ship collided with %s%s%s\n", all.plants ? "plants " : "", all.flag ? "the flag " : "",
                all.fireworks ? "fireworks" : "");
    return all.plants && all.flag && all.fireworks ? 0 : 1;
} catch (const Error& error) {
    if (error.cause() != Cause::unsupported) throw;
    std::printf("skipped, OpenGL 4.5 is not available: %s\n", error.what());
    return 0;
}
