// Why: the page as a whole.
import { BodyView } from './body';
import type { ViewerDocument } from './document';
import { h } from './dom';
import type { FrameStore } from './frames';
import { Stage } from './stage';
import { Themes } from './theme';

export class Viewer {
    private readonly stage: Stage;
    constructor(app: HTMLElement, data: ViewerDocument, readonly frames: FrameStore) {
        const view = h('div', { class: 'view' });
        app.append(view);
        this.stage = new Stage(view, data.bounds);
        const bodies = data.bodies.map((body, i) => new BodyView(body, i, this.stage.radius));
        this.stage.scene.add(...bodies.map((body) => body.object));
        new Themes((theme) => { bodies.forEach((b) => b.setTheme(theme)); this.stage.setTheme(theme); }).apply();
    }
    async start(): Promise<void> {}
}
