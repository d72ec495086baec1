// Why: what every overlay offers to the page: something to draw, controls for the panel, answers to a click, and maybe a drag.
import type { Object3D, Raycaster, Vector2, Vector3 } from 'three';
import type { LayerData } from '../layer_data';
import type { Theme } from '../theme';
import type { Info } from '../values';

// A click: the ray through it, and where places of the world are on the screen (pixels).
export interface Probe {
    ray: Raycaster;
    pointer: Vector2;
    screen(world: Vector3): Vector2;
}

export interface Pick {
    distance: number;      // along the ray (m)
    kind: 'body' | 'contact' | 'cell' | 'sphere' | 'slice' | 'path';
    title: string;
    rows(): Info;          // asked again at every frame
    marker?: Object3D;     // drawn while it is picked
    parent?: Object3D;     // what the marker moves with; the scene where there is none
    body?: number;
}

export interface Drag {
    move(probe: Probe): void;
    end?(): void;
}

export interface LayerView {
    readonly data: LayerData;
    readonly object: Object3D;
    readonly controls: HTMLElement[];
    pick?(probe: Probe): Pick | undefined;
    grab?(probe: Probe): { distance: number; drag: Drag } | undefined;
    setTheme?(theme: Theme): void;
    setTime?(fraction: number): void; // of the recording, in [0, 1]
    beforeDraw?(camera: Vector3): void;
}

export interface Context {
    radius: number;             // of the scene (m)
    bodyName(index: number): string;
    changed(): void;            // something is to be drawn again
    seek(fraction: number): void;
}
