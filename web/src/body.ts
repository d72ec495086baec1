// A body in the scene: its surface, points or tetrahedra, with the pose and the shape of the current frame.
import {
    BufferAttribute, BufferGeometry, Color, Group, Matrix4, Mesh, type Object3D, Plane, Points, type PointsMaterial, Quaternion, Sphere, Vector3,
} from 'three';
import type { BodyData } from './document';
import type { Shape } from './frames';
import { sphereMaterial, type Mode, setMode, surfaceMaterial, type SurfaceMaterial } from './materials';
import { Fans, unfold } from './surface';
import { cutOpen, type CutTetrahedra, neighbours } from './tetrahedra';
import { bodyColour, type Theme } from './theme';

export interface Cut { plane: Plane; shrink: number } // the side with positive distance to the plane is kept; world frame

export class BodyView {
    readonly object = new Group();
    readonly drawn: Mesh | Points;
    mode: Mode = 'shaded';
    pose: number[];
    shape: Shape;
    cutTetrahedra?: CutTetrahedra; // while clipped
    private readonly material: SurfaceMaterial | PointsMaterial;
    private readonly own: Color;
    private readonly whole: Shape;
    private deformed = false;
    private largestCount = 1; // largest number of points of the cloud so far
    private fans?: Fans;
    private behind?: { of: Uint32Array; faces: Int32Array };
    private cut?: Cut;

    constructor(readonly data: BodyData, readonly index: number, private readonly sceneRadius: number) {
        this.pose = data.pose;
        this.whole = { vertices: data.vertices, triangles: data.triangles, tetrahedra: data.tetrahedra };
        this.shape = this.whole;
        this.own = data.color ? new Color().setRGB(...data.color, 'srgb') : bodyColour(index);
        this.material = data.cloud ? sphereMaterial(this.own.clone(), sceneRadius) : surfaceMaterial(this.own.clone());
        this.drawn = data.cloud ? new Points(new BufferGeometry(), this.material) : new Mesh(new BufferGeometry(), this.material);
        this.drawn.castShadow = this.drawn.receiveShadow = !data.cloud;
        this.drawn.userData.body = this;
        this.object.add(this.drawn);
        this.rebuild();
        this.place(data.pose);
        if (data.glass && !data.cloud) this.setMode('glass');
    }

    get triangleCount(): number { return (this.shape.triangles ?? this.data.triangles).length / 3; }
    get colour(): string { return `#${(this.data.cloud && this.material.vertexColors ? shadeStops[3] : this.material.color).getHexString()}`; }

    setTheme(theme: Theme): void {
        if (this.data.fixed && !this.data.color) this.material.color.copy(theme.fixed);
        if ('wires' in this.material) this.material.wires.wireColour.value.copy(theme.wire);
    }

    setMode(mode: Mode): void {
        this.mode = mode;
        this.drawn.visible = mode !== 'hidden'; // overlays of the body stay visible
        this.drawn.castShadow = mode !== 'glass' && !this.data.cloud;
        this.setWires();
    }

    place(pose: ArrayLike<number>): void {
        this.pose = Array.from(pose);
        if (this.deformed) {
            this.object.position.set(0, 0, 0);
            this.object.quaternion.identity();
        } else {
            this.object.position.set(pose[0], pose[1], pose[2]);
            this.object.quaternion.copy(quaternionOf(pose));
        }
        this.object.updateMatrixWorld();
        if (this.cut && this.cutTetrahedra) this.rebuild();
    }

    // Sets the shape of a frame in the world frame; undefined restores the shape of the document under the pose.
    deform(shape: Shape | undefined): void {
        this.deformed = shape !== undefined;
        const next = shape ?? this.whole;
        if (next === this.shape) return;
        this.shape = next;
        this.rebuild();
    }

    // Clips the body at the cut; `slices` clip its surface too. Tetrahedra are kept or removed as a whole.
    open(cut: Cut | undefined, slices: Plane[]): void {
        const rebuild = this.tetrahedra !== undefined && (cut !== undefined || this.cut !== undefined);
        this.cut = cut;
        const planes = cut && !this.tetrahedra ? [cut.plane, ...slices] : slices;
        if ((this.material.clippingPlanes?.length ?? 0) !== planes.length) this.material.needsUpdate = true;
        this.material.clippingPlanes = planes;
        if (rebuild) this.rebuild();
    }

    // Highlights a body that is picked or dragged.
    emphasize(on: boolean): void {
        if ('emissive' in this.material) this.material.emissive.set(on ? '#2a2a2a' : '#000000');
    }

    private get tetrahedra(): Uint32Array | undefined {
        if (this.shape.tetrahedra) return this.shape.tetrahedra;
        return this.shape.vertices.length === this.data.vertices.length ? this.data.tetrahedra : undefined;
    }

