// The frames of a recording, which may be larger than memory: chunks are loaded on demand and the least recently used are discarded.
import type { ViewerDocument } from './document';
import { readContacts, type Contacts } from './layer_data';
import { Packet, type Numbers } from './packets';
import type { PacketSource } from './sources';
import { checkFinite, checkIndices, FormatError, integer, list, object, type Json } from './values';

// Shades belong to clouds, one per vertex.
export interface Shape { vertices: Numbers<'f32'>; triangles?: Numbers<'u32'>; tetrahedra?: Numbers<'u32'>; shades?: Numbers<'u8'> }

export interface Frame {
    poses: Numbers<'f32'>;            // seven numbers per body
    deformed: Map<number, Shape>;     // in the world frame: the pose of these bodies is not applied
    contacts?: Contacts;
}

interface Chunk { bytes: number; frames: Frame[] }

const cacheBytes = 128 << 20;

export class FrameStore {
    private readonly chunks = new Map<number, Chunk>(); // by index in document.chunks, least recently used first
    private readonly waiting = new Map<number, Promise<Chunk>>();

    constructor(private readonly document: ViewerDocument, private readonly source: PacketSource, private readonly limit = cacheBytes) {}

    get count(): number { return this.document.times.length; }
    get held(): number { return this.chunks.size; }

    // The frame, if it is loaded.
    ready(frame: number): Frame | undefined {
        const place = this.place(frame);
        const chunk = this.chunks.get(place);
        if (!chunk) return undefined;
        this.chunks.delete(place);
        this.chunks.set(place, chunk);
        return chunk.frames[frame - this.document.chunks[place].first];
    }

    async get(frame: number): Promise<Frame> {
        const place = this.place(frame);
        const chunk = this.chunks.get(place) ?? (await this.load(place));
        return chunk.frames[frame - this.document.chunks[place].first];
    }

    // Loads the chunk after the one of this frame, so that playback does not wait. An error is reported when the frame is requested.
    readAhead(frame: number): void {
        const next = (this.place(frame) + 1) % this.document.chunks.length;
        if (!this.chunks.has(next) && !this.waiting.has(next)) this.load(next).catch(() => undefined);
    }

    private place(frame: number): number {
        let low = 0;
        let high = this.document.chunks.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.document.chunks[middle].first <= frame) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    private load(place: number): Promise<Chunk> {
        const known = this.waiting.get(place);
        if (known) return known;
        const { packet, first, count } = this.document.chunks[place];
        const loading = this.source
            .load(packet)
            .then((bytes) => readChunk(new Packet(bytes, `packet ${packet}`), first, count, this.document))
            .then((chunk) => this.keep(place, chunk))
            .finally(() => this.waiting.delete(place));
        this.waiting.set(place, loading);
        return loading;
    }

    private keep(place: number, chunk: Chunk): Chunk {
        this.chunks.set(place, chunk);
        let total = 0;
        for (const { bytes } of this.chunks.values()) total += bytes;
        for (const [old, { bytes }] of this.chunks) {
            if (total <= this.limit || this.chunks.size <= 2) break;
            this.chunks.delete(old);
            total -= bytes;
        }
        return chunk;
    }
}

export function readChunk(packet: Packet, first: number, count: number, document: ViewerDocument): Chunk {
    const { json } = packet;
    const bodies = document.bodies.length;
    if (integer(json.first, 'first') !== first || integer(json.count, 'count') !== count) {
        packet.fail(`expected the ${count} frames from frame ${first} that the document announces, got other frames`);
    }
    const poses = packet.array(json.poses, 'f32', 7, 'the poses');
    if (poses.length !== count * bodies * 7) packet.fail(`expected ${count * bodies} poses (${count} frames of ${bodies} bodies), got ${poses.length / 7}`);
    checkFinite(poses, `the poses of ${packet.name}`);
    const contacts = json.contacts ? perFrame(json.contacts, count, `the contacts of ${packet.name}`) : [];
    const frames = Array.from({ length: count }, (_, i): Frame => ({
        poses: poses.subarray(i * bodies * 7, (i + 1) * bodies * 7),
        deformed: new Map(),
        contacts: contacts[i] ? readContacts(packet, object(contacts[i], 'contacts'), `frame ${first + i}`, bodies) : undefined,
    }));
    for (const [key, value] of Object.entries(object(json.deformed ?? {}, 'deformed'))) {
        const body = integer(Number(key), 'the index of a deformed body', bodies);
        readDeformed(packet, value, body, frames, first, document);
    }
    return { bytes: packet.bytes, frames };
}

function readDeformed(packet: Packet, value: Json, body: number, frames: Frame[], first: number, document: ViewerDocument): void {
    const { name, triangles: usual } = document.bodies[body];
    const json = object(value, `the deformed ${name}`);
    const of = (key: string) => (json[key] ? perFrame(json[key], frames.length, `${key} of the deformed ${name}`) : []);
    const vertices = of('vertices');
    const triangles = of('triangles');
    const tetrahedra = of('tetrahedra');
    const shades = of('shades');
    frames.forEach((frame, i) => {
        if (!vertices[i]) return;
        const where = `${name} in frame ${first + i}`;
        const shape: Shape = { vertices: packet.array(vertices[i], 'f32', 3, `the vertices of ${where}`) };
        checkFinite(shape.vertices, `the vertices of ${where}`);
        if (triangles[i]) shape.triangles = packet.array(triangles[i], 'u32', 3, `the triangles of ${where}`);
        if (tetrahedra[i]) shape.tetrahedra = packet.array(tetrahedra[i], 'u32', 4, `the tetrahedra of ${where}`);
        if (shades[i]) shape.shades = packet.array(shades[i], 'u8', 1, `the shades of ${where}`);
        if (shape.shades && 3 * shape.shades.length !== shape.vertices.length) throw new FormatError(`${where}: expected ${shape.vertices.length / 3} shades, one per point, got ${shape.shades.length}`);
        checkIndices(shape.triangles ?? usual, shape.vertices.length / 3, `the triangles of ${where}`);
        if (shape.tetrahedra) checkIndices(shape.tetrahedra, shape.vertices.length / 3, `the tetrahedra of ${where}`);
        frame.deformed.set(body, shape);
    });
}

function perFrame(value: Json, count: number, what: string): Json[] {
    const items = list(value, what);
    if (items.length !== count) throw new FormatError(`${what}: expected ${count} entries, one per frame, got ${items.length}`);
    return items;
}
