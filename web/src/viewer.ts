// The page as a whole: it creates the parts from the document and keeps them synchronized.
import { Axes } from './axes';
import { BodyView } from './body';
import { CutControls } from './cut';
import type { ViewerDocument } from './document';
import { h } from './dom';
import { showFault } from './faults';
import type { Frame, FrameStore } from './frames';
import { icon, type Icon } from './icons';
import { helpOverlay, listen } from './keyboard';
import { keysOf } from './keys';
import type { Contacts } from './layer_data';
import { makeLayer } from './layers';
import { ContactsLayer } from './layers/contacts';
import type { Context, LayerView, Pick } from './layers/layer';
import { VolumeLayer } from './layers/volume';
import { Live } from './live';
import type { Mode } from './materials';
import { digits } from './numbers';
import { Panel } from './panel';
import { Picking } from './picking';
import { Playback } from './playback';
import { Plots } from './plots';
import { followPointer } from './pointer';
import { Selection } from './selection';
import { Stage } from './stage';
import { type Theme, Themes } from './theme';
import { Timeline } from './timeline';
import { FormatError, type Info } from './values';

export class Viewer {
    readonly stage: Stage;
    readonly bodies: BodyView[];
    readonly layers: LayerView[];
    readonly playback: Playback;
    readonly cut: CutControls;
    readonly themes: Themes;
    readonly help: HTMLDialogElement;
    readonly live?: Live;
    private readonly contacts?: ContactsLayer; // contacts of the current frame, or of live mode
    private readonly panel: Panel;
    private readonly plots: Plots;
    private readonly timeline?: Timeline;
    private readonly selection: Selection;
    private readonly axes = new Axes();
    private shown = -1;
    private wanted = 0; // number of requests: only the newest one shows its frame

    constructor(private readonly app: HTMLElement, private readonly data: ViewerDocument, private readonly frames: FrameStore) {
        const view = h('div', { class: 'view' });
        app.append(view);
        this.stage = new Stage(view, wholeBounds(data));
        this.bodies = data.bodies.map((body, i) => new BodyView(body, i, this.stage.radius));
        if (this.bodies.length > 0) this.stage.scene.add(...this.bodies.map((body) => body.object));
        this.playback = new Playback(data.times);
        this.layers = data.layers.map((layer) => makeLayer(layer, this.context));
        if (data.times.length > 0 || data.live) this.layers.unshift((this.contacts = this.frameContacts()));
        for (const layer of this.layers) this.addLayer(layer);

        this.cut = new CutControls(this.stage.bounds, data.bodies.some((body) => body.tetrahedra), () => this.openBodies());
        this.plots = new Plots(data, (frame) => this.seek(frame));
        const served = location.protocol !== 'file:';
        if (data.live && served) this.live = new Live(this.stage, this.bodies, (contacts) => this.showContacts(contacts));
        this.panel = new Panel(data, this.bodies, this.layers, {
            setMode: (body, mode) => this.setMode(body, mode), selectBody: (body) => this.focusOn(body),
            showLayer: (layer, on) => this.showLayer(layer, on), unpick: () => this.pick(undefined),
        }, { live: this.live?.element, cut: this.bodies.length > 0 ? this.cut.element : undefined, plots: this.plots.empty ? undefined : this.plots.element });
        if (this.contacts) this.panel.reveal(this.contacts, false);
        this.selection = new Selection(this.stage, this.panel);
        if (this.playback.count > 1) this.timeline = new Timeline(this.playback, data.times, data.kind === 'sweep' ? '' : ' s', { play: (on) => this.play(on), seek: (frame) => this.seek(frame) });

        const picking = new Picking(this.stage, this.bodies, () => this.visibleLayers(), (body) => this.facts(body));
        followPointer(this.stage, picking, () => this.visibleLayers(), { click: (probe) => this.pick(picking.pick(probe)), taken: () => this.live?.busy ?? false });
        const keys = keysOf(this);
        this.help = helpOverlay(keys);
        listen(keys);
        this.themes = new Themes((theme) => this.setTheme(theme));
        this.assemble(view);
        this.stage.beforeDraw(() => { for (const layer of this.visibleLayers()) layer.beforeDraw?.(this.stage.camera.position); });
        this.stage.afterDraw(() => this.axes.draw(this.stage.camera));
        this.themes.apply();
        this.openBodies();
    }

