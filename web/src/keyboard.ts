// Keyboard input, and the help overlay that lists the keys.
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

// Whether the focused control handles the key itself.
function isForControl(event: KeyboardEvent): boolean {
    const target = event.target as HTMLElement;
    if (target instanceof HTMLSelectElement) return true;
    if (target instanceof HTMLInputElement) return target.type === 'range' ? /^(Arrow|Home|End|Page)/.test(event.key) : event.key === ' ';
    return /^(BUTTON|SUMMARY)$/.test(target.tagName) && (event.key === ' ' || event.key === 'Enter');
}

// The help overlay with all keys. It is a modal dialog: the browser keeps the focus inside and closes it with escape.
export function helpOverlay(keys: Key[]): HTMLDialogElement {
    const close = h('button', { type: 'button', 'aria-label': 'Close help', onclick: () => dialog.close() }, '×');
    const dialog = h('dialog', { class: 'help', 'aria-label': 'Help', onclick: (event: MouseEvent) => { if (event.target === dialog) dialog.close(); } },
        h('header', {}, h('h2', {}, 'Keys and pointer'), close),
        h('dl', {},
            ...keys.flatMap(({ shown, does }) => [h('dt', {}, ...shown.split(' ').map((key) => h('kbd', {}, key))), h('dd', {}, does)]),
            h('dt', {}, 'drag'), h('dd', {}, 'rotate the camera; pan with the right button or two fingers; zoom with the wheel or by pinching'),
            h('dt', {}, 'click'), h('dd', {}, 'pick the item under the pointer; click again for the item behind it')));
    return dialog;
}
