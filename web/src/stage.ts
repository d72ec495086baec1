// Camera, lights and canvas. The scene is drawn only when something has changed.
import {
    Box3, DirectionalLight, Group, HemisphereLight, type Object3D, PCFShadowMap, PerspectiveCamera, Quaternion, Scene, Sphere, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Bounds, Up } from './document';
import { Ground } from './ground';
import type { Theme } from './theme';

const homeward = new Vector3(0.9, -1.5, 0.85).normalize();

export class Stage {
    readonly renderer: WebGLRenderer;
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
    readonly upright = new Quaternion(); // rotation from z up to the current up axis
    readonly ground: Ground;
    readonly bounds: Box3;
    readonly radius: number;
    private readonly before: (() => void)[] = [];
    private readonly after: (() => void)[] = [];
    private readonly sky = new HemisphereLight('#ffffff', '#9a9082', 1.7);
    private readonly lights = new Group(); // centred on the bounds
    private orbit: OrbitControls;
    private waiting = false;

    constructor(private readonly container: HTMLElement, bounds: Bounds) {
        this.renderer = new WebGLRenderer({ antialias: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.renderer.shadowMap.autoUpdate = false; // see invalidate()
        this.renderer.localClippingEnabled = true;
        container.append(this.renderer.domElement);
        this.bounds = new Box3(new Vector3(bounds[0], bounds[1], bounds[2]), new Vector3(bounds[3], bounds[4], bounds[5]));
        this.radius = Math.max(this.bounds.getBoundingSphere(new Sphere()).radius, 1e-9);
        this.camera.up.set(0, 0, 1);
        this.orbit = this.newOrbit();
        this.ground = new Ground(this.bounds, this.radius);
        this.scene.add(this.ground.object);
        this.addLights();
        new ResizeObserver(() => this.resize()).observe(container);
        this.resize();
        this.home();
    }

    get controls(): OrbitControls { return this.orbit; } // replaced by setUp()
    get up(): Up { return this.camera.up.y > 0.5 ? 'y' : 'z'; }

    // Sets the up axis, which most files do not state. Bodies stay; floor, lights and camera are rotated.
    setUp(up: Up): void {
        this.upright.setFromAxisAngle(new Vector3(1, 0, 0), up === 'y' ? -Math.PI / 2 : 0);
        this.camera.up.set(0, 0, 1).applyQuaternion(this.upright).round();
        this.sky.position.copy(this.camera.up);
        this.lights.quaternion.copy(this.upright);
        this.ground.place(this.bounds, this.upright);
        this.orbit.dispose(); // it does not support a change of the up axis
        this.orbit = this.newOrbit();
        this.home();
    }

    get canvas(): HTMLCanvasElement { return this.renderer.domElement; }

    beforeDraw(call: () => void): void { this.before.push(call); }
    afterDraw(call: () => void): void { this.after.push(call); }

    setTheme(theme: Theme): void {
        this.scene.background = theme.background;
        this.ground.setTheme(theme);
        this.invalidate();
    }

    // Frames a box (by default the bounds) from the current direction of the camera or from a given one.
    viewFrom(from = this.camera.position.clone().sub(this.controls.target).normalize(), box = this.bounds): void {
        const distance = Math.max(this.distanceFor(from, box), this.radius / 500);
        this.camera.near = Math.min(distance / 100, this.radius / 100);
        this.camera.far = distance * 4 + this.radius * 40;
        this.camera.updateProjectionMatrix();
        box.getCenter(this.controls.target);
        this.camera.position.copy(this.controls.target).addScaledVector(from, distance);
        this.controls.update();
        this.invalidate();
    }

    focusOn(object: Object3D): void {
        const box = new Box3().setFromObject(object);
        if (!box.isEmpty()) this.viewFrom(undefined, box);
    }

    home(): void { this.viewFrom(homeward.clone().applyQuaternion(this.upright)); }

    // Requests a redraw after a change of the scene, with new shadows. A camera motion does not need new shadows.
    invalidate(): void {
        this.renderer.shadowMap.needsUpdate = true;
        this.redraw();
    }

    private redraw(): void {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            for (const call of this.before) call();
            this.renderer.render(this.scene, this.camera);
            for (const call of this.after) call();
        });
    }

    // The distance at which all corners of the box fit into the view, with a margin.
    private distanceFor(from: Vector3, box: Box3): number {
        const right = this.camera.up.clone().cross(from).normalize();
        const up = from.clone().cross(right);
        const tall = Math.tan((this.camera.fov * Math.PI) / 360) * 0.86;
        const wide = tall * this.camera.aspect;
        const centre = box.getCenter(new Vector3());
        let distance = 0;
        for (let i = 0; i < 8; ++i) {
            const corner = new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(centre);
            distance = Math.max(distance, corner.dot(from) + Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall));
        }
        return distance;
    }

    private newOrbit(): OrbitControls {
        const orbit = new OrbitControls(this.camera, this.renderer.domElement);
        orbit.zoomToCursor = true;
        orbit.addEventListener('change', () => this.redraw());
        return orbit;
    }

    private addLights(): void {
        this.sky.position.copy(this.camera.up);
        const sun = new DirectionalLight('#fff6e8', 2.1);
        sun.position.set(-0.55, -0.75, 1.6).normalize().multiplyScalar(this.radius * 3);
        sun.castShadow = true;
        sun.shadow.mapSize.set(2048, 2048);
        sun.shadow.radius = 5;
        sun.shadow.bias = -0.0012;
        sun.shadow.normalBias = this.radius * 0.006;
        const reach = this.radius * 1.3;
        Object.assign(sun.shadow.camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: this.radius, far: this.radius * 6 });
        const fill = new DirectionalLight('#dbe8ff', 0.5);
        fill.position.set(1, 0.6, 0.3).multiplyScalar(this.radius * 3);
        this.bounds.getCenter(this.lights.position);
        this.lights.add(sun, sun.target, fill, fill.target);
        this.scene.add(this.lights, this.sky);
    }

    private resize(): void {
        const { clientWidth, clientHeight } = this.container;
        if (clientWidth === 0 || clientHeight === 0) return;
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.setSize(clientWidth, clientHeight);
        this.camera.aspect = clientWidth / clientHeight;
        this.camera.updateProjectionMatrix();
        this.invalidate();
    }
}
