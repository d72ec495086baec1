// A tetrahedral body clipped at a plane: the whole tetrahedra on one side, so that the inside can be seen and picked.
import type { Plane } from 'three';

const faces = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]; // opposite each corner, oriented outward if the volume is positive

export interface CutTetrahedra {
    positions: Float32Array;
    normals: Float32Array;
    inner: Uint8Array;  // per corner: 1 if the face is inside the body
    owners: Uint32Array; // per triangle: its tetrahedron
}

// The neighbour across each face (four per tetrahedron), -1 on the surface of the body.
export function neighbours(tetrahedra: Uint32Array, vertices: number): Int32Array {
    const found = new Int32Array(tetrahedra.length).fill(-1);
    const open = new Map<string | number, number>();
    const narrow = vertices < 200_000; // three indices then fit exactly into one number
    for (let face = 0; face < tetrahedra.length; ++face) {
        const first = face & ~3;
        const [a, b, c] = faces[face & 3].map((k) => tetrahedra[first + k]).sort((x, y) => x - y);
        const key = narrow ? (a * vertices + b) * vertices + c : `${a} ${b} ${c}`;
        const other = open.get(key);
        if (other === undefined) open.set(key, face);
        else {
            found[face] = other >> 2;
            found[other] = face >> 2;
            open.delete(key);
        }
    }
    return found;
}

// The tetrahedra whose centroid is on the positive side of the plane. `shrink` in [0, 1) scales each towards its centroid; all faces are then visible.
export function cutOpen(vertices: Float32Array, tetrahedra: Uint32Array, behind: Int32Array, plane: Plane, shrink: number): CutTetrahedra {
    const count = tetrahedra.length / 4;
    const kept = new Uint8Array(count);
    const middles = new Float32Array(3 * count);
    const { x: nx, y: ny, z: nz } = plane.normal;
    for (let t = 0; t < count; ++t) {
        for (let i = 0; i < 12; ++i) middles[3 * t + (i % 3)] += vertices[3 * tetrahedra[4 * t + Math.floor(i / 3)] + (i % 3)] / 4;
        kept[t] = nx * middles[3 * t] + ny * middles[3 * t + 1] + nz * middles[3 * t + 2] + plane.constant >= 0 ? 1 : 0;
    }
    const shown: number[] = [];
    for (let face = 0; face < tetrahedra.length; ++face) {
        if (kept[face >> 2] && (shrink > 0 || behind[face] < 0 || !kept[behind[face]])) shown.push(face);
    }
    const cut: CutTetrahedra = {
        positions: new Float32Array(shown.length * 9), normals: new Float32Array(shown.length * 9),
        inner: new Uint8Array(shown.length * 3), owners: Uint32Array.from(shown, (face) => face >> 2),
    };
    shown.forEach((face, i) => addFace(cut, i, face, vertices, tetrahedra, middles, behind[face] >= 0, shrink));
    return cut;
}

function addFace(cut: CutTetrahedra, at: number, face: number, vertices: Float32Array, tetrahedra: Uint32Array, middles: Float32Array, inner: boolean, shrink: number): void {
    const owner = face >> 2;
    const p = cut.positions.subarray(9 * at, 9 * at + 9);
    faces[face & 3].forEach((k, corner) => {
        const vertex = 3 * tetrahedra[4 * owner + k];
        for (let i = 0; i < 3; ++i) p[3 * corner + i] = vertices[vertex + i] + (middles[3 * owner + i] - vertices[vertex + i]) * shrink;
        cut.inner[3 * at + corner] = inner ? 1 : 0;
    });
    const ax = p[3] - p[0], ay = p[4] - p[1], az = p[5] - p[2], bx = p[6] - p[0], by = p[7] - p[1], bz = p[8] - p[2];
    let x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx;
    // Oriented outward for either orientation of the tetrahedron.
    const m = 3 * owner;
    const side = x * (p[0] - middles[m]) + y * (p[1] - middles[m + 1]) + z * (p[2] - middles[m + 2]) < 0 ? -1 : 1;
    const length = side * (Math.hypot(x, y, z) || 1);
    for (let corner = 0; corner < 3; ++corner) cut.normals.set([x / length, y / length, z / length], 9 * at + 3 * corner);
    if (side < 0) for (let i = 3; i < 6; ++i) [p[i], p[i + 3]] = [p[i + 3], p[i]];
}
