// One document of each kind, as the library writes them, from generated shapes. Each function returns the packets in order.
import { PacketWriter } from './packet_writer.mjs';
import { box, sphere, tetBlock, torus } from './shapes.mjs';

const still = [0, 0, 0, 1, 0, 0, 0];
const bumpy = (x, y, z) => 1 + 0.16 * Math.sin(5 * x + 1) * Math.sin(4 * y) * Math.cos(3 * z);

export function body(writer, name, shape, more = {}) {
    return {
        name, vertices: writer.f32(shape.vertices, 3), ...(shape.triangles ? { triangles: writer.u32(shape.triangles, 3) } : {}),
        ...(shape.tetrahedra ? { tetrahedra: writer.u32(shape.tetrahedra, 4) } : {}), pose: still, ...more,
    };
}

const document = (build) => {
    const writer = new PacketWriter();
    return [writer.finish(build(writer))];
};

export const mesh = () => document((writer) => {
    const shape = torus(1, 0.4);
    return {
        title: 'torus', subtitle: 'a generated mesh', kind: 'mesh', bounds: [-1.4, -1.4, -0.4, 1.4, 1.4, 0.4],
        bodies: [body(writer, 'torus', shape, { info: { triangles: shape.triangles.length / 3, volume: '3.158 m3', closed: 'yes' } })], layers: [],
    };
});

// The arrays of contacts given as [position, normal, depth, a, b].
const contactArrays = (writer, found) => ({
    positions: writer.f32(found.flatMap((c) => c[0]), 3), normals: writer.f32(found.flatMap((c) => c[1]), 3),
    depths: writer.f32(found.map((c) => c[2])), bodies: writer.u32(found.flatMap((c) => [c[3], c[4]]), 2),
});

// Frames divided into chunks: `frame(i)` returns { poses, contacts, deformed }, the latter by body.
export function framePackets(count, perChunk, frame) {
    const places = [], packets = [];
    for (let first = 0; first < count; first += perChunk) {
        const writer = new PacketWriter();
        const frames = Array.from({ length: Math.min(perChunk, count - first) }, (_, i) => frame(first + i));
        const deformed = {};
        for (const key of new Set(frames.flatMap((f) => Object.keys(f.deformed ?? {})))) {
            const shapes = frames.map((f) => f.deformed?.[key]);
            deformed[key] = {
                vertices: shapes.map((s) => s && writer.f32(s.vertices, 3)), triangles: shapes.map((s) => (s?.triangles ? writer.u32(s.triangles, 3) : null)),
                shades: shapes.map((s) => (s?.shades ? writer.u8(s.shades) : null)),
            };
        }
        places.push({ packet: places.length + 1, first, count: frames.length });
        packets.push(writer.finish({
            first, count: frames.length, poses: writer.f32(frames.flatMap((f) => f.poses.flat()), 7), deformed,
            contacts: frames.map((f) => (f.contacts?.length ? contactArrays(writer, f.contacts) : null)),
        }));
    }
    return { places, packets };
}

