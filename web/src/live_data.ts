// The reader of the server's responses in live mode, with checks.
import { checkContacts, type Contacts } from './layer_data';
import { FormatError, integer, list, numbers, object, readPose, words, type Json, type Pose } from './values';

export interface PairAnswer {
    a: number;
    b: number;
    status: string;
    proven: boolean;
    method: string;
    separation: number; // NaN if the server does not give it
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
    const number = (key: string) => (typeof pair[key] === 'number' ? (pair[key] as number) : NaN);
    return {
        a: integer(pair.a, 'a body of a pair', bodies), b: integer(pair.b, 'a body of a pair', bodies),
        status: words(pair.status, 'unknown'), proven: pair.proven === true, method: words(pair.method, ''),
        separation: number('separation'), errorBound: number('error_bound'), microseconds: number('microseconds'),
    };
}

const rows = (value: Json | undefined, width: number, what: string) => list(value, what).flatMap((row) => numbers(row, width, what));
