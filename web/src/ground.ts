// The ground: a grid whose cell size is a round number of metres, and the shadows on it.
import { type Box3, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector2, Vector3 } from 'three';
import { roundStep } from './numbers';
import type { Theme } from './theme';

const vertex = `
uniform vec3 along, across;
varying vec2 place;
void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    place = vec2(dot(world.xyz, along), dot(world.xyz, across));
    gl_Position = projectionMatrix * viewMatrix * world;
}`;

const fragment = `
uniform vec3 color;
uniform vec2 centre;
uniform float cell, reach;
varying vec2 place;
float lines(float size) {
    vec2 at = place / size;
    vec2 width = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
    // Cells smaller than a few pixels fade out, since they would flicker.
    return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
}
void main() {
    float fade = 1.0 - smoothstep(0.35, 1.0, length(place - centre) / reach);
    gl_FragColor = vec4(color, max(lines(cell) * 0.32, lines(cell * 5.0) * 0.6) * fade);
    if (gl_FragColor.a < 0.004) discard;
    #include <colorspace_fragment>
}`;

export class Ground {
    readonly object = new Group();
    readonly cell: number; // m
    private readonly grid: ShaderMaterial;
    private readonly shadow = new ShadowMaterial({ depthWrite: false });

    constructor(bounds: Box3, private readonly radius: number) {
        this.cell = roundStep(radius / 5);
        const reach = radius * 5;
        this.grid = new ShaderMaterial({
            vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, side: 2,
            uniforms: {
                color: { value: null }, along: { value: new Vector3() }, across: { value: new Vector3() }, centre: { value: new Vector2() }, cell: { value: this.cell }, reach: { value: reach },
            },
        });
        const plane = new PlaneGeometry(2 * reach, 2 * reach);
        const grid = new Mesh(plane, this.grid);
        const shade = new Mesh(plane, this.shadow);
        shade.receiveShadow = true;
        shade.renderOrder = -2;
        grid.renderOrder = -1;
        this.object.add(shade, grid);
        this.place(bounds, new Quaternion());
    }

    // Places the ground below the box, in the direction -z rotated by `upright`, with a small gap so that bodies on the floor do not flicker.
    place(bounds: Box3, upright: Quaternion): void {
        const [along, across, up] = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((axis) => axis.applyQuaternion(upright).round());
        const centre = bounds.getCenter(new Vector3());
        const half = Math.abs(bounds.getSize(new Vector3()).dot(up)) / 2;
        this.object.quaternion.copy(upright);
        this.object.position.copy(centre).addScaledVector(up, -half - this.radius * 0.002);
        const { uniforms } = this.grid;
        uniforms.along.value.copy(along);
        uniforms.across.value.copy(across);
        uniforms.centre.value.set(centre.dot(along), centre.dot(across));
    }

    setTheme(theme: Theme): void {
        this.grid.uniforms.color.value = theme.ground;
        this.shadow.opacity = theme.dark ? 0.4 : 0.15;
    }
}
