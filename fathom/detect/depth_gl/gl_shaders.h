// The shaders of the depth maps, in GLSL 4.50.
#pragma once

#include <string_view>

namespace fathom::gl {

// Corners are rounded to 1/256 pixel here, half to even, as on the CPU. Every renderer then covers the same pixels,
// independent of its own rounding (and of fused multiply-add) of a position that is on the grid already.
inline constexpr std::string_view mesh_vertex_shader = R"(#version 450 core
layout(location = 0) in vec3 place;
layout(location = 0) uniform vec4 rows[3]; // place to clip space
layout(location = 3) uniform vec2 half_size; // pixels
layout(location = 9) uniform bool points;    // are moved to the centres of their pixels, because renderers differ at pixel borders

invariant gl_Position;

float row(vec4 m) {
    precise float sum = ((m.x * place.x + m.y * place.y) + m.z * place.z) + m.w;
    return sum;
}

void main() {
    precise vec2 window = vec2(row(rows[0]), row(rows[1])) * half_size + half_size;
    precise vec2 rounded = roundEven(window * 256.0) / 256.0;
    if (points) rounded = floor(rounded) + 0.5;
    precise vec2 clip = (rounded - half_size) / half_size;
    gl_Position = vec4(clip, row(rows[2]), 1.0);
}
)";

// Preceded by "#version 450 core" and any of #define IDS, NORMALS (and FACING, for lines and points), BOX, LIMITS.
inline constexpr std::string_view mesh_fragment_shader = R"(
#ifdef IDS
layout(location = 0) out uvec2 id;
layout(location = 4) uniform uint body;
#endif

#ifdef NORMALS
layout(location = 1) out vec4 normal;
#ifdef FACING
layout(location = 5) uniform vec3 to_view;
vec3 flat_normal() { return to_view; }
#else
layout(location = 5) uniform mat3 to_world;
layout(std430, binding = 0) readonly buffer Normals { float normals[]; }; // of the triangles

vec3 flat_normal() {
    int k = 3 * gl_PrimitiveID;
    return to_world * vec3(normals[k], normals[k + 1], normals[k + 2]);
}
#endif
#endif

#ifdef LIMITS
layout(location = 6) uniform uint limits; // 1: after, 2: until
layout(location = 7) uniform sampler2D after;
layout(location = 8) uniform sampler2D until;
#endif

void main() {
    float z = gl_FragCoord.z;
#ifdef BOX
    if (!(z >= 0.0 && z <= 1.0)) discard;
#endif
#ifdef LIMITS
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if ((limits & 1u) != 0u && !(z > texelFetch(after, pixel, 0).r)) discard;
    if ((limits & 2u) != 0u && !(z <= texelFetch(until, pixel, 0).r)) discard;
#endif
#ifdef IDS
    id = uvec2(body, uint(gl_PrimitiveID));
#endif
#ifdef NORMALS
    normal = vec4(flat_normal(), 0.0);
#endif
}
)";

// For environments that a caller draws. All variants are in one program, because the caller links it once, before the
// options of a draw are known.
inline constexpr std::string_view environment_fragment = R"(#version 450 core
layout(location = 0) out uvec2 fathom_id;
layout(location = 1) out vec4 fathom_normal;

uniform uint fathom_body;
uniform mat3 fathom_to_world; // directions of the view
uniform vec2 fathom_slope;    // depth of the box over the size of a pixel
uniform uint fathom_limits;   // 1: after, 2: until
uniform sampler2D fathom_after;
uniform sampler2D fathom_until;

void main() {
    float z = gl_FragCoord.z;
    vec2 slope = fathom_slope * vec2(dFdxFine(z), dFdyFine(z));
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if (!(z >= 0.0 && z <= 1.0)) discard;
    if ((fathom_limits & 1u) != 0u && !(z > texelFetch(fathom_after, pixel, 0).r)) discard;
    if ((fathom_limits & 2u) != 0u && !(z <= texelFetch(fathom_until, pixel, 0).r)) discard;
    fathom_id = uvec2(fathom_body, uint(gl_PrimitiveID));
    vec3 away = normalize(vec3(-slope, 1.0));
    fathom_normal = vec4(fathom_to_world * (gl_FrontFacing ? -away : away), 0.0);
}
)";

// A triangle that covers all pixels.
inline constexpr std::string_view full_screen_vertex_shader = R"(#version 450 core
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)";

// The comparison, shared by the compute and the fragment shader; preceded by "#version 450 core".
inline constexpr std::string_view compare_functions = R"(
layout(location = 0) uniform sampler2D object;
layout(location = 1) uniform sampler2D environment;
layout(location = 2) uniform vec2 nothing; // values of the empty pixels of the maps
layout(location = 3) uniform uint task;    // 0: whether any pixel collides; 1: their number and largest depth; 2: the first pixel of that depth

layout(std430, binding = 0) buffer Result {
    uint pixels;
    uint deepest; // bits of a float from 0, which are in the order of their values
    uint first;
};

// Negative where there is no collision.
float depth_at(ivec2 pixel) {
    float a = texelFetch(object, pixel, 0).r, b = texelFetch(environment, pixel, 0).r;
    precise float difference = a - b;
    return a != nothing.x && b != nothing.y && !(b > a) ? difference : -1.0;
}
)";

// A lane processes 64 pixels of a column in registers, followed by one atomic operation of each kind; the next task
// reads only the results of the lanes.
inline constexpr std::string_view compare_compute_shader = R"(
layout(local_size_x = 64) in;
layout(std430, binding = 1) buffer Lanes { uvec2 lanes[]; }; // depth (bits of a float), pixel

void main() {
    ivec2 size = textureSize(object, 0);
    int x = int(gl_GlobalInvocationID.x), top = 64 * int(gl_WorkGroupID.y), bottom = min(top + 64, size.y);
    if (x >= size.x) return;
    uint lane = gl_WorkGroupID.y * uint(size.x) + uint(x);
    if (task == 2u) {
        if (lanes[lane].y != 0xffffffffu && lanes[lane].x == deepest) atomicMin(first, lanes[lane].y);
        return;
    }
    uint found = 0u, where = 0xffffffffu;
    float most = -1.0;
    for (int y = top; y < bottom; ++y) {
        float depth = depth_at(ivec2(x, y));
        found += depth < 0.0 ? 0u : 1u;
        where = depth > most ? uint(y * size.x + x) : where;
        most = max(most, depth);
    }
    lanes[lane] = uvec2(floatBitsToUint(most), where);
    if (found > 0u) {
        atomicAdd(pixels, found);
        atomicMax(deepest, floatBitsToUint(most));
    }
}
)";

// An occlusion query counts the fragments.
inline constexpr std::string_view compare_fragment_shader = R"(
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth = depth_at(pixel);
    if (depth < 0.0) discard;
    if (task == 1u && floatBitsToUint(depth) > deepest) atomicMax(deepest, floatBitsToUint(depth));
    if (task == 2u && floatBitsToUint(depth) == deepest) atomicMin(first, uint(pixel.y * textureSize(object, 0).x + pixel.x));
}
)";

} // namespace fathom::gl
