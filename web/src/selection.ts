// The picked item: its marker in the scene and its values in the panel, updated for every frame.
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

    // Contacts have no identity across frames, so a picked contact is released when the frame changes.
    refresh(otherFrame: boolean): void {
        if (otherFrame && this.pick?.kind === 'contact') this.set(undefined);
        else this.panel.showPick(this.pick);
    }
}
