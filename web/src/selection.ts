// Why: the one thing that is picked: its marker in the scene, its numbers in the panel, both kept true while frames pass.
import type { Pick } from './layers/layer';
import type { Panel } from './panel';
import type { Stage } from './stage';

export class Selection {
    pick?: Pick;

    constructor(private readonly stage: Stage, private readonly panel: Panel) {}

    set(pick: Pick | undefined): void {
        this.pick?.marker?.removeFromParent();
        this.pick = pick;
        this.panel.showPick(pick);
        if (pick?.marker) (pick.parent ?? this.stage.scene).add(pick.marker);
        this.stage.invalidate();
    }

    // Contacts have no identity from frame to frame, so a picked one is let go when the frame is another.
    refresh(otherFrame: boolean): void {
        if (otherFrame && this.pick?.kind === 'contact') this.set(undefined);
        else this.panel.showPick(this.pick);
    }
}
