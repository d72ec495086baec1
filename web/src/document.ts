// The reader of the document (packet 0). Only this file depends on its layout; the rest of the page uses checked, typed values.
import { readLayer, type LayerData } from './layer_data';
import type { Numbers, Packet } from './packets';
import {
    checkFinite, checkIndices, FormatError, integer, list, numbers, object, readInfo, readPose, words, type Info, type Json, type JsonObject, type Pose,
} from './values';

export type Up = 'y' | 'z';
export type Bounds = number[]; // lower x, y, z, upper x, y, z

export interface BodyData {
    name: string;
    fixed: boolean;
    color?: [number, number, number];
    vertices: Numbers<'f32'>;
    triangles: Numbers<'u32'>; // empty: points only
    tetrahedra?: Numbers<'u32'>;
    cloud: boolean;
    glass: boolean;
    pose: Pose;
    info: Info;
}

export interface ChunkPlace { packet: number; first: number; count: number }

export interface Series { name: string; unit: string; group: string; values: Numbers<'f64'> }

export interface ViewerDocument {
    title: string;
    subtitle: string;
    kind: string;
    bounds: Bounds;
    up: Up; // initial up axis
    bodies: BodyData[];
    layers: LayerData[];
    times: Numbers<'f64'>; // one per frame; empty without frames
    chunks: ChunkPlace[];
    series: Series[];
    live: boolean;
}

export function readDocument(packet: Packet): ViewerDocument {
    const json = packet.json;
    const bodies = list(json.bodies ?? [], 'bodies').map((body, i) => readBody(packet, object(body, `body ${i}`), i));
    const { times, chunks } = readFrames(packet, json.frames);
    const layers = list(json.layers ?? [], 'layers').map((layer, i) => readLayer(packet, object(layer, `layer ${i}`), i, bodies.length));
    return {
        title: words(json.title, 'Fathom'),
        subtitle: words(json.subtitle, ''),
        kind: words(json.kind, ''),
        bounds: readBounds(json.bounds, bodies),
        up: json.up === 'y' ? 'y' : 'z',
        bodies,
        layers,
        times,
        chunks,
        series: readSeries(packet, json.series, times.length),
        live: json.live === true,
    };
}

function readBody(packet: Packet, json: JsonObject, index: number): BodyData {
    const name = words(json.name, `body ${index}`);
    const vertices = packet.array(json.vertices, 'f32', 3, `the vertices of ${name}`);
    const triangles = json.triangles ? packet.array(json.triangles, 'u32', 3, `the triangles of ${name}`) : new Uint32Array();
    const tetrahedra = json.tetrahedra ? packet.array(json.tetrahedra, 'u32', 4, `the tetrahedra of ${name}`) : undefined;
    checkFinite(vertices, `the vertices of ${name}`);
    checkIndices(triangles, vertices.length / 3, `the triangles of ${name}`);
    if (tetrahedra) checkIndices(tetrahedra, vertices.length / 3, `the tetrahedra of ${name}`);
    return {
        name,
        fixed: json.fixed === true,
        color: json.color ? (numbers(json.color, 3, `the colour of ${name}`) as [number, number, number]) : undefined,
        vertices,
        triangles,
        tetrahedra,
        cloud: json.cloud === true || triangles.length === 0,
        glass: json.glass === true,
        pose: readPose(json.pose ?? [0, 0, 0, 1, 0, 0, 0], `the pose of ${name}`),
        info: readInfo(json.info),
    };
}

function readFrames(packet: Packet, value: Json | undefined): { times: Numbers<'f64'>; chunks: ChunkPlace[] } {
    if (value === undefined || value === null) return { times: new Float64Array(), chunks: [] };
    const json = object(value, 'frames');
    const count = integer(json.count, 'the number of frames');
    const times = packet.array(json.times, 'f64', 1, 'the times of the frames');
    if (times.length !== count) throw new FormatError(`expected ${count} times, one per frame, got ${times.length}`);
    checkFinite(times, 'the times of the frames');
    const chunks = list(json.chunks, 'the chunks of frames').map((item, i) => {
        const chunk = object(item, `chunk ${i}`);
        return {
            packet: integer(chunk.packet, `the packet of chunk ${i}`),
            first: integer(chunk.first, `the first frame of chunk ${i}`),
            count: integer(chunk.count, `the number of frames of chunk ${i}`),
        };
    });
    let next = 0;
    for (const chunk of chunks) {
        if (chunk.first !== next || chunk.count === 0) throw new FormatError(`the chunks of frames leave a gap at frame ${next}`);
        next += chunk.count;
    }
    if (next !== count) throw new FormatError(`expected ${count} frames in the chunks, got ${next}`);
    return { times, chunks };
}

function readSeries(packet: Packet, value: Json | undefined, frames: number): Series[] {
    return list(value ?? [], 'series').map((item, i) => {
        const json = object(item, `series ${i}`);
        const name = words(json.name, `series ${i}`);
        const values = packet.array(json.values, 'f64', 1, `the values of ${name}`);
        if (values.length !== frames) throw new FormatError(`${name}: expected ${frames} values, one per frame, got ${values.length}`);
        return { name, unit: words(json.unit, ''), group: words(json.group, name), values };
    });
}

// The bounds of the document, or those of the bodies if it has none.
function readBounds(value: Json | undefined, bodies: BodyData[]): Bounds {
    if (value !== undefined && value !== null) {
        const bounds = numbers(value, 6, 'bounds');
        if (bounds[0] > bounds[3] || bounds[1] > bounds[4] || bounds[2] > bounds[5]) throw new FormatError('bounds: the lower corner exceeds the upper corner');
        return bounds;
    }
    const bounds = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (const { vertices, pose } of bodies) {
        for (let i = 0; i < vertices.length; ++i) {
            const x = vertices[i] + pose[i % 3];
            bounds[i % 3] = Math.min(bounds[i % 3], x);
            bounds[(i % 3) + 3] = Math.max(bounds[(i % 3) + 3], x);
        }
    }
    return Number.isFinite(bounds[0]) ? bounds : [-1, -1, -1, 1, 1, 1];
}
