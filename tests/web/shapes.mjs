// Generated shapes for the documents of the tests; no files are read.

// A sphere of quads cut in two, closed at the poles; `bump(x, y, z)` scales the radius.
export function sphere(radius, rings = 24, bump = () => 1) {
    const vertices = [], triangles = [];
    const segments = 2 * rings;
    const put = (theta, phi) => {
        const n = [Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi), Math.cos(theta)];
        const r = radius * bump(...n);
        vertices.push(n[0] * r, n[1] * r, n[2] * r);
    };
    put(0, 0);
    for (let i = 1; i < rings; ++i) for (let j = 0; j < segments; ++j) put((Math.PI * i) / rings, (2 * Math.PI * j) / segments);
    put(Math.PI, 0);
    const at = (i, j) => 1 + (i - 1) * segments + (j % segments);
    const last = vertices.length / 3 - 1;
    for (let j = 0; j < segments; ++j) {
        triangles.push(0, at(1, j), at(1, j + 1), last, at(rings - 1, j + 1), at(rings - 1, j));
        for (let i = 1; i + 1 < rings; ++i) triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
    return { vertices, triangles };
}

export function box(x, y, z) {
    const vertices = [];
    for (let i = 0; i < 8; ++i) vertices.push(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    return { vertices, triangles: quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]) };
}

export function torus(radius, tube, around = 64, across = 28) {
    const vertices = [], triangles = [];
    for (let i = 0; i < around; ++i) {
        for (let j = 0; j < across; ++j) {
            const u = (2 * Math.PI * i) / around, v = (2 * Math.PI * j) / across;
            const r = radius + tube * Math.cos(v);
            vertices.push(r * Math.cos(u), r * Math.sin(u), tube * Math.sin(v));
        }
    }
    const at = (i, j) => (i % around) * across + (j % across);
    for (let i = 0; i < around; ++i) {
        for (let j = 0; j < across; ++j) triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
    return { vertices, triangles };
}

// A block of cubes of six tetrahedra each; `keep(x, y, z)` selects the cubes by their centre in [-1,1].
export function tetBlock(n, size, keep = () => true) {
    const vertices = [], tetrahedra = [];
    const at = (i, j, k) => (k * (n + 1) + j) * (n + 1) + i;
    for (let k = 0; k <= n; ++k) for (let j = 0; j <= n; ++j) for (let i = 0; i <= n; ++i) vertices.push(...[i, j, k].map((x) => ((2 * x) / n - 1) * size));
    const paths = [[1, 2, 0], [1, 4, 1], [2, 1, 1], [2, 4, 0], [4, 1, 0], [4, 2, 1]]; // order of the axes, and whether the tetrahedron is left-handed
    const middle = (x) => (2 * x + 1) / n - 1;
    for (let k = 0; k < n; ++k) for (let j = 0; j < n; ++j) for (let i = 0; i < n; ++i) {
        if (!keep(middle(i), middle(j), middle(k))) continue;
        const corner = (bits) => at(i + (bits & 1), j + ((bits >> 1) & 1), k + (bits >> 2));
        for (const [a, b, left] of paths) tetrahedra.push(corner(0), ...(left ? [corner(a | b), corner(a)] : [corner(a), corner(a | b)]), corner(7));
    }
    return { vertices, tetrahedra, triangles: boundary(tetrahedra) };
}

function boundary(tetrahedra) {
    const seen = new Map();
    for (let t = 0; t < tetrahedra.length; t += 4) {
        for (const [a, b, c] of [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]) {
            const face = [tetrahedra[t + a], tetrahedra[t + b], tetrahedra[t + c]];
            const key = [...face].sort((x, y) => x - y).join();
            seen.has(key) ? seen.delete(key) : seen.set(key, face);
        }
    }
    return [...seen.values()].flat();
}
