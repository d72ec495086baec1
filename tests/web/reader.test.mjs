// Claims about the reader of packets, without a browser: it reads valid packets, and reports the error of invalid ones.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as documents from './documents.mjs';
import { PacketWriter } from './packet_writer.mjs';
import { load } from './support.mjs';

let page;
before(async () => { page = await load('packets', 'values', 'document', 'frames', 'playback', 'surface', 'tetrahedra', 'live_data', 'numbers'); });

const read = (bytes) => page.readDocument(new page.Packet(bytes, 'packet 0'));
const random = (seed) => () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;

test('every kind of document is read', () => {
    for (const name of ['mesh', 'recording', 'deforming', 'tetrahedra', 'field', 'spheres', 'sweep', 'depth', 'live']) {
        const packets = documents[name]();
        const data = read(packets[0]);
        assert.equal(data.bounds.length, 6, name);
        data.chunks.forEach(({ packet, first, count }) => assert.equal(page.readChunk(new page.Packet(packets[packet]), first, count, data).frames.length, count));
    }
});

test('numbers are read as they were written', () => {
    const [bytes] = documents.mesh();
    const data = read(bytes);
    assert.equal(data.bodies[0].triangles.length, 3 * 3584);
    assert.ok(Math.abs(data.bodies[0].vertices[0] - 1.4) < 1e-6);
    assert.deepEqual(data.bodies[0].info[0], ['triangles', '3584']);
});

test('a packet at an unaligned position in memory is read', () => {
    const [bytes] = documents.mesh();
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    assert.equal(read(shifted.subarray(3)).title, 'torus');
});

const refuses = (bytes, words) => assert.throws(() => read(bytes), (error) => error instanceof page.FormatError && words.test(error.message));
const changed = (change) => {
    const writer = new PacketWriter();
    const json = { title: 'x', bounds: [0, 0, 0, 1, 1, 1], bodies: [documents.body(writer, 'box', { vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] })] };
    change(json, writer);
    return writer.finish(json);
};

test('data that is not a packet is rejected with a reason', () => {
    const [bytes] = documents.mesh();
    const edit = (at, value) => { const copy = bytes.slice(); copy[at] = value; return copy; };
    refuses(new Uint8Array(4), /fewer than a header/);
    refuses(edit(0, 65), /does not begin with FTHM/);
    refuses(edit(4, 9), /version 9/);
    refuses(edit(11, 255), /but only \d+ follow/);
    refuses(edit(12, 0), /does not contain valid JSON/);
    refuses(bytes.subarray(0, bytes.length - 64), /but there are/);
});

test('wrong counts, offsets, indices and numbers are rejected with a reason', () => {
    refuses(changed((json) => { json.bodies[0].vertices.count = 1e9; }), /ends at byte/);
    refuses(changed((json) => { json.bodies[0].vertices.count = -1; }), /count of the vertices of box: expected a non-negative integer, got -1/);
    refuses(changed((json) => { json.bodies[0].vertices.count = 2 ** 60; }), /count of the vertices/);
    refuses(changed((json) => { json.bodies[0].vertices.offset = 4; }), /not a multiple of 8/);
    refuses(changed((json) => { json.bodies[0].vertices.type = 'f16'; }), /expected type f32/);
    refuses(changed((json) => { json.bodies[0].vertices.width = 4; }), /expected width 3/);
    refuses(changed((json, writer) => { json.bodies[0].triangles = writer.u32([0, 1, 3], 3); }), /refer to vertex 3, but there are 3 vertices/);
    refuses(changed((json, writer) => { json.bodies[0].vertices = writer.f32([NaN, 0, 0, 1, 0, 0, 0, 1, 0], 3); }), /not finite/);
    refuses(changed((json) => { json.bodies[0].pose = [0, 0, 0, 0, 0, 0, 0]; }), /quaternion has length zero/);
    refuses(changed((json) => { json.bounds = [1, 0, 0, 0, 1, 1]; }), /lower corner exceeds the upper corner/);
    refuses(changed((json) => { json.bodies = 'many'; }), /expected a list/);
    refuses(changed((json) => { json.layers = [{ type: 'constructor' }]; }), /unknown type/);
    refuses(changed((json) => { json.layers = [{ type: 'volume', size: [2, 2, 1], box: [0, 0, 0, 1, 1, 1], values: {} }]; }), /expected type f32/);
    refuses(changed((json, writer) => { json.layers = [{ type: 'depth_map', width: 9, height: 9, depths: writer.f32([1]), extent: [0, 0, 0, 1, 1, 1] }]; }), /differ in number: 1 and 81/);
    refuses(changed((json, writer) => { json.frames = { count: 2, times: writer.f64([0, 1]), chunks: [{ packet: 1, first: 1, count: 1 }] }; }), /leave a gap at frame 0/);
    refuses(changed((json, writer) => { json.frames = { count: 1, times: writer.f64([0]), chunks: [{ packet: 1, first: 0, count: 1 }] }; json.series = [{ values: writer.f64([1, 2]) }]; }), /expected 1 values, one per frame, got 2/);
});

