// Why: one pointer, three meanings: a click picks, a drag on a slice moves it, every other drag turns the camera.
import type { Drag, LayerView, Probe } from './layers/layer';
import type { Picking } from './picking';
import type { Stage } from './stage';

const clickReach = 5; // pixels a finger may slip and still click

export interface PointerActions {
    click(probe: Probe): void;
    taken(): boolean; // something else, as the gizmo, has the pointer
}

export function followPointer(stage: Stage, picking: Picking, layers: () => LayerView[], actions: PointerActions): void {
    const { canvas } = stage;
    let start: { x: number; y: number } | undefined;
    let drag: Drag | undefined;
    let fingers = 0;

    const grab = (probe: Probe) => layers().map((layer) => layer.grab?.(probe)).filter((found) => found !== undefined).sort((a, b) => a.distance - b.distance)[0];

    // Before the camera's own listener, so that it can be told to keep still.
    canvas.parentElement!.addEventListener('pointerdown', (event) => {
        if (event.target !== canvas) return;
        ++fingers;
        start = fingers === 1 && event.button === 0 && !actions.taken() ? { x: event.clientX, y: event.clientY } : undefined;
        drag = start && grab(picking.probe(event.clientX, event.clientY))?.drag;
        if (!drag) return;
        stage.controls.enabled = false;
        canvas.setPointerCapture(event.pointerId);
    }, { capture: true });

    canvas.addEventListener('pointermove', (event) => {
        if (drag) drag.move(picking.probe(event.clientX, event.clientY));
        else if (event.buttons === 0) canvas.style.cursor = actions.taken() ? 'grab' : grab(picking.probe(event.clientX, event.clientY)) ? 'move' : '';
    });

    const finish = (event: PointerEvent) => {
        fingers = Math.max(fingers - 1, 0);
        if (drag) {
            drag.end?.();
            stage.controls.enabled = true;
        } else if (start && event.type === 'pointerup' && Math.hypot(event.clientX - start.x, event.clientY - start.y) < clickReach) {
            actions.click(picking.probe(event.clientX, event.clientY));
        }
        drag = start = undefined;
    };
    canvas.addEventListener('pointerup', finish);
    canvas.addEventListener('pointercancel', finish);
}