    private rebuild(): void {
        const { vertices } = this.shape;
        const geometry = new BufferGeometry();
        this.cutTetrahedra = undefined;
        if (this.data.cloud) this.fillCloud(geometry, vertices);
        else if (this.cut && this.tetrahedra) this.fillCut(geometry, this.cut, this.tetrahedra);
        else this.fillSurface(geometry, this.shape.triangles ?? this.data.triangles);
        if (vertices.length === 0) geometry.boundingSphere = new Sphere(new Vector3(), 0);
        this.drawn.geometry.dispose();
        this.drawn.geometry = geometry;
    }

    private fillCloud(geometry: BufferGeometry, vertices: Float32Array): void {
        geometry.setAttribute('position', new BufferAttribute(vertices, 3));
        this.largestCount = Math.max(this.largestCount, vertices.length / 3);
        (this.material as PointsMaterial).size = sphereSize(this.largestCount, this.sceneRadius);
        const { shades } = this.shape;
        if (shades) geometry.setAttribute('color', new BufferAttribute(shadeColours(shades), 3));
        this.colourEach(shades !== undefined);
    }

    private fillSurface(geometry: BufferGeometry, triangles: Uint32Array): void {
        if (this.fans?.corners !== triangles) this.fans = new Fans(triangles, this.shape.vertices.length / 3);
        const { positions, normals } = unfold(this.shape.vertices, this.fans);
        geometry.setAttribute('position', new BufferAttribute(positions, 3));
        geometry.setAttribute('normal', new BufferAttribute(normals, 3));
        this.tint();
    }

    private fillCut(geometry: BufferGeometry, cut: Cut, tetrahedra: Uint32Array): void {
        if (this.behind?.of !== tetrahedra) this.behind = { of: tetrahedra, faces: neighbours(tetrahedra, this.shape.vertices.length / 3) };
        const plane = cut.plane.clone().applyMatrix4(new Matrix4().copy(this.object.matrixWorld).invert());
        const found = cutOpen(this.shape.vertices, tetrahedra, this.behind.faces, plane, cut.shrink);
        geometry.setAttribute('position', new BufferAttribute(found.positions, 3));
        geometry.setAttribute('normal', new BufferAttribute(found.normals, 3));
        geometry.setAttribute('color', new BufferAttribute(innerColours(found.inner, this.material.color), 3));
        this.cutTetrahedra = found;
        this.tint();
    }

    // Shows the edges of clipped tetrahedra, so that single ones can be distinguished.
    private setWires(): void {
        if ('wires' in this.material) setMode(this.material, this.cutTetrahedra && this.mode === 'shaded' ? 'edges' : this.mode);
    }

    // Gives inner faces their own colour while the body is clipped.
    private tint(): void {
        this.setWires();
        this.colourEach(this.cutTetrahedra !== undefined);
    }

    private colourEach(wanted: boolean): void {
        if (this.material.vertexColors === wanted) return;
        this.material.vertexColors = wanted;
        if (this.data.cloud) this.material.color.copy(wanted ? new Color('#ffffff') : this.own);
        this.material.needsUpdate = true;
    }
}

export function quaternionOf(pose: ArrayLike<number>): Quaternion {
    return new Quaternion(pose[4], pose[5], pose[6], pose[3]).normalize();
}

export function poseOf(object: Object3D): number[] {
    const { position: p, quaternion: q } = object;
    return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
}

// Vertex colours are multiplied with the colour of the body; these make inner faces pale and warm for any body colour.
function innerColours(inner: Uint8Array, own: Color): Float32Array {
    const pale = new Color('#f2c57c');
    const tint = [pale.r / Math.max(own.r, 0.05), pale.g / Math.max(own.g, 0.05), pale.b / Math.max(own.b, 0.05)];
    const colours = new Float32Array(inner.length * 3);
    for (let i = 0; i < inner.length; ++i) for (let k = 0; k < 3; ++k) colours[3 * i + k] = inner[i] ? tint[k] : 1;
    return colours;
}

// The size of points decreases with their number, so that they do not hide the shape.
function sphereSize(count: number, sceneRadius: number): number {
    return sceneRadius * Math.min(Math.max(0.25 / Math.cbrt(count), 0.004), 0.03);
}

// From dark (slow) to bright (fast), in even steps of lightness.
const shadeStops = ['#3b1c6b', '#8a2281', '#d2426f', '#f5793f', '#fdc23c'].map((stop) => new Color(stop));

function shadeColours(shades: Uint8Array): Float32Array {
    const colours = new Float32Array(3 * shades.length);
    const mixed = new Color();
    shades.forEach((shade, i) => {
        const place = (shade / 255) * (shadeStops.length - 1);
        const below = Math.min(Math.floor(place), shadeStops.length - 2);
        mixed.lerpColors(shadeStops[below], shadeStops[below + 1], place - below).toArray(colours, 3 * i);
    });
    return colours;
}
