// The level selection of octrees and sphere trees.
import { Color } from 'three';
import { choice, h } from '../dom';
import { many } from '../numbers';

type Which = 'this level' | 'up to this level';

export class Levels {
    readonly controls: HTMLElement[];
    readonly deepest: number;
    private readonly counts: number[] = [];
    private level: number;
    private which: Which = 'this level';
    private readonly label = h('output', { class: 'value' });

    constructor(private readonly levels: Uint8Array, private readonly noun: string, plural: string, private readonly changed: () => void) {
        this.deepest = levels.reduce((a, b) => Math.max(a, b), 0);
        for (let level = 0; level <= this.deepest; ++level) this.counts.push(0);
        for (const level of levels) ++this.counts[level];
        // The finest level with few enough members to be recognizable.
        this.level = this.counts.reduce((best, count, level) => (count > 0 && count <= 4000 ? level : best), 0);
        const input = h('input', {
            type: 'range', min: 0, max: this.deepest, step: 1, value: this.level, 'aria-label': `Level of ${plural}`,
            oninput: () => { this.level = Number(input.value); this.update(plural); },
        });
        this.controls = [
            h('label', { class: 'field' }, h('span', {}, 'level'), input, this.label),
            choice<Which>('Which levels', ['this level', 'up to this level'], this.which, (which) => { this.which = which; this.update(plural); }),
        ];
        this.describe(plural);
    }

    // The indices of the members to show.
    chosen(): number[] {
        const found: number[] = [];
        this.levels.forEach((level, i) => { if (level === this.level || (this.which === 'up to this level' && level < this.level)) found.push(i); });
        return found;
    }

    colour(index: number): Color {
        return levelColour(this.deepest === 0 ? 0.5 : this.levels[index] / this.deepest);
    }

    private update(plural: string): void {
        this.describe(plural);
        this.changed();
    }

    private describe(plural: string): void {
        this.label.textContent = `${this.level} of ${this.deepest} · ${many(this.chosen().length, this.noun, plural)}`;
    }
}

// From blue (coarse) over violet to pink (fine): readable on light and dark backgrounds.
export function levelColour(share: number): Color {
    return new Color().setHSL(0.58 + 0.34 * share, 0.65, 0.52);
}
