// The table of keys and their actions, which the help overlay shows too.
import { Vector3 } from 'three';
import type { Key } from './keyboard';
import type { Viewer } from './viewer';

export function keysOf(viewer: Viewer): Key[] {
    const { playback, stage } = viewer;
    const step = (event: KeyboardEvent) => (event.shiftKey ? 10 : 1);
    const view = (from: Vector3) => () => stage.viewFrom(from.clone().normalize().applyQuaternion(stage.upright));
    const timed: Key[] = [
        { keys: [' '], shown: 'space', does: 'play or pause', act: () => viewer.play(!playback.playing) },
        { keys: ['ArrowLeft'], shown: '←', does: 'one frame back; with shift ten', act: (event) => viewer.seek(playback.frame - step(event)) },
        { keys: ['ArrowRight'], shown: '→', does: 'one frame forward; with shift ten', act: (event) => viewer.seek(playback.frame + step(event)) },
        { keys: ['Home'], shown: 'home', does: 'first frame', act: () => viewer.seek(0) },
        { keys: ['End'], shown: 'end', does: 'last frame', act: () => viewer.seek(playback.count - 1) },
    ];
    const live: Key[] = [
        { keys: ['t'], shown: 't', does: 'drag translates the body', act: () => viewer.live?.setWay('translate') },
        { keys: ['r'], shown: 'r', does: 'drag rotates the body', act: () => viewer.live?.setWay('rotate') },
    ];
    return [
        ...(playback.count > 1 ? timed : []),
        ...(viewer.live ? live : []),
        { keys: ['w'], shown: 'w', does: 'shaded, with edges, wireframe, transparent', act: () => viewer.nextMode() },
        { keys: ['c'], shown: 'c', does: 'contacts on or off', act: () => viewer.toggleContacts() },
        { keys: ['x'], shown: 'x', does: 'clip', act: () => viewer.cut.set(!viewer.cut.on) },
        { keys: ['f'], shown: 'f', does: 'frame the picked item, or everything', act: () => viewer.fit() },
        { keys: ['h'], shown: 'h', does: 'initial view', act: () => stage.home() },
        { keys: ['1'], shown: '1', does: 'view from the front', act: view(new Vector3(0, -1, 0)) },
        { keys: ['2'], shown: '2', does: 'view from the right', act: view(new Vector3(1, 0, 0)) },
        { keys: ['3'], shown: '3', does: 'view from above', act: view(new Vector3(0, -1e-4, 1)) },
        { keys: ['u'], shown: 'u', does: 'z up or y up', act: () => viewer.turnUp() },
        { keys: ['d'], shown: 'd', does: 'dark or light', act: () => viewer.themes.toggle() },
        { keys: ['p'], shown: 'p', does: 'side panel', act: () => viewer.togglePanel() },
        { keys: ['?', '/'], shown: '?', does: 'this help', act: () => viewer.help.showModal() },
        { keys: ['Escape'], shown: 'esc', does: 'clear the selection', act: () => viewer.pick(undefined) },
    ];
}
