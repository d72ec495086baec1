// Plots of values over time, one per group, with a mark at the current frame. A click goes to a frame.
import { h } from './dom';
import type { Series, ViewerDocument } from './document';
import { digits, roundStep } from './numbers';
import { seriesColours, type Theme } from './theme';

const height = 116;
const margin = { left: 46, right: 8, top: 8, bottom: 18 };

export class Plots {
    readonly element = h('div', { class: 'plots' });
    private readonly plots: Plot[];

    constructor(data: ViewerDocument, seek: (frame: number) => void) {
        const groups = new Map<string, Series[]>();
        for (const series of data.series) groups.set(series.group, [...(groups.get(series.group) ?? []), series]);
        this.plots = [...groups].map(([group, members]) => new Plot(group, members, data.times, seek));
        this.element.append(...this.plots.map((plot) => plot.element));
        new ResizeObserver(() => this.plots.forEach((plot) => plot.draw())).observe(this.element);
    }

    get empty(): boolean { return this.plots.length === 0; }

    setFrame(frame: number): void { for (const plot of this.plots) plot.setFrame(frame); }
    setTheme(theme: Theme): void { for (const plot of this.plots) plot.setTheme(theme); }
}

class Plot {
    readonly element: HTMLElement;
    private readonly canvas: HTMLCanvasElement;
    private readonly values: HTMLElement[];
    private readonly low: number;
    private readonly high: number;
    private frame = 0;
    private theme?: Theme;

    constructor(group: string, private readonly series: Series[], private readonly times: ArrayLike<number>, seek: (frame: number) => void) {
        [this.low, this.high] = rangeOf(series);
        this.values = series.map(() => h('b', {}));
        const go = (event: PointerEvent) => { if (event.buttons & 1) seek(this.frameAt(event.offsetX)); };
        this.canvas = h('canvas', { class: 'plot', role: 'img', 'aria-label': `${group} over time`, title: 'Click to go to this frame', onpointerdown: go, onpointermove: go });
        const legend = series.map((one, i) => h('span', {}, h('i', { class: 'swatch', style: `background:${colourOf(i)}` }), `${one.name} `, this.values[i], one.unit ? ` ${one.unit}` : ''));
        this.element = h('figure', {}, h('figcaption', {}, ...legend), this.canvas);
    }

    setTheme(theme: Theme): void {
        this.theme = theme;
        this.draw();
    }

    setFrame(frame: number): void {
        this.frame = frame;
        this.draw();
    }

    draw(): void {
        const width = this.canvas.clientWidth;
        const pen = this.canvas.getContext('2d');
        if (!pen || width === 0 || !this.theme) return;
        const ratio = Math.min(devicePixelRatio, 2);
        this.canvas.width = width * ratio;
        this.canvas.height = height * ratio;
        pen.scale(ratio, ratio);
        this.drawAxes(pen, width, this.theme);
        this.series.forEach((series, i) => this.drawLine(pen, series.values, colourOf(i)));
        const x = this.x(this.frame);
        pen.strokeStyle = this.theme.ink;
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(x, margin.top);
        pen.lineTo(x, height - margin.bottom);
        pen.stroke();
        this.series.forEach(({ values }, i) => {
            this.values[i].textContent = digits(values[this.frame]);
            if (!Number.isFinite(values[this.frame])) return;
            pen.fillStyle = colourOf(i);
            pen.beginPath();
            pen.arc(x, this.y(values[this.frame]), 3, 0, 2 * Math.PI);
            pen.fill();
        });
    }

    private drawAxes(pen: CanvasRenderingContext2D, width: number, theme: Theme): void {
        pen.font = '10px system-ui, sans-serif';
        pen.fillStyle = theme.ink;
        pen.strokeStyle = theme.faint;
        pen.textAlign = 'right';
        pen.textBaseline = 'middle';
        const step = roundStep((this.high - this.low) / 3);
        for (let k = Math.ceil(this.low / step - 1e-9); k * step <= this.high + 1e-9 * step; ++k) {
            const y = Math.round(this.y(k * step)) + 0.5;
            pen.beginPath();
            pen.moveTo(margin.left, y);
            pen.lineTo(width - margin.right, y);
            pen.stroke();
            pen.fillText(digits(k * step, 3), margin.left - 5, y);
        }
        pen.textBaseline = 'bottom';
        pen.textAlign = 'left';
        pen.fillText(`${digits(this.times[0], 3)} s`, margin.left, height - 2);
        pen.textAlign = 'right';
        pen.fillText(`${digits(this.times[this.times.length - 1], 3)} s`, width - margin.right, height - 2);
    }

    // With more frames than pixels each column shows its minimum and maximum, so that no peak is lost.
    private drawLine(pen: CanvasRenderingContext2D, values: ArrayLike<number>, colour: string): void {
        pen.strokeStyle = colour;
        pen.lineWidth = 1.5;
        pen.lineJoin = 'round';
        pen.beginPath();
        const bin = Math.max(Math.floor(values.length / (2 * this.plotWidth)), 1);
        let open = false;
        for (let first = 0; first < values.length; first += bin) {
            const found = Array.from({ length: Math.min(bin, values.length - first) }, (_, i) => values[first + i]).filter(Number.isFinite);
            if (found.length === 0) {
                open = false;
                continue;
            }
            for (const value of bin === 1 ? found : [Math.min(...found), Math.max(...found)]) {
                open ? pen.lineTo(this.x(first), this.y(value)) : pen.moveTo(this.x(first), this.y(value));
                open = true;
            }
        }
        pen.stroke();
    }

    private get plotWidth(): number { return Math.max(this.canvas.clientWidth - margin.left - margin.right, 1); }

    private x(frame: number): number {
        return margin.left + (this.plotWidth * frame) / Math.max(this.times.length - 1, 1);
    }

    private y(value: number): number {
        return height - margin.bottom - ((height - margin.top - margin.bottom) * (value - this.low)) / (this.high - this.low);
    }

    private frameAt(x: number): number {
        return Math.round(((x - margin.left) / this.plotWidth) * (this.times.length - 1));
    }
}

const colourOf = (index: number) => seriesColours[index % seriesColours.length];

function rangeOf(series: Series[]): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const { values } of series) {
        for (const value of values) {
            if (!Number.isFinite(value)) continue;
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
    }
    if (!(low <= high)) return [0, 1];
    // The range includes zero if zero is close.
    if (low > 0 && low < 0.5 * high) low = 0;
    if (high < 0 && high > 0.5 * low) high = 0;
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    return [low === 0 ? 0 : low - room, high + room];
}
