// Picking of bodies and overlays under the pointer. A second click at the same place picks the item behind.
import {
    BufferAttribute, BufferGeometry, DoubleSide, type Intersection, Mesh, MeshBasicMaterial, type Object3D, type Plane, Raycaster, Vector2, Vector3,
} from 'three';
import type { BodyView } from './body';
import type { LayerView, Pick, Probe } from './layers/layer';
import { digits, triple } from './numbers';
import type { Stage } from './stage';
import type { Info } from './values';

const samePlace = 4; // pixels

export class Picking {
    private last?: { pointer: Vector2; turn: number };

    constructor(private readonly stage: Stage, private readonly bodies: BodyView[], private readonly layers: () => LayerView[],
        private readonly facts: (body: number) => Info) {}

    probe(clientX: number, clientY: number): Probe {
        const { canvas, camera, radius } = this.stage;
        const frame = canvas.getBoundingClientRect();
        const pointer = new Vector2(clientX - frame.left, clientY - frame.top);
        const ray = new Raycaster();
        ray.params.Points.threshold = radius * 0.01;
        camera.updateMatrixWorld();
        ray.setFromCamera(new Vector2((pointer.x / frame.width) * 2 - 1, 1 - (pointer.y / frame.height) * 2), camera);
        const screen = (world: Vector3) => {
            const at = world.clone().project(camera);
            return at.z > 1 ? new Vector2(Infinity, Infinity) : new Vector2(((at.x + 1) / 2) * frame.width, ((1 - at.y) / 2) * frame.height);
        };
        return { ray, pointer, screen };
    }

    pick(probe: Probe): Pick | undefined {
        const found = this.candidates(probe);
        const again = this.last && this.last.pointer.distanceTo(probe.pointer) < samePlace;
        const turn = again ? this.last!.turn + 1 : 0;
        this.last = { pointer: probe.pointer, turn };
        return found.length > 0 ? found[turn % found.length] : undefined;
    }

    // All items under the pointer: contacts and paths first, since they are thin, then by distance.
    private candidates(probe: Probe): Pick[] {
        const found = this.layers().map((layer) => layer.pick?.(probe)).filter((pick): pick is Pick => pick !== undefined);
        const body = this.pickBody(probe);
        if (body) found.push(body);
        const thin = (pick: Pick) => (pick.kind === 'contact' ? 0 : pick.kind === 'path' ? 1 : 2);
        return found.sort((a, b) => thin(a) - thin(b) || a.distance - b.distance);
    }

    private pickBody(probe: Probe): Pick | undefined {
        const shown = this.bodies.filter((body) => body.drawn.visible).map((body) => body.drawn as Object3D);
        const hit = probe.ray.intersectObjects(shown, false).find((one) => !isCutAway(one));
        return hit && bodyPick(hit.object.userData.body as BodyView, hit, this.facts);
    }
}

function isCutAway({ object, point }: Intersection): boolean {
    const planes = (object as Mesh<BufferGeometry, MeshBasicMaterial>).material.clippingPlanes as Plane[] | null;
    return planes?.some((plane) => plane.distanceToPoint(point) < 0) ?? false;
}

function bodyPick(body: BodyView, hit: Intersection, facts: (body: number) => Info): Pick {
    const face = hit.faceIndex ?? undefined;
    const marker = face === undefined ? undefined : triangleMarker();
    return {
        distance: hit.distance, kind: 'body', title: body.data.name, body: body.index, marker, parent: body.object,
        rows: () => {
            if (marker) marker.visible = face !== undefined && moveMarker(marker, body, face);
            const { point } = hit;
            return [
                ...(face === undefined ? pointRows(hit.index) : elementRows(body, face)),
                ['picked at (m)', triple(point.x, point.y, point.z)], ...facts(body.index), ...body.data.info,
            ];
        },
    };
}

const pointRows = (index: number | undefined): Info => (index === undefined ? [] : [['point', String(index)]]);

function elementRows(body: BodyView, face: number): Info {
    const corners = cornersOf(body, face);
    if (!corners) return [['triangle', 'not in this frame']];
    const across = corners[1].clone().sub(corners[0]).cross(corners[2].clone().sub(corners[0]));
    const rows: Info = [['area (m²)', digits(across.length() / 2)]];
    const tetrahedron = body.cutTetrahedra?.owners[face];
    if (tetrahedron !== undefined) return [['tetrahedron', String(tetrahedron)], ...rows];
    const normal = across.normalize().transformDirection(body.object.matrixWorld);
    const triangles = body.shape.triangles ?? body.data.triangles;
    return [['triangle', String(face)], ['vertices', Array.from(triangles.subarray(3 * face, 3 * face + 3)).join(', ')], ...rows, ['normal', triple(normal.x, normal.y, normal.z)]];
}

function cornersOf(body: BodyView, face: number): Vector3[] | undefined {
    const positions = body.drawn.geometry.getAttribute('position');
    if (3 * face + 2 >= positions.count) return undefined;
    return [0, 1, 2].map((k) => new Vector3().fromBufferAttribute(positions, 3 * face + k));
}

function triangleMarker(): Mesh {
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(9), 3));
    const marker = new Mesh(geometry, new MeshBasicMaterial({ color: '#ff3b7f', side: DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
    marker.frustumCulled = false;
    return marker;
}

function moveMarker(marker: Mesh, body: BodyView, face: number): boolean {
    const corners = cornersOf(body, face);
    const positions = marker.geometry.getAttribute('position') as BufferAttribute;
    corners?.forEach((corner, k) => positions.setXYZ(k, corner.x, corner.y, corner.z));
    positions.needsUpdate = true;
    return corners !== undefined;
}
