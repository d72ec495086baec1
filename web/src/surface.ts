// Triangles for drawing: three separate corners each, with normals that are smooth except across edges sharper than 40 degrees, so that boxes keep
// their edges and curved surfaces look smooth.

const sameSurface = Math.cos((40 * Math.PI) / 180);
const crowded = 256; // vertices with more triangles than this get flat normals, since the cost is quadratic

// The triangles at each vertex; reused while a body deforms without breaking.
export class Fans {
    readonly start: Uint32Array;
    readonly triangles: Uint32Array;

    constructor(readonly corners: Uint32Array, vertices: number) {
        this.start = new Uint32Array(vertices + 1);
        for (const vertex of corners) ++this.start[vertex + 1];
        for (let v = 0; v < vertices; ++v) this.start[v + 1] += this.start[v];
        const next = this.start.slice();
        this.triangles = new Uint32Array(corners.length);
        for (let i = 0; i < corners.length; ++i) this.triangles[next[corners[i]]++] = Math.floor(i / 3);
    }
}

export interface Corners { positions: Float32Array; normals: Float32Array }

export function unfold(vertices: Float32Array, fans: Fans): Corners {
    const { corners, start, triangles } = fans;
    const positions = new Float32Array(corners.length * 3);
    for (let i = 0; i < corners.length; ++i) {
        for (let k = 0; k < 3; ++k) positions[3 * i + k] = vertices[3 * corners[i] + k];
    }
    const { across, unit } = triangleNormals(positions);
    const normals = new Float32Array(corners.length * 3);
    for (let i = 0; i < corners.length; ++i) {
        const own = 3 * Math.floor(i / 3);
        const from = start[corners[i]];
        const to = start[corners[i] + 1];
        let x = 0, y = 0, z = 0;
        for (let j = from; j < to && to - from <= crowded; ++j) {
            const other = 3 * triangles[j];
            if (unit[own] * unit[other] + unit[own + 1] * unit[other + 1] + unit[own + 2] * unit[other + 2] < sameSurface) continue;
            x += across[other], y += across[other + 1], z += across[other + 2];
        }
        const length = Math.hypot(x, y, z);
        normals[3 * i] = length > 0 ? x / length : unit[own];
        normals[3 * i + 1] = length > 0 ? y / length : unit[own + 1];
        normals[3 * i + 2] = length > 0 ? z / length : unit[own + 2];
    }
    return { positions, normals };
}

// Normals scaled by twice the area, and unit normals (zero if a triangle has no area).
export function triangleNormals(positions: Float32Array): { across: Float32Array; unit: Float32Array } {
    const across = new Float32Array(positions.length / 3);
    const unit = new Float32Array(positions.length / 3);
    for (let t = 0; t < positions.length / 9; ++t) {
        const p = 9 * t;
        const ax = positions[p + 3] - positions[p], ay = positions[p + 4] - positions[p + 1], az = positions[p + 5] - positions[p + 2];
        const bx = positions[p + 6] - positions[p], by = positions[p + 7] - positions[p + 1], bz = positions[p + 8] - positions[p + 2];
        const x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx;
        const length = Math.hypot(x, y, z) || 1;
        across[3 * t] = x, across[3 * t + 1] = y, across[3 * t + 2] = z;
        unit[3 * t] = x / length, unit[3 * t + 1] = y / length, unit[3 * t + 2] = z / length;
    }
    return { across, unit };
}
