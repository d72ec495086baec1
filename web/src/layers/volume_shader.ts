// The shaders of a slice: trilinear interpolation as in the library, and isolines of constant width at any zoom.

export const frameShare = 0.045; // width of the frame for dragging, as a fraction of the shorter side

export const vertex = `
uniform vec3 lower, span;
uniform int axis;
uniform float share;
varying vec3 at; // position in the box, 0 to 1
void main() {
    at = axis == 0 ? vec3(share, position.xy) : axis == 1 ? vec3(position.x, share, position.y) : vec3(position.xy, share);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(lower + span * at, 1.0);
}`;

export const fragment = `
precision highp sampler3D;
uniform sampler3D field;
uniform vec3 size, span, pale, line;
uniform int axis;
uniform float range, spacing, held;
varying vec3 at;

float sampleAt(ivec3 p) { return texelFetch(field, min(p, ivec3(size) - 1), 0).r; }

float distanceAt(vec3 share) {
    vec3 p = clamp(share, 0.0, 1.0) * (size - 1.0);
    ivec3 i = ivec3(min(floor(p), size - 2.0));
    vec3 f = p - vec3(i);
    vec4 near = vec4(sampleAt(i), sampleAt(i + ivec3(1, 0, 0)), sampleAt(i + ivec3(0, 1, 0)), sampleAt(i + ivec3(1, 1, 0)));
    vec4 far = vec4(sampleAt(i + ivec3(0, 0, 1)), sampleAt(i + ivec3(1, 0, 1)), sampleAt(i + ivec3(0, 1, 1)), sampleAt(i + ivec3(1, 1, 1)));
    vec4 plane = mix(near, far, f.z);
    vec2 row = mix(plane.xy, plane.zw, f.y);
    return mix(row.x, row.y, f.x);
}

// Opacity of an isoline, some pixels wide, where value crosses an integer.
float ink(float value, float slope, float pixels) {
    return 1.0 - smoothstep(pixels - 0.7, pixels + 0.7, abs(fract(value - 0.5) - 0.5) / max(slope, 1e-9) * 2.0);
}

void main() {
    float d = distanceAt(at);
    float slope = fwidth(d);
    if (!(abs(d) < 1e30)) discard;
    float t = sqrt(min(abs(d) / range, 1.0));
    vec3 strong = d < 0.0 ? vec3(0.03, 0.17, 0.62) : vec3(0.62, 0.16, 0.01);
    vec3 colour = mix(pale, strong, 0.16 + 0.84 * t);
    float crowd = 1.0 - smoothstep(0.15, 0.5, slope / spacing);
    colour = mix(colour, line, 0.45 * crowd * ink(d / spacing, slope / spacing, 1.0));
    float zero = 1.0 - smoothstep(1.4, 2.6, abs(d) / max(slope, 1e-9));
    colour = mix(colour, line, zero);
    vec2 flat2 = axis == 0 ? at.yz : axis == 1 ? at.xz : at.xy;
    vec2 sides = axis == 0 ? span.yz : axis == 1 ? span.xz : span.xy;
    vec2 border = min(flat2, 1.0 - flat2) * sides / min(sides.x, sides.y);
    float frame = 1.0 - step(${frameShare}, min(border.x, border.y));
    colour = mix(colour, mix(vec3(0.45, 0.5, 0.56), vec3(1.0, 0.23, 0.5), held), frame * 0.55);
    gl_FragColor = vec4(colour, 1.0);
    #include <colorspace_fragment>
}`;
