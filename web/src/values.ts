// Conversion of JSON values to typed values. A FormatError describes a value that is not as expected.

export class FormatError extends Error {
    override name = 'FormatError';
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type Pose = number[]; // tx, ty, tz, qw, qx, qy, qz
export type Info = [label: string, value: string][];

export function show(value: Json | undefined): string {
    const text = value === undefined ? 'missing' : JSON.stringify(value);
    return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

export function object(value: Json | undefined, what: string): JsonObject {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
        throw new FormatError(`${what}: expected an object, got ${show(value)}`);
    }
    return value;
}

export function list(value: Json | undefined, what: string): Json[] {
    if (!Array.isArray(value)) throw new FormatError(`${what}: expected a list, got ${show(value)}`);
    return value;
}

export function integer(value: Json | undefined, what: string, limit = Number.MAX_SAFE_INTEGER): number {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value >= limit) {
        throw new FormatError(`${what}: expected an integer from 0 to ${limit - 1}, got ${show(value)}`);
    }
    return value;
}

// A list of exactly `count` finite numbers.
export function numbers(value: Json | undefined, count: number, what: string): number[] {
    const found = list(value, what);
    if (found.length !== count || !found.every((x) => typeof x === 'number' && Number.isFinite(x))) {
        throw new FormatError(`${what}: expected ${count} finite numbers, got ${show(value)}`);
    }
    return found as number[];
}

export function words(value: Json | undefined, otherwise: string): string {
    return typeof value === 'string' ? value : otherwise;
}

// A pose with a normalized quaternion.
export function readPose(value: Json | undefined, what: string): Pose {
    const pose = numbers(value, 7, what);
    const length = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
    if (length < 1e-6) throw new FormatError(`${what}: the quaternion has length zero`);
    return pose.map((x, i) => (i < 3 ? x : x / length));
}

export function readInfo(value: Json | undefined): Info {
    if (value === undefined || value === null) return [];
    return Object.entries(object(value, 'info')).map(([label, x]) => [label, typeof x === 'string' ? x : JSON.stringify(x)]);
}

export function checkFinite(values: ArrayLike<number>, what: string): void {
    for (let i = 0; i < values.length; ++i) {
        if (!Number.isFinite(values[i])) throw new FormatError(`${what} contain a value that is not finite (row ${Math.floor(i / 3)})`);
    }
}

export function checkIndices(indices: ArrayLike<number>, count: number, what: string): void {
    for (let i = 0; i < indices.length; ++i) {
        if (indices[i] >= count) throw new FormatError(`${what} refer to vertex ${indices[i]}, but there are ${count} vertices`);
    }
}
