// The bounding spheres of a tree, translucent, one level at a time.
import { Group, IcosahedronGeometry, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Sphere, Vector3 } from 'three';
import { slider } from '../dom';
import type { SpheresData } from '../layer_data';
import { digits, triple } from '../numbers';
import type { Context, LayerView, Pick, Probe } from './layer';
import { Levels } from './levels';

export class SpheresLayer implements LayerView {
    readonly object = new Group();
    readonly controls: HTMLElement[];
    private readonly levels: Levels;
    private readonly material = new MeshStandardMaterial({ roughness: 0.6, transparent: true, opacity: 0.4, depthWrite: false });
    private shown: number[] = [];
    private mesh?: InstancedMesh;

    constructor(readonly data: SpheresData, private readonly context: Context) {
        this.levels = new Levels(data.levels, 'sphere', 'spheres', () => this.fill());
        this.controls = [...this.levels.controls, slider('opacity', 0.4, { min: 0.05, max: 1 }, (value) => this.setOpacity(value))];
        this.fill();
    }

    pick(probe: Probe): Pick | undefined {
        const ray = probe.ray.ray.clone().applyMatrix4(new Matrix4().copy(this.object.matrixWorld).invert());
        const sphere = new Sphere();
        const hit = new Vector3();
        let best: { index: number; distance: number } | undefined;
        for (const index of this.shown) {
            if (!ray.intersectSphere(this.read(index, sphere), hit)) continue;
            const distance = hit.distanceTo(ray.origin);
            if (!best || distance < best.distance) best = { index, distance };
        }
        if (!best) return undefined;
        const { center, radius } = this.read(best.index, sphere);
        const marker = new Mesh(new IcosahedronGeometry(radius * 1.01, 4), new MeshBasicMaterial({ color: '#ff3b7f', wireframe: true, transparent: true, opacity: 0.35 }));
        marker.position.copy(center);
        return {
            distance: best.distance, kind: 'sphere', title: `Sphere ${best.index} of ${this.data.name}`, marker, parent: this.object,
            rows: () => [['level', String(this.data.levels[best.index])], ['centre (m)', triple(center.x, center.y, center.z)], ['radius (m)', digits(radius)]],
        };
    }

    private read(index: number, sphere: Sphere): Sphere {
        sphere.center.fromArray(this.data.spheres, 4 * index);
        sphere.radius = this.data.spheres[4 * index + 3];
        return sphere;
    }

    private setOpacity(value: number): void {
        this.material.opacity = value;
        this.material.depthWrite = value > 0.95;
        this.context.changed();
    }

    private fill(): void {
        this.shown = this.levels.chosen();
        const detail = this.shown.length < 400 ? 8 : this.shown.length < 5000 ? 4 : 2;
        this.mesh?.geometry.dispose();
        this.mesh?.dispose();
        this.mesh = new InstancedMesh(new IcosahedronGeometry(1, detail), this.material, this.shown.length);
        const matrix = new Matrix4();
        this.shown.forEach((index, i) => {
            const [x, y, z, r] = this.data.spheres.subarray(4 * index, 4 * index + 4);
            this.mesh!.setMatrixAt(i, matrix.makeScale(r, r, r).setPosition(x, y, z));
            this.mesh!.setColorAt(i, this.levels.colour(index));
        });
        this.mesh.frustumCulled = false;
        this.object.clear();
        this.object.add(this.mesh);
        this.context.changed();
    }
}
