// The clipping plane and its controls: surfaces are clipped, and tetrahedra are kept or removed as a whole.
import { type Box3, Plane, Vector3 } from 'three';
import type { Cut } from './body';
import { checkbox, choice, h } from './dom';
import { digits } from './numbers';

const axes = ['x', 'y', 'z'] as const;
type Axis = (typeof axes)[number];

export class CutControls {
    readonly element: HTMLElement;
    on = false;
    private axis = 1;
    private share = 0.5;
    private flipped = false;
    private shrink = 0;
    private readonly label = h('output', { class: 'value' });
    private readonly toggle: ReturnType<typeof checkbox>;

    constructor(private readonly bounds: Box3, hasTetrahedra: boolean, private readonly changed: () => void) {
        this.toggle = checkbox('clip', false, (on) => this.set(on));
        const range = (label: string, value: number, max: number, set: (value: number) => void) => {
            const input = h('input', { type: 'range', min: 0, max, step: max / 200, value, 'aria-label': label, oninput: () => { set(Number(input.value)); this.on ? this.update() : this.set(true); } });
            return input;
        };
        this.element = h('div', { class: 'controls' }, this.toggle,
            choice<Axis>('Clipping axis', axes, axes[this.axis], (axis) => { this.axis = axes.indexOf(axis); this.update(); }),
            h('label', { class: 'field' }, h('span', {}, 'position'), range('Clipping position', this.share, 1, (value) => { this.share = value; }), this.label),
            checkbox('flip side', false, (on) => { this.flipped = on; this.update(); }),
            hasTetrahedra && h('label', { class: 'field' }, h('span', {}, 'shrink'), range('Shrink tetrahedra', 0, 0.6, (value) => { this.shrink = value; })));
        this.describe();
    }

    set(on: boolean): void {
        this.on = on;
        this.toggle.input.checked = on;
        this.update();
    }

    get cut(): Cut | undefined {
        if (!this.on) return undefined;
        const normal = new Vector3().setComponent(this.axis, this.flipped ? -1 : 1);
        return { plane: new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3().setComponent(this.axis, this.position)), shrink: this.shrink };
    }

    private get position(): number {
        const low = this.bounds.min.getComponent(this.axis);
        return low + (this.bounds.max.getComponent(this.axis) - low) * this.share;
    }

    private describe(): void { this.label.textContent = `${axes[this.axis]} = ${digits(this.position)} m`; }

    private update(): void {
        this.describe();
        this.changed();
    }
}
