// The reader of the server's responses in live mode, with checks.
import { checkContacts, type Contacts } from './layer_data';
import { FormatError, integer, list, numbers, object, readPose, words, type Json, type JsonObject, type Pose } from './values';

export interface PairAnswer {
    a: number;
    b: number;
    status: string;
    proven: boolean;
    method: string;
    separation: number; // signed distance: minus the local depth of pairs that overlap; NaN if the server does not give it
    errorBound: number;
    microseconds: number;
}

export interface LiveState { poses: Pose[]; contacts: Contacts; pairs: PairAnswer[] }

export function readLive(value: Json, bodies: number): LiveState {
    const json = object(value, 'the response of the server');
    const poses = list(json.poses, 'poses').map((pose, i) => readPose(pose, `the pose of body ${i}`));
    if (poses.length !== bodies) throw new FormatError(`expected the poses of ${bodies} bodies, got ${poses.length}`);
    const found = object(json.contacts ?? { positions: [], normals: [], depths: [], bodies: [] }, 'contacts');
    const depths = list(found.depths, 'contact depths');
    const contacts = {
        positions: rows(found.positions, 3, 'a contact position'),
        normals: rows(found.normals, 3, 'a contact normal'),
        depths: numbers(depths, depths.length, 'contact depths'),
        bodies: rows(found.bodies, 2, 'the bodies of a contact'),
    };
    checkContacts(contacts, 'the response of the server', bodies);
    return { poses, contacts, pairs: list(json.pairs ?? [], 'pairs').map((pair) => readPair(pair, bodies)) };
}

function readPair(value: Json, bodies: number): PairAnswer {
    const pair = object(value, 'a pair');
    const apart = pair.distance ? object(pair.distance, 'the distance of a pair') : undefined;
    const number = (from: JsonObject, key: string) => (typeof from[key] === 'number' ? (from[key] as number) : NaN);
    return {
        a: integer(pair.a, 'a body of a pair', bodies), b: integer(pair.b, 'a body of a pair', bodies),
        status: words(pair.status, 'unknown'), proven: pair.proven === true, method: words(pair.method, ''),
        separation: apart ? number(apart, 'upper_bound') : -number(pair, 'local_depth'),
        errorBound: number(apart ?? pair, 'error_bound'), microseconds: number(pair, 'microseconds'),
    };
}

const rows = (value: Json | undefined, width: number, what: string) => list(value, what).flatMap((row) => numbers(row, width, what));
