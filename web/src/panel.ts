// The side panel: the bodies and layers with their switches, and the values of the picked item.
import type { BodyView } from './body';
import { checkbox, h, table } from './dom';
import type { ViewerDocument } from './document';
import type { LayerView, Pick } from './layers/layer';
import type { Mode } from './materials';
import { many } from './numbers';

const modes: Mode[] = ['shaded', 'edges', 'wire', 'glass', 'hidden'];
const mostRows = 300; // maximum number of bodies in the list; more would slow down the page

export interface PanelActions {
    setMode(body: BodyView, mode: Mode): void;
    selectBody(body: BodyView): void;
    showLayer(layer: LayerView, on: boolean): void;
    unpick(): void;
}

export class Panel {
    readonly element: HTMLElement;
    private readonly picked = h('div', { class: 'picked', 'aria-live': 'polite' });
    private readonly switches = new Map<LayerView, HTMLInputElement>();
    private readonly selects = new Map<BodyView, HTMLSelectElement>();
    private readonly swatches = new Map<BodyView, HTMLElement>();

    constructor(data: ViewerDocument, bodies: BodyView[], layers: LayerView[], private readonly actions: PanelActions, extra: { live?: HTMLElement; cut?: HTMLElement; plots?: HTMLElement }) {
        this.element = h('aside', { class: 'panel', 'aria-label': 'Side panel' },
            h('header', {}, h('h1', {}, data.title), data.subtitle && h('p', {}, data.subtitle)),
            section('Picked', true, this.picked),
            extra.live && section('Live', true, extra.live),
            bodies.length > 0 && section('Bodies', true, this.bodyList(bodies)),
            layers.length > 0 && section('Layers', true, ...layers.map((layer) => this.layerRow(layer))),
            extra.plots && section('Values over time', true, extra.plots),
            extra.cut && section('Clip', data.bodies.some((body) => body.tetrahedra), extra.cut));
        this.showPick(undefined);
    }

    showPick(pick: Pick | undefined): void {
        if (!pick) {
            this.picked.replaceChildren(h('p', { class: 'note' }, 'Click a body, a contact or a cell to see its values.'));
            return;
        }
        this.picked.replaceChildren(h('h3', {}, pick.title, h('button', { type: 'button', 'aria-label': 'Clear the selection', onclick: () => this.actions.unpick() }, '×')), table(pick.rows()));
    }

    // Updates the switch of a layer after a key or another control.
    setLayer(layer: LayerView, on: boolean): void {
        const input = this.switches.get(layer);
        if (!input) return;
        input.checked = on;
        input.closest('.layer')!.classList.toggle('off', !on);
    }

    // Hides the row of a layer that has nothing to show yet.
    reveal(layer: LayerView, on: boolean): void {
        const row = this.switches.get(layer)?.closest<HTMLElement>('.layer');
        if (row) row.hidden = !on;
    }

    setMode(body: BodyView): void {
        const select = this.selects.get(body);
        if (select) select.value = body.mode;
    }

    // The colour of some bodies depends on the theme.
    setColours(): void {
        for (const [body, swatch] of this.swatches) swatch.style.background = body.colour;
    }

    private bodyList(bodies: BodyView[]): HTMLElement {
        const rows = bodies.slice(0, mostRows).map((body) => this.bodyRow(body));
        const rest = bodies.length - rows.length;
        return h('div', { class: 'bodies' }, ...rows, rest > 0 && h('p', { class: 'note' }, `and ${many(rest, 'more body', 'more bodies')}`));
    }

    private bodyRow(body: BodyView): HTMLElement {
        const { data } = body;
        const size = data.cloud ? (data.vertices.length > 0 ? many(data.vertices.length / 3, 'point') : 'cloud') : data.tetrahedra ? many(data.tetrahedra.length / 4, 'tetrahedron', 'tetrahedra') : many(data.triangles.length / 3, 'triangle');
        const select = h('select', { 'aria-label': `Display of ${data.name}`, onchange: () => this.actions.setMode(body, select.value as Mode) },
            ...modes.filter((mode) => !data.cloud || mode === 'shaded' || mode === 'hidden').map((mode) => h('option', {}, mode)));
        select.value = body.mode;
        this.selects.set(body, select);
        const swatch = h('i', { class: 'swatch' });
        this.swatches.set(body, swatch);
        return h('div', { class: 'body' }, swatch,
            h('button', { type: 'button', class: 'link', title: 'Frame this body', onclick: () => this.actions.selectBody(body) }, data.name),
            h('span', { class: 'note' }, data.fixed ? `${size} · fixed` : size), select);
    }

    private layerRow(layer: LayerView): HTMLElement {
        const toggle = checkbox(layer.data.name, layer.data.visible, (on) => this.actions.showLayer(layer, on));
        this.switches.set(layer, toggle.input);
        return h('div', { class: layer.data.visible ? 'layer' : 'layer off', 'data-type': layer.data.type }, toggle,
            h('div', { class: 'controls' }, ...layer.controls, layer.data.info.length > 0 && table(layer.data.info)));
    }
}

function section(title: string, open: boolean, ...content: HTMLElement[]): HTMLElement {
    return h('details', { open }, h('summary', {}, title), ...content);
}
