// The timeline at the bottom of the page: play, step, speed and scrub.
import { h } from './dom';
import { icon, type Icon } from './icons';
import { digits } from './numbers';
import { type Playback, speeds } from './playback';

export interface TimelineActions {
    play(on: boolean): void;
    seek(frame: number): void;
}

export class Timeline {
    readonly element: HTMLElement;
    private readonly scrub: HTMLInputElement;
    private readonly button: HTMLButtonElement;
    private readonly frame = h('output', { class: 'frame', 'aria-label': 'Frame' });
    private readonly time = h('output', { class: 'time', 'aria-label': 'Time' });

    constructor(private readonly playback: Playback, private readonly times: ArrayLike<number>, private readonly unit: string, actions: TimelineActions) {
        const last = Math.max(playback.count - 1, 0);
        this.scrub = h('input', {
            type: 'range', min: 0, max: last, step: 1, value: 0, class: 'scrub', 'aria-label': 'Frame shown', oninput: () => actions.seek(Number(this.scrub.value)),
        });
        this.button = this.tool('play', 'Play (space)', () => actions.play(!playback.playing));
        const loop = this.tool('loop', 'Repeat', () => {
            playback.loop = !playback.loop;
            loop.setAttribute('aria-pressed', String(playback.loop));
        });
        loop.setAttribute('aria-pressed', String(playback.loop));
        const speed = h('select', { 'aria-label': 'Speed', title: 'Speed', onchange: () => { playback.speed = Number(speed.value); } },
            ...speeds.map((x) => h('option', { value: x, selected: x === playback.speed }, `${x}×`)));
        this.element = h('nav', { class: 'timeline', 'aria-label': 'Timeline' },
            this.tool('first', 'First frame (home)', () => actions.seek(0)),
            this.tool('back', 'One frame back (left)', () => actions.seek(playback.frame - 1)),
            this.button,
            this.tool('forward', 'One frame forward (right)', () => actions.seek(playback.frame + 1)),
            this.tool('last', 'Last frame (end)', () => actions.seek(last)),
            this.scrub, this.frame, this.time, speed, loop);
        this.update(false);
    }

    update(waiting: boolean): void {
        const { playback } = this;
        this.scrub.value = String(playback.frame);
        this.frame.textContent = `${playback.frame} / ${playback.count - 1}`;
        this.time.textContent = `${digits(this.times[playback.frame] ?? 0)}${this.unit}`;
        this.element.classList.toggle('waiting', waiting);
        const label = playback.playing ? 'Pause (space)' : 'Play (space)';
        if (this.button.getAttribute('aria-label') === label) return;
        this.button.replaceChildren(icon(playback.playing ? 'pause' : 'play'));
        this.button.setAttribute('aria-label', label);
        this.button.title = label;
    }

    private tool(name: Icon, label: string, act: () => void): HTMLButtonElement {
        return h('button', { type: 'button', class: 'tool', title: label, 'aria-label': label, onclick: act }, icon(name) as unknown as HTMLElement);
    }
}