    async start(): Promise<void> {
        if (this.playback.count > 0) this.show(0, await this.frames.get(0));
        if (this.live) await this.live.start();
        this.stage.setUp(this.data.up);
    }

    play(on: boolean): void {
        if (this.playback.playing === on) return;
        this.playback.play(on);
        this.timeline?.update(false);
        if (this.playback.playing) void this.run();
    }

    seek(frame: number): void {
        this.play(false);
        this.playback.seek(frame);
        void this.update();
    }

    setMode(body: BodyView, mode: Mode): void {
        body.setMode(mode);
        this.panel.setMode(body);
        this.stage.invalidate();
    }

    // Switches the picked body, or all, to the next display mode.
    nextMode(): void {
        const chosen = this.selection.pick?.body === undefined ? this.bodies : [this.bodies[this.selection.pick.body]];
        const modes: Mode[] = ['shaded', 'edges', 'wire', 'glass'];
        const next = modes[(modes.indexOf(chosen[0]?.mode) + 1) % modes.length];
        for (const body of chosen) if (body.mode !== 'hidden') this.setMode(body, next);
    }

    toggleContacts(): void {
        const found = this.layers.filter((layer) => layer instanceof ContactsLayer);
        const on = !found.some((layer) => layer.object.visible);
        for (const layer of found) this.showLayer(layer, on);
    }

    pick(pick: Pick | undefined): void {
        this.selection.set(pick);
        this.bodies.forEach((body, i) => body.emphasize(pick?.body === i));
        this.live?.select(pick?.body);
    }

    turnUp(): void { this.stage.setUp(this.stage.up === 'z' ? 'y' : 'z'); }

    fit(): void {
        const body = this.selection.pick?.body;
        body === undefined ? this.stage.viewFrom() : this.focusOn(this.bodies[body]);
    }

    togglePanel(): void { this.app.classList.toggle('wide'); }

    private focusOn(body: BodyView): void {
        this.pick({ distance: 0, kind: 'body', title: body.data.name, body: body.index, rows: () => [...this.facts(body.index), ...body.data.info] });
        this.stage.focusOn(body.object);
    }

    private showLayer(layer: LayerView, on: boolean): void {
        layer.object.visible = on;
        this.panel.setLayer(layer, on);
        this.openBodies();
    }

    private visibleLayers(): LayerView[] { return this.layers.filter((layer) => layer.object.visible); }

    private openBodies(): void {
        const slices = this.visibleLayers().filter((layer) => layer instanceof VolumeLayer).filter((layer) => layer.clips).map((layer) => layer.plane);
        for (const body of this.bodies) body.open(this.cut.cut, slices);
        this.stage.invalidate();
    }

    // Advances the clock until playback stops; the clock waits for frames that are not loaded yet.
    private async run(): Promise<void> {
        let last = performance.now();
        while (this.playback.playing) {
            const now = await new Promise<number>(requestAnimationFrame);
            this.playback.advance((now - last) / 1000);
            last = now;
            if (this.playback.frame === this.shown) continue;
            await this.update();
            last = performance.now();
        }
        this.timeline?.update(false);
    }

    private async update(): Promise<void> {
        const { frame } = this.playback;
        const request = ++this.wanted;
        try {
            let found = this.frames.ready(frame);
            if (!found) {
                this.timeline?.update(true);
                found = await this.frames.get(frame);
            }
            if (request === this.wanted) this.show(frame, found);
        } catch (error) {
            this.playback.play(false);
            this.timeline?.update(false);
            showFault(this.app, error, `Frame ${frame} cannot be shown`);
        }
    }

