// A slice through a sampled distance field, moved by dragging its frame: blue inside, orange outside as in the images of the library, with isolines.
import { Data3DTexture, DoubleSide, FloatType, Matrix4, Mesh, NearestFilter, Plane, PlaneGeometry, type Ray, RedFormat, ShaderMaterial, Vector3 } from 'three';
import { checkbox, choice, h } from '../dom';
import type { VolumeData } from '../layer_data';
import { digits, roundStep, triple } from '../numbers';
import type { Theme } from '../theme';
import type { Context, Drag, LayerView, Pick, Probe } from './layer';
import { fragment, frameShare, vertex } from './volume_shader';

const axes = ['x', 'y', 'z'] as const;
type Axis = (typeof axes)[number];

export class VolumeLayer implements LayerView {
    readonly object: Mesh<PlaneGeometry, ShaderMaterial>;
    readonly controls: HTMLElement[];
    readonly plane = new Plane();
    clips = true;
    private readonly lower: Vector3;
    private readonly span: Vector3;
    private readonly input: HTMLInputElement;
    private readonly label = h('output', { class: 'value' });
    private axis = 1;
    private share = 0.5;

    constructor(readonly data: VolumeData, private readonly context: Context) {
        this.lower = new Vector3().fromArray(data.box, 0);
        this.span = new Vector3().fromArray(data.box, 3).sub(this.lower);
        const range = largest(data.values);
        const step = roundStep(range / 8);
        const uniforms = {
            field: { value: texture(data) }, size: { value: new Vector3().fromArray(data.size) }, lower: { value: this.lower }, span: { value: this.span },
            axis: { value: this.axis }, share: { value: this.share }, range: { value: range }, spacing: { value: step },
            pale: { value: null }, line: { value: null }, held: { value: 0 },
        };
        this.object = new Mesh(new PlaneGeometry(1, 1).translate(0.5, 0.5, 0), new ShaderMaterial({ vertexShader: vertex, fragmentShader: fragment, uniforms, side: DoubleSide }));
        this.object.frustumCulled = false;
        this.input = h('input', {
            type: 'range', min: 0, max: 1, step: 0.002, value: this.share, 'aria-label': `Position of the slice of ${data.name}`,
            oninput: () => this.move(Number(this.input.value)),
        });
        this.controls = [
            choice<Axis>('Axis of the slice', axes, axes[this.axis], (axis) => { this.axis = axes.indexOf(axis); this.move(this.share); }),
            h('label', { class: 'field' }, h('span', {}, 'position'), this.input, this.label),
            checkbox('clip bodies here', this.clips, (on) => { this.clips = on; context.changed(); }),
            h('p', { class: 'note' }, `isolines every ${digits(step)} m; blue inside, orange outside; drag the frame to move the slice`),
        ];
        this.move(this.share);
    }

    setTheme(theme: Theme): void {
        this.object.material.uniforms.pale.value = theme.background;
        this.object.material.uniforms.line.value = theme.wire;
    }

    // Clips the side of the slice that faces the camera.
    beforeDraw(camera: Vector3): void {
        const normal = new Vector3().setComponent(this.axis, 1);
        const through = this.lower.clone().addScaledVector(this.span, this.share);
        this.plane.setFromNormalAndCoplanarPoint(normal, through).applyMatrix4(this.object.matrixWorld);
        if (this.plane.distanceToPoint(camera) > 0) this.plane.negate();
        // A small offset keeps the slice itself unclipped.
        this.plane.constant += this.context.radius * 1e-4;
    }

    pick(probe: Probe): Pick | undefined {
        const hit = this.hit(probe);
        if (!hit) return undefined;
        const { place, distance } = hit;
        const value = this.value(place);
        return {
            distance, kind: 'slice', title: this.data.name,
            rows: () => [['signed distance (m)', digits(value)], ['position (m)', triple(place.x, place.y, place.z)], ['side', value < 0 ? 'inside' : 'outside']],
        };
    }