test('randomly changed bytes give a document or a format error, and no other error', () => {
    const seeds = ['mesh', 'sweep', 'depth'].map((name) => documents[name]()[0]);
    const next = random(7);
    let whole = 0, refused = 0;
    for (let round = 0; round < 600; ++round) {
        const copy = seeds[round % seeds.length].slice();
        const reach = round % 2 ? copy.length : Math.min(copy.length, 1200);
        for (let k = 0; k < 1 + (round % 3); ++k) copy[Math.floor(next() * reach)] = Math.floor(next() * 256);
        try {
            read(copy);
            ++whole;
        } catch (error) {
            assert.ok(error instanceof page.FormatError, error.stack);
            ++refused;
        }
    }
    assert.ok(whole > 100 && refused > 100, `${whole} read, ${refused} rejected`);
});

test('chunks are loaded on demand, with one request each, and the oldest are discarded', async () => {
    const packets = documents.recording(120, 10);
    const data = read(packets[0]);
    const asked = [];
    const store = new page.FrameStore(data, { load: async (packet) => { asked.push(packet); return packets[packet]; } }, 3 * packets[1].length);
    await Promise.all([store.get(0), store.get(5), store.get(9)]);
    assert.deepEqual(asked, [1]);
    for (let frame = 0; frame < 120; frame += 10) await store.get(frame);
    assert.ok(store.held <= 3, `${store.held} chunks held`);
    assert.equal(store.ready(0), undefined);
    assert.ok(store.ready(119));
    await store.get(0);
    assert.equal(asked.filter((packet) => packet === 1).length, 2);
});

test('a chunk with other frames, too few poses or an unknown body is rejected', () => {
    const packets = documents.recording(20, 10);
    const data = read(packets[0]);
    const chunk = (k, first) => page.readChunk(new page.Packet(packets[k], 'packet'), first, 10, data);
    assert.throws(() => chunk(2, 0), /got other frames/);
    const writer = new PacketWriter();
    const refusesChunk = (json, words) => assert.throws(() => page.readChunk(new page.Packet(writer.finish(json)), 0, 10, data), words);
    refusesChunk({ first: 0, count: 10, poses: writer.f32([0, 0, 0, 1, 0, 0, 0], 7) }, /expected 40 poses \(10 frames of 4 bodies\), got 1/);
    const poses = writer.f32(Array.from({ length: 40 }, () => [0, 0, 0, 1, 0, 0, 0]).flat(), 7);
    refusesChunk({ first: 0, count: 10, poses, deformed: { 4: {} } }, /the index of a deformed body: expected an integer from 0 to 3, got 4/);
    refusesChunk({ first: 0, count: 10, poses, deformed: { x: {} } }, /the index of a deformed body/);
    refusesChunk({ first: 0, count: 10, poses, contacts: [null] }, /expected 10 entries, one per frame, got 1/);
    const ten = (value) => Array.from({ length: 10 }, () => value);
    const [three, two] = [writer.f32([0, 0, 0, 1, 0, 0, 0, 1, 0], 3), writer.u8([1, 2])];
    refusesChunk({ first: 0, count: 10, poses, deformed: { 1: { vertices: ten(three), triangles: ten(writer.u32([0, 1, 2], 3)), shades: ten(two) } } }, /expected 3 shades, one per point, got 2/);
});

