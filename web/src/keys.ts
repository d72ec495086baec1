// Why: what each key does; the help overlay is made from this table.
import { Vector3 } from 'three';
import type { Key } from './keyboard';
import type { Viewer } from './viewer';

export function keysOf(viewer: Viewer): Key[] {
    const { playback, stage } = viewer;
    const step = (event: KeyboardEvent) => (event.shiftKey ? 10 : 1);
    const look = (from: Vector3) => () => stage.look(from.clone().normalize().applyQuaternion(stage.upright));
    const timed: Key[] = [
        { keys: [' '], shown: 'space', does: 'play or pause', act: () => viewer.play(!playback.playing) },
        { keys: ['ArrowLeft'], shown: '←', does: 'one frame back; with shift ten', act: (event) => viewer.seek(playback.frame - step(event)) },
        { keys: ['ArrowRight'], shown: '→', does: 'one frame on; with shift ten', act: (event) => viewer.seek(playback.frame + step(event)) },
        { keys: ['Home'], shown: 'home', does: 'first frame', act: () => viewer.seek(0) },
        { keys: ['End'], shown: 'end', does: 'last frame', act: () => viewer.seek(playback.count - 1) },
    ];
    const live: Key[] = [
        { keys: ['t'], shown: 't', does: 'drag moves the body', act: () => viewer.live?.setWay('move') },
        { keys: ['r'], shown: 'r', does: 'drag turns the body', act: () => viewer.live?.setWay('turn') },
    ];
    return [
        ...(playback.count > 1 ? timed : []),
        ...(viewer.live ? live : []),
        { keys: ['w'], shown: 'w', does: 'shaded, with edges, as wires, as glass', act: () => viewer.nextMode() },
        { keys: ['c'], shown: 'c', does: 'contacts', act: () => viewer.toggleContacts() },
        { keys: ['x'], shown: 'x', does: 'cut open', act: () => viewer.cut.set(!viewer.cut.on) },
        { keys: ['f'], shown: 'f', does: 'look at what is picked, or at all', act: () => viewer.fit() },
        { keys: ['h'], shown: 'h', does: 'the view at the start', act: () => stage.home() },
        { keys: ['1'], shown: '1', does: 'look from the front', act: look(new Vector3(0, -1, 0)) },
        { keys: ['2'], shown: '2', does: 'look from the right', act: look(new Vector3(1, 0, 0)) },
        { keys: ['3'], shown: '3', does: 'look from above', act: look(new Vector3(0, -1e-4, 1)) },
        { keys: ['u'], shown: 'u', does: 'z is up, or y', act: () => viewer.turnUp() },
        { keys: ['d'], shown: 'd', does: 'dark or light', act: () => viewer.themes.toggle() },
        { keys: ['p'], shown: 'p', does: 'side panel', act: () => viewer.togglePanel() },
        { keys: ['?', '/'], shown: '?', does: 'this help', act: () => viewer.help.showModal() },
        { keys: ['Escape'], shown: 'esc', does: 'forget what is picked', act: () => viewer.pick(undefined) },
    ];
}