    grab(probe: Probe): { distance: number; drag: Drag } | undefined {
        const hit = this.hit(probe);
        if (!hit || !this.onFrame(hit.place)) return undefined;
        const from = this.along(this.localRay(probe), hit.place);
        const start = this.share;
        const { held } = this.object.material.uniforms;
        return {
            distance: hit.distance,
            drag: {
                move: (next) => {
                    held.value = 1;
                    this.move(start + (this.along(this.localRay(next), hit.place) - from) / this.span.getComponent(this.axis));
                },
                end: () => { held.value = 0; this.context.changed(); },
            },
        };
    }

    private move(share: number): void {
        this.share = Math.min(Math.max(share, 0), 1);
        const { uniforms } = this.object.material;
        uniforms.axis.value = this.axis;
        uniforms.share.value = this.share;
        this.input.value = String(this.share);
        this.label.textContent = `${axes[this.axis]} = ${digits(this.lower.getComponent(this.axis) + this.share * this.span.getComponent(this.axis))} m`;
        this.context.changed();
    }

    private localRay(probe: Probe): Ray {
        return probe.ray.ray.clone().applyMatrix4(new Matrix4().copy(this.object.matrixWorld).invert());
    }

    private hit(probe: Probe): { place: Vector3; distance: number } | undefined {
        const ray = this.localRay(probe);
        const slope = ray.direction.getComponent(this.axis);
        if (Math.abs(slope) < 1e-9) return undefined;
        const distance = (this.lower.getComponent(this.axis) + this.share * this.span.getComponent(this.axis) - ray.origin.getComponent(this.axis)) / slope;
        const place = ray.at(distance, new Vector3());
        const inside = [0, 1, 2].every((k) => k === this.axis || Math.abs(place.getComponent(k) - this.lower.getComponent(k) - this.span.getComponent(k) / 2) <= this.span.getComponent(k) / 2);
        return distance > 0 && inside ? { place, distance } : undefined;
    }

    private onFrame(place: Vector3): boolean {
        const others = [0, 1, 2].filter((k) => k !== this.axis);
        const width = frameShare * Math.min(...others.map((k) => this.span.getComponent(k)));
        return others.some((k) => {
            const at = place.getComponent(k) - this.lower.getComponent(k);
            return Math.min(at, this.span.getComponent(k) - at) < width;
        });
    }

    // The parameter of the point closest to the ray on the line through `place` along the axis.
    private along(ray: Ray, place: Vector3): number {
        const axis = new Vector3().setComponent(this.axis, 1);
        const across = ray.direction.dot(axis);
        const between = place.clone().sub(ray.origin);
        const square = 1 - across * across;
        if (square < 1e-6) return 0; // the ray is parallel to the axis
        return (across * between.dot(ray.direction) - between.dot(axis)) / square;
    }

    // Trilinear interpolation, as in the library.
    private value(place: Vector3): number {
        const { size, values } = this.data;
        const cell = [0, 1, 2].map((k) => {
            const at = ((place.getComponent(k) - this.lower.getComponent(k)) / this.span.getComponent(k)) * (size[k] - 1);
            const low = Math.min(Math.max(Math.floor(at), 0), size[k] - 2);
            return { low, part: at - low };
        });
        let sum = 0;
        for (let corner = 0; corner < 8; ++corner) {
            const bits = [corner & 1, (corner >> 1) & 1, corner >> 2];
            const [i, j, k] = cell.map(({ low }, axis) => low + bits[axis]);
            sum += cell.reduce((weight, { part }, axis) => weight * (bits[axis] ? part : 1 - part), 1) * values[(k * size[1] + j) * size[0] + i];
        }
        return sum;
    }
}

function texture(data: VolumeData): Data3DTexture {
    const made = new Data3DTexture(data.values as Float32Array<ArrayBuffer>, data.size[0], data.size[1], data.size[2]);
    made.format = RedFormat;
    made.type = FloatType;
    made.minFilter = made.magFilter = NearestFilter;
    made.unpackAlignment = 1;
    made.needsUpdate = true;
    return made;
}

function largest(values: Float32Array): number {
    let found = 0;
    for (const value of values) if (Math.abs(value) > found && Math.abs(value) < 1e30) found = Math.abs(value);
    return found || 1;
}
