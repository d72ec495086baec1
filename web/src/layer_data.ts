// The readers of the overlays, with checks: a table with one reader per type.
import type { Numbers, Packet } from './packets';
import { checkFinite, FormatError, integer, list, numbers, readInfo, readPose, words, type Info, type JsonObject, type Pose } from './values';

interface Common { name: string; body?: number; visible: boolean; info: Info }

export interface BoxesData extends Common { type: 'boxes'; boxes: Numbers<'f32'>; levels: Numbers<'u8'> }
export interface SpheresData extends Common { type: 'spheres'; spheres: Numbers<'f32'>; levels: Numbers<'u8'> }
export interface CollidingInterval { start: number; end: number; proven: boolean }
export interface PathData extends Common { type: 'path'; points: Numbers<'f32'>; times: Numbers<'f32'>; intervals: CollidingInterval[]; judged: boolean }
export interface Contacts { positions: ArrayLike<number>; normals: ArrayLike<number>; depths: ArrayLike<number>; bodies: ArrayLike<number> }
export interface ContactsData extends Common { type: 'contacts'; contacts: Contacts }
export interface VolumeData extends Common { type: 'volume'; box: number[]; size: number[]; values: Numbers<'f32'> }
export interface DepthMapData extends Common {
    type: 'depth_map'; width: number; height: number; depths: Numbers<'f32'>; pose: Pose; extent: number[];
}
export type LayerData = BoxesData | SpheresData | PathData | ContactsData | VolumeData | DepthMapData;

type Reader = (packet: Packet, json: JsonObject, common: Common, bodies: number) => LayerData;

const readers: Record<LayerData['type'], Reader> = {
    boxes(packet, json, common) {
        const boxes = packet.array(json.boxes, 'f32', 6, `the boxes of ${common.name}`);
        checkFinite(boxes, `the boxes of ${common.name}`);
        return { ...common, type: 'boxes', boxes, levels: levels(packet, json, common.name, boxes.length / 6) };
    },
    spheres(packet, json, common) {
        const spheres = packet.array(json.spheres, 'f32', 4, `the spheres of ${common.name}`);
        checkFinite(spheres, `the spheres of ${common.name}`);
        return { ...common, type: 'spheres', spheres, levels: levels(packet, json, common.name, spheres.length / 4) };
    },
    path(packet, json, common) {
        const points = packet.array(json.points, 'f32', 3, `the points of ${common.name}`);
        const times = packet.array(json.times, 'f32', 1, `the times of ${common.name}`);
        checkFinite(points, `the points of ${common.name}`);
        same(times.length, points.length / 3, `times and points of ${common.name}`);
        for (let i = 0; i < times.length; ++i) {
            if (!(i === 0 ? Number.isFinite(times[0]) : times[i] >= times[i - 1])) throw new FormatError(`the times of ${common.name} do not increase`);
        }
        const intervals = list(json.intervals ?? [], `the intervals of ${common.name}`).map((item) => {
            const [start, end, proven] = numbers(item, 3, `an interval of ${common.name}`);
            return { start, end, proven: proven !== 0 };
        });
        return { ...common, type: 'path', points, times, intervals, judged: json.intervals !== undefined };
    },
    contacts(packet, json, common, bodies) {
        return { ...common, type: 'contacts', contacts: readContacts(packet, json, common.name, bodies) };
    },
    volume(packet, json, common) {
        const size = numbers(json.size, 3, `the size of ${common.name}`).map((n) => integer(n, `the size of ${common.name}`, 1 << 16));
        const values = packet.array(json.values, 'f32', 1, `the values of ${common.name}`);
        if (size.some((n) => n < 2)) throw new FormatError(`${common.name} needs at least two samples along each axis`);
        same(values.length, size[0] * size[1] * size[2], `values and size of ${common.name}`);
        return { ...common, type: 'volume', box: extent(json, 'box', common.name), size, values };
    },
    depth_map(packet, json, common) {
        const width = integer(json.width, `the width of ${common.name}`, 1 << 16);
        const height = integer(json.height, `the height of ${common.name}`, 1 << 16);
        const depths = packet.array(json.depths, 'f32', 1, `the depths of ${common.name}`);
        if (width < 1 || height < 1) throw new FormatError(`${common.name} has no pixels`);
        same(depths.length, width * height, `depths and pixels of ${common.name}`);
        const pose = readPose(json.pose ?? [0, 0, 0, 1, 0, 0, 0], `the pose of ${common.name}`);
        return { ...common, type: 'depth_map', width, height, depths, pose, extent: extent(json, 'extent', common.name) };
    },
};

export function readLayer(packet: Packet, json: JsonObject, index: number, bodies: number): LayerData {
    const type = words(json.type, '');
    if (!Object.hasOwn(readers, type)) throw new FormatError(`layer ${index}: unknown type '${type}'`);
    const common: Common = {
        name: words(json.name, type),
        body: json.body === undefined || json.body === null ? undefined : integer(json.body, `the body of layer ${index}`, bodies),
        visible: json.visible !== false,
        info: readInfo(json.info),
    };
    return readers[type as LayerData['type']](packet, json, common, bodies);
}

export function readContacts(packet: Packet, json: JsonObject, where: string, bodies: number): Contacts {
    const contacts = {
        positions: packet.array(json.positions, 'f32', 3, `contact positions of ${where}`),
        normals: packet.array(json.normals, 'f32', 3, `contact normals of ${where}`),
        depths: packet.array(json.depths, 'f32', 1, `contact depths of ${where}`),
        bodies: packet.array(json.bodies, 'u32', 2, `contact bodies of ${where}`),
    };
    checkContacts(contacts, where, bodies);
    return contacts;
}

export function checkContacts(contacts: Contacts, where: string, bodies: number): void {
    const count = contacts.depths.length;
    same(contacts.positions.length, 3 * count, `contact positions and depths of ${where}`);
    same(contacts.normals.length, 3 * count, `contact normals and depths of ${where}`);
    same(contacts.bodies.length, 2 * count, `contact bodies and depths of ${where}`);
    checkFinite(contacts.positions, `contact positions of ${where}`);
    checkFinite(contacts.normals, `contact normals of ${where}`);
    for (let i = 0; i < 2 * count; ++i) {
        if (contacts.bodies[i] >= bodies) throw new FormatError(`a contact of ${where} refers to body ${contacts.bodies[i]}, but there are ${bodies} bodies`);
    }
}

function levels(packet: Packet, json: JsonObject, name: string, count: number): Numbers<'u8'> {
    if (json.levels === undefined) return new Uint8Array(count);
    const found = packet.array(json.levels, 'u8', 1, `the levels of ${name}`);
    same(found.length, count, `levels and members of ${name}`);
    return found;
}

function extent(json: JsonObject, key: string, name: string): number[] {
    const found = numbers(json[key], 6, `the ${key} of ${name}`);
    for (let k = 0; k < 3; ++k) if (!(found[k] < found[k + 3])) throw new FormatError(`the ${key} of ${name} is empty`);
    return found;
}

function same(a: number, b: number, what: string): void {
    if (a !== b) throw new FormatError(`${what} differ in number: ${a} and ${b}`);
}

