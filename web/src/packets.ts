// The reader of packets, which come from files and servers and are not trusted: everything is checked before arrays are created.
import { FormatError, object, show, type Json, type JsonObject } from './values';

const kinds = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, u8: Uint8Array } as const;
export type Kind = keyof typeof kinds;
export type Numbers<K extends Kind = Kind> = InstanceType<(typeof kinds)[K]>;

const magic = 'FTHM';
const version = 1;
const headerBytes = 12;

// A packet: its JSON, and the arrays that the JSON refers to.
export class Packet {
    readonly json: JsonObject;
    readonly bytes: number;
    private readonly binary: Uint8Array;

    constructor(bytes: Uint8Array, readonly name = 'packet') {
        // Arrays are read in place, which requires aligned data.
        if (bytes.byteOffset % 8 !== 0) bytes = bytes.slice();
        this.bytes = bytes.byteLength;
        if (bytes.byteLength < headerBytes) this.fail(`has ${bytes.byteLength} bytes, fewer than a header`);
        const found = String.fromCharCode(...bytes.subarray(0, 4));
        if (found !== magic) this.fail('is not a Fathom packet (it does not begin with FTHM)');
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        if (view.getUint32(4, true) !== version) {
            this.fail(`has version ${view.getUint32(4, true)}; this page reads version ${version}`);
        }
        const length = view.getUint32(8, true);
        if (length > bytes.byteLength - headerBytes) {
            this.fail(`declares ${length} bytes of JSON, but only ${bytes.byteLength - headerBytes} follow`);
        }
        this.json = this.parse(bytes.subarray(headerBytes, headerBytes + length));
        this.binary = bytes.subarray(Math.min(align(headerBytes + length), bytes.byteLength));
    }

    // The numbers of an array; `what` is its name in error messages.
    array<K extends Kind>(value: Json | undefined, type: K, width: number, what: string): Numbers<K> {
        const said = object(value, `${this.name}: ${what}`);
        if (said.type !== type) this.fail(`${what}: expected type ${type}, got ${show(said.type)}`);
        if (said.width !== width) this.fail(`${what}: expected width ${width}, got ${show(said.width)}`);
        const count = this.count(said.count, `the count of ${what}`);
        const offset = this.count(said.offset, `the offset of ${what}`);
        if (offset % 8 !== 0) this.fail(`the offset of ${what} is ${offset}, not a multiple of 8`);
        const make = kinds[type];
        const size = count * width * make.BYTES_PER_ELEMENT;
        if (offset + size > this.binary.byteLength) {
            this.fail(`${what} ends at byte ${offset + size}, but there are ${this.binary.byteLength} bytes`);
        }
        return new make(this.binary.buffer as ArrayBuffer, this.binary.byteOffset + offset, count * width) as Numbers<K>;
    }

    fail(reason: string): never {
        throw new FormatError(`${this.name}: ${reason}`);
    }

    private count(value: Json | undefined, what: string): number {
        if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) this.fail(`${what}: expected a non-negative integer, got ${show(value)}`);
        return value;
    }

    private parse(text: Uint8Array): JsonObject {
        let value: Json;
        try {
            value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
        } catch (error) {
            this.fail(`does not contain valid JSON (${(error as Error).message})`);
        }
        return object(value, `${this.name}: the JSON`);
    }
}

const align = (offset: number) => Math.ceil(offset / 8) * 8;