// Three bodies that fall on a table, bounce and come to rest.
export function recording(count = 120, perChunk = 25) {
    const writer = new PacketWriter();
    const drops = [{ x: -0.9, y: 0.1, h: 2.2, r: 0.5 }, { x: 0.35, y: -0.3, h: 3, r: 0.42 }, { x: 1.3, y: 0.5, h: 1.6, r: 0.36 }];
    const state = (drop, t) => {
        let height = drop.h, speed = 0, energy = 0;
        for (let s = 0; s < t; s += 1 / 240) {
            speed -= 9.81 / 240;
            height += speed / 240;
            if (height < drop.r) { speed *= -0.55; height = drop.r; }
        }
        energy = speed * speed / 2 + 9.81 * height;
        return { height: height - (Math.abs(speed) < 0.3 ? 0.01 : 0), energy, turn: Math.min(t, 1.3) };
    };
    const frames = Array.from({ length: count }, (_, i) => drops.map((drop) => state(drop, i / 60)));
    const pose = (drop, s) => [drop.x, drop.y, s.height, Math.cos(s.turn), Math.sin(s.turn) * 0.6, Math.sin(s.turn) * 0.8, 0];
    const contacts = (i) => drops.flatMap((drop, k) => {
        const depth = drop.r + 0.012 - frames[i][k].height;
        return depth > 0 ? [0, 1, 2].map((j) => [[drop.x + 0.12 * Math.cos(2.1 * j), drop.y + 0.12 * Math.sin(2.1 * j), 0], [0, 0, 1], depth * (1 - 0.25 * j), 0, k + 1]) : [];
    });
    const { places, packets } = framePackets(count, perChunk, (i) => ({ poses: [still, ...drops.map((drop, k) => pose(drop, frames[i][k]))], contacts: contacts(i) }));
    const series = (name, unit, group, value) => ({ name, unit, group, values: writer.f64(frames.map((_, i) => value(i))) });
    const total = (i) => frames[i].reduce((sum, s) => sum + s.energy, 0);
    return [writer.finish({
        title: 'three_drops', subtitle: 'rigid bodies fall on a table', kind: 'recording', bounds: [-2, -1.5, -0.1, 2, 1.5, 3.4],
        bodies: [
            body(writer, 'table', { ...box(2, 1.5, 0.05), vertices: box(2, 1.5, 0.05).vertices.map((x, i) => (i % 3 === 2 ? x - 0.05 : x)) }, { fixed: true, info: { mass: 'infinite' } }),
            body(writer, 'pebble', sphere(0.5, 28, bumpy), { info: { mass: '1.2 kg', method: 'grid' } }),
            body(writer, 'ring', torus(0.3, 0.12, 48, 20), { info: { mass: '0.4 kg' } }), body(writer, 'die', box(0.24, 0.24, 0.24), { info: { mass: '0.9 kg' } }),
        ],
        layers: [], frames: { count, times: writer.f64(frames.map((_, i) => i / 60)), chunks: places },
        series: [series('total energy', 'J', 'energy', total), series('kinetic energy', 'J', 'energy', (i) => total(i) - 9.81 * frames[i].reduce((s, f) => s + f.height, 0)),
            series('contacts', '', 'contacts', (i) => contacts(i).length), series('deepest', 'm', 'depth', (i) => Math.max(0, ...contacts(i).map((c) => c[2])))],
    }), ...packets];
}

// A cloth that drapes over a sphere, and a cloud of falling points.
export function deforming(count = 60) {
    const writer = new PacketWriter();
    const n = 40;
    const cloth = (t) => {
        const vertices = [];
        for (let j = 0; j <= n; ++j) for (let i = 0; i <= n; ++i) {
            const x = (2 * i) / n - 1, y = (2 * j) / n - 1, r = Math.hypot(x, y);
            const over = r < 0.52 ? Math.sqrt(Math.max(0.2704 - r * r, 0)) : -0.5 * (r - 0.52) - 0.12 * Math.sin(6 * Math.atan2(y, x)) * (r - 0.52);
            vertices.push(x, y, 0.5 + (1 - t) * 0.45 + t * over);
        }
        return vertices;
    };
    const triangles = [];
    for (let j = 0; j < n; ++j) for (let i = 0; i < n; ++i) { const a = j * (n + 1) + i; triangles.push(a, a + 1, a + n + 2, a, a + n + 2, a + n + 1); }
    const rain = (t) => Array.from({ length: 900 }, (_, i) => [Math.sin(i * 12.9898) * 1.2, Math.sin(i * 78.233) * 1.2, ((((Math.sin(i * 37.719) + 1) * 0.9 - t * 1.4) % 1.8) + 1.8) % 1.8]).flat();
    const { places, packets } = framePackets(count, 20, (i) => ({ poses: [[0, 0, 0.5, 1, 0, 0, 0], still, still], deformed: { 1: { vertices: cloth(i / (count - 1)) }, 2: { vertices: rain(i / (count - 1)), shades: Array.from({ length: 900 }, (_, k) => (k * 7 + 4 * i) % 256) } } }));
    return [writer.finish({
        title: 'cloth_on_ball', subtitle: 'a surface of springs, and rain', kind: 'recording', bounds: [-1.2, -1.2, 0, 1.2, 1.2, 1.8],
        bodies: [body(writer, 'ball', sphere(0.5, 32), { fixed: true, pose: [0, 0, 0.5, 1, 0, 0, 0] }), body(writer, 'cloth', { vertices: cloth(0), triangles }, { color: [0.82, 0.36, 0.38] }),
            body(writer, 'rain', { vertices: rain(0) }, { cloud: true })],
        frames: { count, times: writer.f64(Array.from({ length: count }, (_, i) => i / 30)), chunks: places }, layers: [], series: [],
    }), ...packets];
}