test('playback follows the times of the frames, does not jump, and loops', () => {
    const playback = new page.Playback([0, 0.5, 1, 3]);
    playback.play(true);
    for (let i = 0; i < 6; ++i) playback.advance(0.1);
    assert.equal(playback.frame, 1);
    for (let i = 0; i < 20; ++i) playback.advance(0.1);
    assert.equal(playback.frame, 2);
    playback.advance(100); // a page that was suspended
    assert.equal(playback.frame, 2, 'no jump');
    const seen = new Set();
    for (let i = 0; i < 20; ++i) { playback.advance(0.1); seen.add(playback.frame); }
    assert.ok(seen.has(3) && seen.has(0), 'the last frame is shown, then the first again');
    playback.loop = false;
    for (let i = 0; i < 60; ++i) playback.advance(0.1);
    assert.deepEqual([playback.frame, playback.playing], [3, false]);
    for (let frame = 0; frame < 4; ++frame) { playback.seek(frame); assert.equal(playback.frame, frame); }
    assert.ok(new page.Playback([0, 1e-4]).speed < 0.1, 'very short recordings are played slowly');
});

test('edges of a box stay sharp, a sphere is smooth', async () => {
    const { box, sphere } = await import('./shapes.mjs');
    const normals = ({ vertices, triangles }) => page.unfold(Float32Array.from(vertices), new page.Fans(Uint32Array.from(triangles), vertices.length / 3)).normals;
    for (const value of normals(box(1, 1, 1))) assert.ok([0, 1].includes(Math.abs(value)));
    const ball = sphere(1, 24);
    const found = normals(ball);
    ball.triangles.forEach((vertex, i) => {
        const along = [0, 1, 2].reduce((sum, k) => sum + found[3 * i + k] * ball.vertices[3 * vertex + k], 0);
        assert.ok(along > 0.98, `${along}`);
    });
});

test('a cut keeps whole tetrahedra, and their faces enclose a volume', async () => {
    const { tetBlock } = await import('./shapes.mjs');
    const block = tetBlock(4, 1);
    const vertices = Float32Array.from(block.vertices), tetrahedra = Uint32Array.from(block.tetrahedra);
    const behind = page.neighbours(tetrahedra, vertices.length / 3);
    assert.equal(behind.filter((other) => other < 0).length, block.triangles.length / 3);
    for (const [constant, shrink, volume] of [[2, 0, 8], [2, 0.5, 1], [0, 0, 4], [-2, 0, 0]]) {
        const cut = page.cutOpen(vertices, tetrahedra, behind, { normal: { x: 1, y: 0, z: 0 }, constant }, shrink);
        let sum = 0;
        for (let t = 0; t < cut.positions.length; t += 9) {
            const [a, b, c] = [0, 3, 6].map((k) => cut.positions.subarray(t + k, t + k + 3));
            sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
        }
        assert.ok(Math.abs(sum - volume) < 0.35, `expected ${volume}, got ${sum}`);
    }
});

test('responses of the live server are checked', () => {
    const good = { poses: [[0, 0, 0, 1, 0, 0, 0]], contacts: { positions: [[0, 0, 0]], normals: [[0, 0, 1]], depths: [0.1], bodies: [[0, 0]] }, pairs: [{ a: 0, b: 0, status: 'disjoint' }] };
    assert.equal(page.readLive(good, 1).contacts.depths[0], 0.1);
    assert.throws(() => page.readLive(good, 2), /expected the poses of 2 bodies, got 1/);
    assert.throws(() => page.readLive({ ...good, contacts: { ...good.contacts, depths: [] } }, 1), /differ in number/);
    assert.throws(() => page.readLive({ ...good, pairs: [{ a: 5, b: 0 }] }, 1), /a body of a pair/);
    assert.throws(() => page.readLive('no', 1), /expected an object/);
});

test('numbers are formatted with four digits', () => {
    assert.deepEqual([0, 1.23456789, -0.5, 1e9, 3.2e-7, NaN, 0.1 + 0.2].map((x) => page.digits(x)), ['0', '1.235', '−0.5', '1.00e9', '3.20e−7', 'none', '0.3']);
    assert.deepEqual([0.3, 1.4, 7.6, 0.06].map((x) => Number(page.roundStep(x).toPrecision(6))), [0.2, 1, 10, 0.05]);
});
