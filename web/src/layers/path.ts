// The path of a moving body, with its contact intervals in another colour.
import { BufferAttribute, BufferGeometry, Color, Group, Points, Vector3 } from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { h } from '../dom';
import type { CollidingInterval, PathData } from '../layer_data';
import { sphereMaterial } from '../materials';
import { digits, triple } from '../numbers';
import type { Theme } from '../theme';
import type { Context, LayerView, Pick, Probe } from './layer';

const proven = new Color('#d83f4b');
const unproven = new Color('#e8a33d');

export class PathLayer implements LayerView {
    readonly object = new Group();
    readonly controls: HTMLElement[] = [];
    private readonly line = new LineSegments2(new LineSegmentsGeometry(), new LineMaterial({ linewidth: 3, vertexColors: true }));
    private readonly dot = new Points(new BufferGeometry(), sphereMaterial(new Color('#ff3b7f'), 14, 'pixels'));
    private readonly ends: Points;

    constructor(readonly data: PathData, private readonly context: Context) {
        this.dot.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3), 3));
        this.dot.frustumCulled = false;
        this.dot.visible = false;
        this.ends = this.makeEnds();
        this.object.add(this.line, this.ends, this.dot);
        if (data.judged) this.controls.push(this.legend());
        this.draw(new Color('#6b7684'));
    }

    setTheme(theme: Theme): void { this.draw(new Color(theme.ink)); }

    setTime(fraction: number): void {
        if (this.data.times.length === 0) return;
        this.at(fraction).toArray(this.dot.geometry.getAttribute('position').array as Float32Array);
        this.dot.geometry.getAttribute('position').needsUpdate = true;
        this.dot.visible = true;
    }

    pick(probe: Probe): Pick | undefined {
        let best: { time: number; place: Vector3; distance: number } | undefined;
        const steps = 400;
        for (let i = 0; i <= steps && this.data.times.length > 0; ++i) {
            const time = this.start + (this.end - this.start) * (i / steps);
            const place = this.at(time).applyMatrix4(this.object.matrixWorld);
            const distance = probe.screen(place).distanceTo(probe.pointer);
            if (distance < (best?.distance ?? 9)) best = { time, place, distance };
        }
        if (!best) return undefined;
        const { time, place } = best;
        const inside = this.data.intervals.find(({ start, end }) => start <= time && time <= end);
        return {
            distance: place.distanceTo(probe.ray.ray.origin), kind: 'path', title: this.data.name,
            rows: () => [['time', digits(time)], ['position (m)', triple(place.x, place.y, place.z)],
                ['state', !this.data.judged ? 'unknown' : inside ? `colliding (${inside.proven ? 'proven' : 'not proven'})` : 'free']],
        };
    }

    private get start(): number { return this.data.times[0]; }
    private get end(): number { return this.data.times[this.data.times.length - 1]; }

    private at(time: number): Vector3 {
        const { times, points } = this.data;
        let i = 0;
        while (i + 2 < times.length && times[i + 1] < time) ++i;
        const here = new Vector3().fromArray(points, 3 * i);
        if (times.length < 2) return here;
        const share = times[i + 1] > times[i] ? (time - times[i]) / (times[i + 1] - times[i]) : 0;
        return here.lerp(new Vector3().fromArray(points, 3 * (i + 1)), Math.min(Math.max(share, 0), 1));
    }

    // Draws the segments between stored points, split where an interval begins or ends.
    private draw(free: Color): void {
        const { times, intervals } = this.data;
        const stops = [...times, ...intervals.flatMap(({ start, end }) => [start, end])].filter((t) => t >= this.start && t <= this.end).sort((a, b) => a - b);
        const positions: number[] = [];
        const colours: number[] = [];
        for (let i = 0; i + 1 < stops.length; ++i) {
            if (stops[i + 1] <= stops[i]) continue;
            const colour = colourOf(intervals, (stops[i] + stops[i + 1]) / 2) ?? free;
            positions.push(...this.at(stops[i]).toArray(), ...this.at(stops[i + 1]).toArray());
            colours.push(...colour.toArray(), ...colour.toArray());
        }
        this.line.visible = positions.length > 0;
        if (!this.line.visible) return;
        this.line.geometry.dispose();
        this.line.geometry = new LineSegmentsGeometry().setPositions(positions).setColors(colours);
        this.context.changed();
    }

    private makeEnds(): Points {
        const places = this.data.times.length === 0 ? [] : this.data.intervals.flatMap(({ start, end }) => [...this.at(start).toArray(), ...this.at(end).toArray()]);
        const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(places), 3));
        const points = new Points(geometry, sphereMaterial(proven, 10, 'pixels'));
        points.frustumCulled = false;
        return points;
    }

    private legend(): HTMLElement {
        if (this.data.intervals.length === 0) return h('p', { class: 'note' }, 'no collision');
        return h('ul', { class: 'intervals' }, ...this.data.intervals.map((interval) => h('li', {},
            h('button', { type: 'button', class: 'link', title: 'Go to the start of the interval', onclick: () => this.context.seek(interval.start) },
                h('i', { class: 'swatch', style: `background:#${(interval.proven ? proven : unproven).getHexString()}` }),
                `${digits(interval.start)} – ${digits(interval.end)}`, h('span', { class: 'note' }, interval.proven ? 'colliding, proven' : 'colliding, not proven')))));
    }
}

function colourOf(intervals: CollidingInterval[], time: number): Color | undefined {
    const found = intervals.filter(({ start, end }) => start <= time && time <= end);
    return found.length === 0 ? undefined : found.some((interval) => interval.proven) ? proven : unproven;
}
