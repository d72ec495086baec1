// A depth map as a relief in space and as an image in the panel.
import { Box3, Box3Helper, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Mesh, MeshStandardMaterial, Vector3 } from 'three';
import { quaternionOf } from '../body';
import { checkbox, h } from '../dom';
import type { DepthMapData } from '../layer_data';
import { digits } from '../numbers';
import type { Theme } from '../theme';
import type { Context, LayerView } from './layer';

const maxAcross = 512; // maximum number of points of the relief along a side
const steep = 0.12;     // depth difference of neighbours, as a fraction of the depth of the view, above which they belong to different surfaces

export class DepthMapLayer implements LayerView {
    readonly object = new Group();
    readonly controls: HTMLElement[];
    private readonly frame: Box3Helper;
    private readonly range: { min: number; max: number; covered: number };

    constructor(readonly data: DepthMapData, context: Context) {
        this.range = rangeOf(data.depths);
        const { extent, pose } = data;
        this.object.position.set(pose[0], pose[1], pose[2]);
        this.object.quaternion.copy(quaternionOf(pose));
        this.frame = new Box3Helper(new Box3(new Vector3().fromArray(extent, 0), new Vector3().fromArray(extent, 3)), new Color('#8a93a1'));
        // The relief is drawn slightly in front of the surface that it shows.
        const relief = new Mesh(this.relief(), new MeshStandardMaterial({ vertexColors: true, side: DoubleSide, roughness: 0.8, polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -40 }));
        relief.castShadow = relief.receiveShadow = true;
        this.object.add(relief, this.frame);
        const depth = extent[5] - extent[2];
        const share = this.range.covered / data.depths.length;
        this.controls = [
            this.picture(),
            h('div', { class: 'ramp' }, h('span', {}, `${digits(this.range.min * depth, 3)} m`), h('i', { style: `background:${gradient()}` }), h('span', {}, `${digits(this.range.max * depth, 3)} m`)),
            h('p', { class: 'note' }, `${data.width} × ${data.height} pixels, ${digits(100 * share, 3)} % covered; depth from the near plane`),
            checkbox('relief', true, (on) => { relief.visible = on; context.changed(); }),
            checkbox('view box', true, (on) => { this.frame.visible = on; context.changed(); }),
        ];
    }

    setTheme(theme: Theme): void { (this.frame.material as unknown as { color: Color }).color.copy(theme.ground); }

    private relief(): BufferGeometry {
        const { width, height, depths, extent } = this.data;
        const stride = Math.ceil(Math.max(width, height) / maxAcross);
        const across = Math.floor((width - 1) / stride) + 1;
        const down = Math.floor((height - 1) / stride) + 1;
        const at = (i: number, j: number) => depths[j * stride * width + i * stride];
        const positions = new Float32Array(3 * across * down);
        const colours = new Float32Array(3 * across * down);
        for (let j = 0; j < down; ++j) {
            for (let i = 0; i < across; ++i) {
                const shares = [(i * stride + 0.5) / width, (j * stride + 0.5) / height, Number.isFinite(at(i, j)) ? at(i, j) : 1];
                for (let k = 0; k < 3; ++k) positions[3 * (j * across + i) + k] = extent[k] + shares[k] * (extent[k + 3] - extent[k]);
                this.colour(at(i, j)).toArray(colours, 3 * (j * across + i));
            }
        }
        const triangles: number[] = [];
        const add = (...corners: [number, number][]) => {
            const values = corners.map(([i, j]) => at(i, j));
            if (!values.every(Number.isFinite) || Math.max(...values) - Math.min(...values) > steep * stride) return;
            triangles.push(...corners.map(([i, j]) => j * across + i));
        };
        for (let j = 0; j + 1 < down; ++j) {
            for (let i = 0; i + 1 < across; ++i) {
                add([i, j], [i, j + 1], [i + 1, j + 1]);
                add([i, j], [i + 1, j + 1], [i + 1, j]);
            }
        }
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(positions, 3));
        geometry.setAttribute('color', new BufferAttribute(colours, 3));
        geometry.setIndex(triangles);
        geometry.computeVertexNormals();
        return geometry;
    }

    // Row 0 is at the top: the view frame is right-handed and looks along z, so its y axis points down.
    private picture(): HTMLElement {
        const { width, height, depths } = this.data;
        const canvas = h('canvas', { width, height, class: 'picture', role: 'img', 'aria-label': `Image of ${this.data.name}` });
        const drawing = canvas.getContext('2d')!;
        const image = drawing.createImageData(width, height);
        for (let p = 0; p < depths.length; ++p) {
            if (!Number.isFinite(depths[p])) continue;
            const { r, g, b } = this.colour(depths[p]).convertLinearToSRGB();
            image.data.set([255 * r, 255 * g, 255 * b, 255], 4 * p);
        }
        drawing.putImageData(image, 0, 0);
        return canvas;
    }

    private colour(depth: number): Color {
        const { min, max } = this.range;
        return ramp(max > min ? (depth - min) / (max - min) : 0);
    }
}

function rangeOf(depths: Float32Array): { min: number; max: number; covered: number } {
    const range = { min: Infinity, max: -Infinity, covered: 0 };
    for (const depth of depths) {
        if (!Number.isFinite(depth)) continue;
        range.min = Math.min(range.min, depth);
        range.max = Math.max(range.max, depth);
        ++range.covered;
    }
    return range.covered > 0 ? range : { min: 0, max: 1, covered: 0 };
}

// Near is light and warm, far is dark and cold. The lightness decreases monotonically, so the ramp can be read without colour.
const stops = ['#fbe8a6', '#f2a65a', '#c8566b', '#6d3f8c', '#2c2a5a'].map((hex) => new Color(hex));

function ramp(share: number): Color {
    const at = Math.min(Math.max(Number.isFinite(share) ? share : 1, 0), 1) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    return stops[low].clone().lerp(stops[low + 1], at - low);
}

const gradient = () => `linear-gradient(90deg,${stops.map((stop) => `#${stop.getHexString()}`).join()})`;