    private show(frame: number, found: Frame): void {
        this.bodies.forEach((body, i) => {
            body.deform(found.deformed.get(i));
            body.place(found.poses.subarray(7 * i, 7 * i + 7));
        });
        this.showContacts(found.contacts);
        for (const layer of this.layers) layer.setTime?.(this.playback.fraction);
        this.frames.readAhead(frame);
        if (this.shown < 0) this.panel.setColours(); // the colours of clouds are known now
        this.shown = frame;
        this.plots.setFrame(frame);
        this.timeline?.update(false);
        this.stage.invalidate();
    }

    private showContacts(contacts: Contacts | undefined): void {
        this.contacts?.set(contacts);
        if (this.contacts && this.contacts.count > 0) this.panel.reveal(this.contacts, true);
        this.selection.refresh(true);
    }

    private facts(index: number): Info {
        const body = this.bodies[index];
        const facts: Info = [['position (m)', body.pose.slice(0, 3).map((x) => digits(x)).join(', ')], ['rotation (w, x, y, z)', body.pose.slice(3).map((x) => digits(x, 3)).join(', ')]];
        const contacts = this.contacts?.contacts;
        if (!contacts) return facts;
        const own = Array.from(contacts.depths).filter((_, i) => contacts.bodies[2 * i] === index || contacts.bodies[2 * i + 1] === index);
        return [...facts, ['contacts', String(own.length)], ...(own.length > 0 ? [['deepest (m)', digits(Math.max(...own))] as [string, string]] : [])];
    }

    private frameContacts(): ContactsLayer {
        const contacts = { positions: [], normals: [], depths: [], bodies: [] };
        return new ContactsLayer({ type: 'contacts', name: 'contacts', visible: true, info: [], contacts }, this.context);
    }

    private addLayer(layer: LayerView): void {
        layer.object.visible = layer.data.visible;
        const { body } = layer.data;
        (body === undefined ? this.stage.scene : this.bodies[body].object).add(layer.object);
    }

    private get context(): Context {
        return {
            radius: this.stage.radius, bodyName: (index) => this.data.bodies[index]?.name ?? `body ${index}`,
            changed: () => (this.layers && this.cut ? this.openBodies() : this.stage.invalidate()),
            seek: (fraction) => { this.play(false); this.playback.seekFraction(fraction); if (this.playback.count > 0) void this.update(); },
        };
    }

    private setTheme(theme: Theme): void {
        this.stage.setTheme(theme);
        this.axes.setTheme(theme);
        this.plots.setTheme(theme);
        for (const body of this.bodies) body.setTheme(theme);
        for (const layer of this.layers) layer.setTheme?.(theme);
        this.panel.setColours();
    }

    private assemble(view: HTMLElement): void {
        const tool = (name: Icon, label: string, act: () => void) => h('button', { type: 'button', class: 'tool', title: label, 'aria-label': label, onclick: act }, icon(name) as unknown as HTMLElement);
        this.stage.canvas.setAttribute('aria-label', `Three-dimensional view of ${this.data.title}`);
        this.stage.canvas.setAttribute('role', 'img');
        this.stage.canvas.addEventListener('webglcontextlost', () => showFault(this.app, new FormatError('the graphics context was lost; please reload the page')));
        view.append(this.axes.element, h('p', { class: 'scale' }, `grid ${digits(this.stage.ground.cell)} m`),
            h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'View' }, tool('fit', 'Frame everything (f)', () => this.fit()), tool('up', 'Up axis (u)', () => this.turnUp()), tool('theme', 'Dark or light (d)', () => this.themes.toggle()),
                tool('panel', 'Side panel (p)', () => this.togglePanel()), tool('help', 'Help (?)', () => this.help.showModal())));
        this.app.append(this.panel.element, this.help);
        if (this.timeline) this.app.append(this.timeline.element);
        this.app.classList.toggle('timed', this.timeline !== undefined);
    }
}

// The bounds of the document together with the boxes of fields that do not move: the floor is below both.
function wholeBounds({ bounds, layers }: ViewerDocument): number[] {
    const boxes = layers.flatMap((layer) => (layer.type === 'volume' && layer.body === undefined ? [layer.box] : []));
    return bounds.map((value, i) => (i < 3 ? Math.min : Math.max)(value, ...boxes.map((box) => box[i])));
}
