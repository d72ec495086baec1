// A material that draws a surface shaded, with its edges, as a wireframe, or transparent. Edges are computed from the corner numbers of a triangle,
// so that switching is free and lines are smooth.
import { Color, DoubleSide, MeshStandardMaterial, PointsMaterial } from 'three';

export type Mode = 'shaded' | 'edges' | 'wire' | 'glass' | 'hidden';

export interface SurfaceMaterial extends MeshStandardMaterial {
    wires: { wire: { value: number }; wireColour: { value: Color } };
}

const edges = `
vec3 cornerWidth = fwidth(vCorner);
vec3 fromEdge = smoothstep(vec3(0.0), cornerWidth * 1.3, vCorner);
float edge = 1.0 - min(min(fromEdge.x, fromEdge.y), fromEdge.z);
if (wire > 1.5) {
    if (edge < 0.25) discard;
    gl_FragColor.rgb = mix(gl_FragColor.rgb, wireColour, 0.35);
} else if (wire > 0.5) {
    // Edges fade out on triangles of a few pixels, which they would cover entirely.
    float room = 1.0 - smoothstep(0.2, 0.7, max(max(cornerWidth.x, cornerWidth.y), cornerWidth.z));
    gl_FragColor.rgb = mix(gl_FragColor.rgb, wireColour, edge * room * 0.55);
}`;

export function surfaceMaterial(color: Color): SurfaceMaterial {
    const material = new MeshStandardMaterial({ color, roughness: 0.72, metalness: 0, side: DoubleSide }) as SurfaceMaterial;
    material.wires = { wire: { value: 0 }, wireColour: { value: new Color() } };
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, material.wires);
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\nvarying vec3 vCorner;')
            .replace('#include <begin_vertex>', '#include <begin_vertex>\nint corner = gl_VertexID % 3;\nvCorner = vec3(corner == 0, corner == 1, corner == 2);');
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', '#include <common>\nvarying vec3 vCorner;\nuniform float wire;\nuniform vec3 wireColour;')
            // Back faces are darker than front faces.
            .replace('#include <opaque_fragment>', 'if (!gl_FrontFacing) outgoingLight *= 0.7;\n#include <opaque_fragment>')
            .replace('#include <dithering_fragment>', `#include <dithering_fragment>\n${edges}`);
    };
    material.customProgramCacheKey = () => 'surface with wires';
    return material;
}

export function setMode(material: SurfaceMaterial, mode: Mode): void {
    material.wires.wire.value = mode === 'wire' ? 2 : mode === 'edges' ? 1 : 0;
    const glass = mode === 'glass';
    if (material.transparent === glass) return;
    material.transparent = glass;
    material.opacity = glass ? 0.22 : 1;
    material.depthWrite = !glass;
    material.needsUpdate = true;
}

// Points drawn as small spheres, with a size in metres, or in pixels for markers.
export function sphereMaterial(color: Color, size: number, unit: 'metres' | 'pixels' = 'metres'): PointsMaterial {
    const material = new PointsMaterial({ color, size, sizeAttenuation: unit === 'metres' });
    material.onBeforeCompile = (shader) => {
        // Distant points keep a visible size.
        shader.vertexShader = shader.vertexShader.replace('#include <logdepthbuf_vertex>', 'gl_PointSize = max(gl_PointSize, 2.5);\n#include <logdepthbuf_vertex>');
        shader.fragmentShader = shader.fragmentShader.replace('#include <opaque_fragment>', `
            vec2 onSphere = gl_PointCoord * 2.0 - 1.0;
            float outside = dot(onSphere, onSphere);
            if (outside > 1.0) discard;
            outgoingLight *= 0.55 + 0.55 * dot(vec3(onSphere.x, -onSphere.y, sqrt(1.0 - outside)), normalize(vec3(-0.4, 0.6, 0.7)));
            #include <opaque_fragment>`);
    };
    return material;
}
