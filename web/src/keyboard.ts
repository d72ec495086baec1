// Why: keys, in one table that the help overlay shows too.
import { h } from './dom';

export interface Key { keys: string[]; shown: string; does: string; act(event: KeyboardEvent): void }

export function listen(keys: Key[]): void {
    addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || isForControl(event) || document.querySelector('dialog[open]')) return;
        const found = keys.find((key) => key.keys.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key));
        if (!found) return;
        event.preventDefault();
        found.act(event);
    });
}

// A control that has the focus keeps the keys that it understands.
function isForControl(event: KeyboardEvent): boolean {
    const target = event.target as HTMLElement;
    if (target instanceof HTMLSelectElement) return true;
    if (target instanceof HTMLInputElement) return target.type === 'range' ? /^(Arrow|Home|End|Page)/.test(event.key) : event.key === ' ';
    return /^(BUTTON|SUMMARY)$/.test(target.tagName) && (event.key === ' ' || event.key === 'Enter');
}

// The overlay with all keys; a modal dialog, so that the browser keeps the focus inside and closes it with escape.
export function helpOverlay(keys: Key[]): HTMLDialogElement {
    const close = h('button', { type: 'button', 'aria-label': 'Close help', onclick: () => dialog.close() }, '×');
    const dialog = h('dialog', { class: 'help', 'aria-label': 'Help', onclick: (event: MouseEvent) => { if (event.target === dialog) dialog.close(); } },
        h('header', {}, h('h2', {}, 'Keys and pointer'), close),
        h('dl', {},
            ...keys.flatMap(({ shown, does }) => [h('dt', {}, ...shown.split(' ').map((key) => h('kbd', {}, key))), h('dd', {}, does)]),
            h('dt', {}, 'drag'), h('dd', {}, 'turn the camera; with the right button or two fingers shift it; wheel or pinch to come nearer'),
            h('dt', {}, 'click'), h('dd', {}, 'pick what is there; click again for what is behind it')));
    return dialog;
}