export const tetrahedra = () => document((writer) => {
    const shape = tetBlock(12, 0.8, (x, y, z) => Math.hypot(x, y, z) < 1.02 && Math.hypot(x, y, z) > 0.45);
    return {
        title: 'hollow_ball', subtitle: 'tetrahedra, cut open', kind: 'tetrahedra', bounds: [-0.8, -0.8, -0.8, 0.8, 0.8, 0.8],
        bodies: [body(writer, 'hollow ball', shape, { info: { tetrahedra: shape.tetrahedra.length / 4 } })], layers: [],
    };
});

const torusDistance = (x, y, z) => Math.hypot(Math.hypot(x, y) - 0.7, z) - 0.28;

// A field: its surface, a sampled volume, the cells of an octree.
export const field = () => document((writer) => {
    const size = [56, 56, 28], lower = [-1.2, -1.2, -0.6], span = [2.4, 2.4, 1.2];
    const values = [];
    for (let k = 0; k < size[2]; ++k) for (let j = 0; j < size[1]; ++j) for (let i = 0; i < size[0]; ++i) {
        values.push(torusDistance(...[i, j, k].map((v, a) => lower[a] + (span[a] * v) / (size[a] - 1))));
    }
    const boxes = [], levels = [];
    const split = (x, y, z, h, level) => {
        boxes.push(x - h, y - h, z - h, x + h, y + h, z + h);
        levels.push(level);
        if (level === 5 || Math.abs(torusDistance(x, y, z)) > h * Math.sqrt(3)) return;
        for (let c = 0; c < 8; ++c) split(x + (c & 1 ? h : -h) / 2, y + (c & 2 ? h : -h) / 2, z + (c & 4 ? h : -h) / 2, h / 2, level + 1);
    };
    split(0, 0, 0, 1.2, 0);
    return {
        title: 'torus.fathom', subtitle: 'a signed distance field on a grid', kind: 'field', bounds: [-1.2, -1.2, -0.6, 1.2, 1.2, 0.6],
        bodies: [body(writer, 'surface', torus(0.7, 0.28), { info: { 'error bound': '0.0021 m' } })],
        layers: [{ name: 'distance', type: 'volume', box: [...lower, ...lower.map((x, a) => x + span[a])], size, values: writer.f32(values), info: { samples: '56 × 56 × 28' } },
            { name: 'octree', type: 'boxes', boxes: writer.f32(boxes, 6), levels: writer.u8(levels), visible: false }],
    };
});

