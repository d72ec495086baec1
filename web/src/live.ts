// Live mode: the user drags a body, its pose is sent to the server, one request at a time, and the contacts of the response are shown.
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import { type BodyView, poseOf } from './body';
import { choice, h } from './dom';
import { clearFault, showFault } from './faults';
import type { Contacts } from './layer_data';
import { readLive, type PairAnswer } from './live_data';
import { digits } from './numbers';
import type { Stage } from './stage';
import { FormatError, type Json } from './values';

type Way = 'translate' | 'rotate';

export class Live {
    readonly element: HTMLElement;
    private readonly gizmo: TransformControls;
    private readonly ways: ReturnType<typeof choice<Way>>;
    private readonly pairs = h('tbody');
    private body?: BodyView;
    private querying = false;
    private next?: { body: number; pose: number[] };

    constructor(private readonly stage: Stage, private readonly bodies: BodyView[], private readonly show: (contacts: Contacts) => void) {
        this.gizmo = new TransformControls(stage.camera, stage.canvas);
        this.gizmo.setSize(0.9);
        stage.scene.add(this.gizmo.getHelper());
        this.gizmo.addEventListener('dragging-changed', (event) => { stage.controls.enabled = !event.value; });
        this.gizmo.addEventListener('change', () => stage.invalidate());
        this.gizmo.addEventListener('objectChange', () => this.moved());
        this.ways = choice<Way>('Drag mode', ['translate', 'rotate'], 'translate', (way) => this.setWay(way));
        this.element = h('div', { class: 'controls' }, this.ways, h('p', { class: 'note' }, 'pick a body, then drag its handles (t translates, r rotates)'),
            h('table', { class: 'pairs', 'aria-label': 'Pairs of bodies' },
                h('thead', {}, h('tr', {}, ...['pair', 'status', 'separation (m)', 'method', 'µs'].map((title) => h('th', { scope: 'col' }, title)))), this.pairs));
    }

    get busy(): boolean { return this.gizmo.dragging || this.gizmo.axis !== null; }

    start(): Promise<void> { return this.query(); }

    setWay(way: Way): void {
        this.ways.set(way);
        this.gizmo.setMode(way);
        this.stage.invalidate();
    }

    select(index: number | undefined): void {
        this.body = index === undefined || this.bodies[index].data.fixed ? undefined : this.bodies[index];
        if (this.body) this.gizmo.attach(this.body.object);
        else this.gizmo.detach();
        this.stage.invalidate();
    }

    private moved(): void {
        if (!this.body) return;
        this.next = { body: this.body.index, pose: poseOf(this.body.object) };
        if (!this.querying) void this.query();
    }

    // While a request is pending only the newest pose is kept, so that requests do not accumulate at the server.
    private async query(): Promise<void> {
        this.querying = true;
        try {
            do {
                const question = this.next;
                this.next = undefined;
                const response = await fetch('live', question && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(question) });
                if (!response.ok) throw new FormatError(`the server responded with ${response.status} ${response.statusText}`);
                this.take(await response.json());
                clearFault();
            } while (this.next);
        } catch (error) {
            showFault(document.body, error instanceof TypeError ? new FormatError('the server does not respond; is fathom view still running?') : error, 'Live mode');
        } finally {
            this.querying = false;
        }
    }

    private take(answer: Json): void {
        const state = readLive(answer, this.bodies.length);
        this.bodies.forEach((body, i) => {
            // A body that is being dragged stays at the pointer.
            if (body !== this.body || !this.gizmo.dragging) body.place(state.poses[i]);
            else body.pose = state.poses[i];
        });
        this.show(state.contacts);
        this.pairs.replaceChildren(...state.pairs.map((pair) => this.row(pair)));
        this.stage.invalidate();
    }

    private row(pair: PairAnswer): HTMLElement {
        const name = (index: number) => this.bodies[index].data.name;
        const bound = Number.isFinite(pair.errorBound) ? `± ${digits(pair.errorBound, 2)}` : '';
        return h('tr', { class: pair.status },
            h('td', {}, `${name(pair.a)} · ${name(pair.b)}`), h('td', {}, pair.status, pair.proven && h('small', {}, ' proven')),
            h('td', { title: bound }, digits(pair.separation, 3)), h('td', {}, pair.method), h('td', {}, digits(pair.microseconds, 3)));
    }
}
