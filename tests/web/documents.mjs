// Why: one document of each kind, as the library would write them, from generated shapes.
import { PacketWriter } from './packet_writer.mjs';
import { box, sphere, tetBlock, torus } from './shapes.mjs';

const still = [0, 0, 0, 1, 0, 0, 0];

export function body(writer, name, shape, more = {}) {
    return {
        name, vertices: writer.f32(shape.vertices, 3), ...(shape.triangles ? { triangles: writer.u32(shape.triangles, 3) } : {}),
        ...(shape.tetrahedra ? { tetrahedra: writer.u32(shape.tetrahedra, 4) } : {}), pose: still, ...more,
    };
}

export function mesh() {
    const writer = new PacketWriter();
    const shape = torus(1, 0.4);
    return [writer.finish({
        title: 'torus', subtitle: 'a generated mesh', kind: 'mesh', bounds: [-1.4, -1.4, -0.4, 1.4, 1.4, 0.4],
        bodies: [body(writer, 'torus', shape, { info: { triangles: shape.triangles.length / 3, volume: '3.158 m3', closed: 'yes' } })], layers: [],
    })];
}