export const spheres = () => document((writer) => {
    const rows = [], levels = [];
    for (let level = 0; level < 5; ++level) {
        const count = 2 ** (level + 1);
        for (let i = 0; i < count; ++i) {
            const a = (2 * Math.PI * (i + 0.5)) / count;
            rows.push(0.7 * Math.cos(a), 0.7 * Math.sin(a), 0, Math.max(0.7 * Math.sin(Math.PI / count), 0.02) + 0.28);
            levels.push(level);
        }
    }
    return {
        title: 'sphere_tree', subtitle: 'spheres around a torus', kind: 'mesh', bounds: [-1, -1, -0.3, 1, 1, 0.3],
        bodies: [body(writer, 'torus', torus(0.7, 0.28), { pose: [0, 0, 0, Math.SQRT1_2, Math.SQRT1_2, 0, 0] })],
        layers: [{ name: 'sphere tree', type: 'spheres', body: 0, spheres: writer.f32(rows, 4), levels: writer.u8(levels) }],
    };
});

// A body that moves through a ring of posts: its path and its contact intervals.
export function sweep(count = 61) {
    const writer = new PacketWriter();
    const at = (t) => [2.4 * t - 1.2, 0.25 * Math.sin(5 * t), 0.55 + 0.2 * Math.sin(3 * t)];
    const turn = (t) => [Math.cos(t), 0, 0, Math.sin(t)];
    const { places, packets } = framePackets(count, 61, (i) => ({ poses: [[0.1, 0.1, 0.5, 1, 0, 0, 0], [...at(i / (count - 1)), ...turn(i / (count - 1))]] }));
    const steps = Array.from({ length: 101 }, (_, i) => i / 100);
    return [writer.finish({
        title: 'fly_by', subtitle: 'all times at which the body is inside', kind: 'sweep', bounds: [-1.4, -0.8, 0, 1.4, 0.8, 1.1],
        bodies: [body(writer, 'rock', sphere(0.45, 30, bumpy), { fixed: true, pose: [0.1, 0.1, 0.5, 1, 0, 0, 0] }), body(writer, 'ship', torus(0.12, 0.05, 40, 18))],
        layers: [{ name: 'path of the ship', type: 'path', points: writer.f32(steps.flatMap(at), 3), times: writer.f32(steps), intervals: [[0.31, 0.52, 1], [0.6, 0.66, 0]] },
            { name: 'first contact', type: 'contacts', ...contactArrays(writer, [[[-0.3, 0.2, 0.66], [-0.9, 0.25, 0.36], 0.01, 0, 1]]) }],
        frames: { count, times: writer.f64(Array.from({ length: count }, (_, i) => i / (count - 1))), chunks: places }, series: [],
    }), ...packets];
}

export const depth = () => document((writer) => {
    const width = 160, height = 120, depths = [];
    for (let j = 0; j < height; ++j) for (let i = 0; i < width; ++i) {
        const x = ((i + 0.5) / width) * 2.4 - 1.2, y = ((j + 0.5) / height) * 1.8 - 0.9;
        const r = Math.hypot(x, y) - 0.7;
        const torusTop = Math.abs(r) < 0.28 ? Math.sqrt(0.0784 - r * r) : NaN;
        depths.push(Number.isNaN(torusTop) ? (x > 0.2 && y > 0.3 ? 0.9 : NaN) : 0.5 - torusTop);
    }
    return {
        title: 'depth_map', subtitle: 'near side, seen from above', kind: 'depth', bounds: [-1.2, -0.9, -0.5, 1.2, 0.9, 0.5],
        bodies: [], layers: [{ name: 'from above', type: 'depth_map', width, height, depths: writer.f32(depths), pose: [0, 0, 0.5, 0, 1, 0, 0], extent: [-1.2, -0.9, 0, 1.2, 0.9, 1] }],
    };
});

export const live = () => document((writer) => ({
    title: 'live', subtitle: 'drag a body', kind: 'live', live: true, bounds: [-1.2, -0.6, -0.6, 1.2, 0.6, 0.6],
    bodies: [body(writer, 'left', sphere(0.5, 24), { pose: [-0.6, 0, 0, 1, 0, 0, 0] }), body(writer, 'right', box(0.4, 0.4, 0.4), { pose: [0.6, 0, 0, 1, 0, 0, 0] })],
}));
