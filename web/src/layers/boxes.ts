// The cells of an octree as wireframe boxes, one level at a time, in a single draw call.
import {
    Box3, Box3Helper, BufferAttribute, Color, InstancedBufferAttribute, InstancedBufferGeometry, LineSegments, Matrix4, ShaderMaterial, Vector3,
} from 'three';
import type { BoxesData } from '../layer_data';
import { digits, triple } from '../numbers';
import type { Context, LayerView, Pick, Probe } from './layer';
import { Levels } from './levels';

const corners = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];
const edges = new Float32Array(corners.flatMap((i) => [i & 1, (i >> 1) & 1, i >> 2]));

const vertex = `
attribute vec3 lower, upper, tint;
varying vec3 shade;
void main() {
    shade = tint;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(mix(lower, upper, position), 1.0);
}`;
const fragment = `
varying vec3 shade;
void main() {
    gl_FragColor = vec4(shade, 0.55);
    #include <colorspace_fragment>
}`;

export class BoxesLayer implements LayerView {
    readonly object: LineSegments<InstancedBufferGeometry, ShaderMaterial>;
    readonly controls: HTMLElement[];
    private readonly levels: Levels;
    private shown: number[] = [];

    constructor(readonly data: BoxesData, private readonly context: Context) {
        this.levels = new Levels(data.levels, 'cell', 'cells', () => this.fill());
        this.controls = this.levels.controls;
        this.object = new LineSegments(new InstancedBufferGeometry(), new ShaderMaterial({ vertexShader: vertex, fragmentShader: fragment, transparent: true }));
        this.object.frustumCulled = false;
        this.fill();
    }

    // The cell that the ray enters first, and the smallest of nested cells.
    pick(probe: Probe): Pick | undefined {
        const ray = probe.ray.ray.clone().applyMatrix4(new Matrix4().copy(this.object.matrixWorld).invert());
        let best: { index: number; distance: number; size: number } | undefined;
        const box = new Box3();
        const hit = new Vector3();
        for (const index of this.shown) {
            this.read(index, box);
            if (!ray.intersectBox(box, hit)) continue;
            const distance = hit.distanceTo(ray.origin);
            const size = box.getSize(new Vector3()).length();
            if (!best || distance < best.distance - 1e-6 || (distance < best.distance + 1e-6 && size < best.size)) best = { index, distance, size };
        }
        if (!best) return undefined;
        this.read(best.index, box);
        const centre = box.getCenter(new Vector3());
        const size = box.getSize(new Vector3());
        return {
            distance: best.distance, kind: 'cell', title: `Cell ${best.index} of ${this.data.name}`,
            rows: () => [['level', String(this.data.levels[best.index])], ['centre (m)', triple(centre.x, centre.y, centre.z)],
                ['size (m)', triple(size.x, size.y, size.z)], ['diagonal (m)', digits(best.size)]],
            marker: new Box3Helper(box.clone(), new Color('#ff3b7f')), parent: this.object,
        };
    }

    private read(index: number, box: Box3): void {
        const { boxes } = this.data;
        box.min.fromArray(boxes, 6 * index);
        box.max.fromArray(boxes, 6 * index + 3);
    }

    private fill(): void {
        this.shown = this.levels.chosen();
        const lower = new Float32Array(3 * this.shown.length);
        const upper = new Float32Array(3 * this.shown.length);
        const tint = new Float32Array(3 * this.shown.length);
        this.shown.forEach((index, i) => {
            lower.set(this.data.boxes.subarray(6 * index, 6 * index + 3), 3 * i);
            upper.set(this.data.boxes.subarray(6 * index + 3, 6 * index + 6), 3 * i);
            this.levels.colour(index).toArray(tint, 3 * i);
        });
        const geometry = new InstancedBufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(edges, 3));
        geometry.setAttribute('lower', new InstancedBufferAttribute(lower, 3));
        geometry.setAttribute('upper', new InstancedBufferAttribute(upper, 3));
        geometry.setAttribute('tint', new InstancedBufferAttribute(tint, 3));
        geometry.instanceCount = this.shown.length;
        this.object.geometry.dispose();
        this.object.geometry = geometry;
        this.context.changed();
    }
}
