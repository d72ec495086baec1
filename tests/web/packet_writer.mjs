// A writer of packets for the tests, independent of the library, so that the page is tested against the format.
import { gzipSync } from 'node:zlib';

const align = (n) => Math.ceil(n / 8) * 8;
const types = new Map([[Float32Array, 'f32'], [Float64Array, 'f64'], [Uint32Array, 'u32'], [Uint8Array, 'u8']]);

// Collects arrays; `add` returns the JSON description of an array.
export class PacketWriter {
    parts = [];
    bytes = 0;

    add(values, width = 1) {
        const entry = { type: types.get(values.constructor), width, count: values.length / width, offset: this.bytes };
        this.parts.push({ at: this.bytes, bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) });
        this.bytes = align(this.bytes + values.byteLength);
        return entry;
    }

    f32(values, width = 1) { return this.add(Float32Array.from(values), width); }
    f64(values, width = 1) { return this.add(Float64Array.from(values), width); }
    u32(values, width = 1) { return this.add(Uint32Array.from(values), width); }
    u8(values, width = 1) { return this.add(Uint8Array.from(values), width); }

    finish(json) {
        let text = new TextEncoder().encode(JSON.stringify(json));
        const length = align(12 + text.length) - 12;
        const packet = new Uint8Array(12 + length + this.bytes).fill(32, 0, 12 + length);
        packet.set([0x46, 0x54, 0x48, 0x4d]);
        const view = new DataView(packet.buffer);
        view.setUint32(4, 1, true);
        view.setUint32(8, length, true);
        packet.set(text, 12);
        for (const part of this.parts) packet.set(part.bytes, 12 + length + part.at);
        return packet;
    }
}

// A page that contains its packets, as `fathom view --html` writes it.
export function embed(page, packets) {
    const scripts = packets.map((packet, k) =>
        `<script type="application/x-fathom" data-packet="${k}">${Buffer.from(gzipSync(packet)).toString('base64')}</script>`);
    return page.replace('<!-- packets -->', () => scripts.join('\n'));
}
