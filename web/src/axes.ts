// The axis indicator in the corner, which rotates with the camera.
import { type PerspectiveCamera, Vector3 } from 'three';
import { h } from './dom';
import type { Theme } from './theme';

const size = 64;
const colours = ['#d8505c', '#4c9f5d', '#4a7fd0'];

export class Axes {
    readonly element = h('canvas', { class: 'axes', width: 2 * size, height: 2 * size, 'aria-hidden': 'true' });
    private ink = '#555555';

    setTheme(theme: Theme): void { this.ink = theme.ink; }

    draw(camera: PerspectiveCamera): void {
        const pen = this.element.getContext('2d')!;
        pen.setTransform(2, 0, 0, 2, size, size);
        pen.clearRect(-size, -size, 2 * size, 2 * size);
        pen.font = '600 10px system-ui, sans-serif';
        pen.textAlign = 'center';
        pen.textBaseline = 'middle';
        pen.lineWidth = 2;
        pen.lineCap = 'round';
        const turned = [0, 1, 2].map((k) => ({ k, to: new Vector3().setComponent(k, 1).transformDirection(camera.matrixWorldInverse) })).sort((a, b) => a.to.z - b.to.z);
        for (const { k, to } of turned) {
            pen.strokeStyle = colours[k];
            pen.beginPath();
            pen.moveTo(0, 0);
            pen.lineTo(to.x * 20, -to.y * 20);
            pen.stroke();
            pen.fillStyle = this.ink;
            pen.fillText('xyz'[k], to.x * 27, -to.y * 27);
        }
    }
}
