// Pointer input: a click picks, a drag on the frame of a slice moves the slice, other drags rotate the camera.
import type { Drag, LayerView, Probe } from './layers/layer';
import type { Picking } from './picking';
import type { Stage } from './stage';

const clickReach = 5; // pixels that the pointer may move during a click

export interface PointerActions {
    click(probe: Probe): void;
    taken(): boolean; // whether something else, such as the gizmo, uses the pointer
}

export function followPointer(stage: Stage, picking: Picking, layers: () => LayerView[], actions: PointerActions): void {
    const { canvas } = stage;
    let start: { x: number; y: number } | undefined;
    let drag: Drag | undefined;
    let fingers = 0;

    const grab = (probe: Probe) => layers().map((layer) => layer.grab?.(probe)).filter((found) => found !== undefined).sort((a, b) => a.distance - b.distance)[0];

    // Runs before the listener of the camera, so that the camera can be disabled.
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
