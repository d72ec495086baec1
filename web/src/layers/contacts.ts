// Contacts as arrows along their normals, longer and redder with the depth. Arrows inside a body are drawn through it.
import { Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3 } from 'three';
import { h, slider } from '../dom';
import type { Contacts, ContactsData } from '../layer_data';
import { digits, many, triple } from '../numbers';
import type { Info } from '../values';
import type { Context, LayerView, Pick, Probe } from './layer';

const upright = (geometry: CylinderGeometry) => geometry.rotateX(Math.PI / 2); // along z
const shaft = upright(new CylinderGeometry(0.028, 0.028, 1, 10)).translate(0, 0, 0.5);
const head = upright(new ConeGeometry(0.085, 0.26, 14)).translate(0, 0, -0.13);
const foot = new SphereGeometry(0.06, 12, 8);

const shallow = new Color('#f2b632');
const deep = new Color('#d8283e');

export class ContactsLayer implements LayerView {
    readonly object = new Group();
    readonly controls: HTMLElement[];
    contacts?: Contacts;
    private readonly solid = new MeshLambertMaterial({ emissive: '#333333' });
    private readonly ghost = new MeshBasicMaterial({ transparent: true, opacity: 0.5, depthTest: false, depthWrite: false });
    private readonly summary = h('output', { class: 'value' });
    private chosen?: number; // arrow size as a fraction of the radius of the scene
    private largestCount = 0;        // largest number of contacts so far
    private deepest = 0; // largest depth so far, so that the arrows of a recording stay comparable

    constructor(readonly data: ContactsData, private readonly context: Context) {
        this.controls = [
            h('div', { class: 'field' }, h('span', {}, 'shown'), this.summary),
            slider('arrow size', 0.2, { min: 0.03, max: 0.6 }, (value) => { this.chosen = value; this.set(this.contacts); }),
            h('div', { class: 'ramp', 'aria-hidden': 'true' }, h('span', {}, 'shallow'), h('i', { style: `background:linear-gradient(90deg,#${shallow.getHexString()},#${deep.getHexString()})` }), h('span', {}, 'deep')),
        ];
        this.set(data.contacts);
    }

    get count(): number { return this.contacts?.depths.length ?? 0; }

    set(contacts: Contacts | undefined): void {
        this.contacts = contacts;
        for (const child of this.object.children) (child as InstancedMesh).dispose();
        this.object.clear();
        const depths = contacts ? Array.from(contacts.depths) : [];
        const now = depths.reduce((a, b) => Math.max(a, Number.isFinite(b) ? b : 0), 0);
        this.deepest = Math.max(this.deepest, now);
        this.largestCount = Math.max(this.largestCount, depths.length);
        this.summary.textContent = depths.length === 0 ? 'no contacts' : `${many(depths.length, 'contact')} · deepest ${digits(now, 3)} m`;
        if (contacts && depths.length > 0) this.fill(contacts);
        this.context.changed();
    }

    pick(probe: Probe): Pick | undefined {
        let best: { index: number; distance: number } | undefined;
        const place = new Vector3();
        for (let index = 0; index < this.count; ++index) {
            const tip = this.place(index, place).clone().addScaledVector(this.normal(index), this.length(index));
            for (const end of [place, tip.add(place).multiplyScalar(0.5)]) {
                const distance = probe.screen(end.clone().applyMatrix4(this.object.matrixWorld)).distanceTo(probe.pointer);
                if (distance < (best?.distance ?? 12)) best = { index, distance };
            }
        }
        if (!best) return undefined;
        const { index } = best;
        const marker = new Mesh(new SphereGeometry(this.size * 0.1, 20, 12), new MeshBasicMaterial({ color: '#ff3b7f', depthTest: false, transparent: true, opacity: 0.8 }));
        this.place(index, marker.position);
        const at = marker.position.clone().applyMatrix4(this.object.matrixWorld);
        return { distance: at.distanceTo(probe.ray.ray.origin), kind: 'contact', title: `Contact ${index}`, rows: () => this.describe(index), marker, parent: this.object };
    }

    describe(index: number): Info {
        const { contacts } = this;
        if (!contacts || index >= this.count) return [['state', 'not in this frame']];
        const p = this.place(index, new Vector3());
        const n = this.normal(index);
        return [
            ['between', `${this.context.bodyName(contacts.bodies[2 * index])} and ${this.context.bodyName(contacts.bodies[2 * index + 1])}`],
            ['depth (m)', digits(contacts.depths[index])], ['position (m)', triple(p.x, p.y, p.z)], ['normal', triple(n.x, n.y, n.z)],
        ];
    }

    private fill(contacts: Contacts): void {
        const parts = [shaft, head, foot].map((geometry) => new InstancedMesh(geometry, this.solid, this.count));
        const matrix = new Matrix4();
        const turn = new Quaternion();
        const place = new Vector3();
        const up = new Vector3(0, 0, 1);
        for (let i = 0; i < this.count; ++i) {
            const normal = this.normal(i);
            const length = this.length(i);
            turn.setFromUnitVectors(up, normal);
            this.place(i, place);
            parts[0].setMatrixAt(i, matrix.compose(place, turn, new Vector3(this.size, this.size, Math.max(length - this.size * 0.2, 1e-9))));
            parts[2].setMatrixAt(i, matrix.compose(place, turn, new Vector3(this.size, this.size, this.size)));
            parts[1].setMatrixAt(i, matrix.compose(place.addScaledVector(normal, length), turn, new Vector3(this.size, this.size, this.size)));
            const colour = shallow.clone().lerp(deep, this.share(contacts.depths[i]));
            for (const part of parts) part.setColorAt(i, colour);
        }
        for (const part of parts) {
            const seenThrough = new InstancedMesh(part.geometry, this.ghost, this.count);
            seenThrough.instanceMatrix = part.instanceMatrix;
            seenThrough.instanceColor = part.instanceColor;
            seenThrough.renderOrder = 5;
            part.frustumCulled = seenThrough.frustumCulled = false;
            this.object.add(part, seenThrough);
        }
    }

    // The size of the arrows decreases with their number, until the user sets it.
    private get size(): number { return this.context.radius * (this.chosen ?? 0.2 / Math.sqrt(1 + this.largestCount / 40)); }
    private share(depth: number): number { return this.deepest > 0 && depth > 0 ? Math.min(depth / this.deepest, 1) : 0; }
    private length(index: number): number { return this.size * (0.45 + 0.55 * this.share(this.contacts!.depths[index])); }
    private place(index: number, out: Vector3): Vector3 { return out.fromArray(this.contacts!.positions as number[], 3 * index); }

    private normal(index: number): Vector3 {
        const found = new Vector3().fromArray(this.contacts!.normals as number[], 3 * index);
        return found.lengthSq() > 0 ? found.normalize() : found.set(0, 0, 1);
    }
}
