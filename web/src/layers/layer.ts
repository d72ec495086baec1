// The interface of overlays: an object to draw, controls for the panel, picking, and optionally dragging.
import type { Object3D, Raycaster, Vector2, Vector3 } from 'three';
import type { LayerData } from '../layer_data';
import type { Theme } from '../theme';
import type { Info } from '../values';

// A pointer position: the ray through it, and the projection of world positions to the screen (pixels).
export interface Probe {
    ray: Raycaster;
    pointer: Vector2;
    screen(world: Vector3): Vector2;
}

export interface Pick {
    distance: number;      // along the ray (m)
    kind: 'body' | 'contact' | 'cell' | 'sphere' | 'slice' | 'path';
    title: string;
    rows(): Info;          // evaluated again for every frame
    marker?: Object3D;     // drawn while the item is picked
    parent?: Object3D;     // the object that the marker moves with; by default the scene
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
    setTime?(fraction: number): void; // fraction of the recording, in [0, 1]
    beforeDraw?(camera: Vector3): void;
}

export interface Context {
    radius: number;             // radius of the scene (m)
    bodyName(index: number): string;
    changed(): void;            // requests a redraw
    seek(fraction: number): void;
}
