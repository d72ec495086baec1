// Error messages in the page.
import { h } from './dom';
import { FormatError } from './values';

export function reasonOf(error: unknown): string {
    if (error instanceof FormatError) return error.message;
    const message = error instanceof Error ? error.message : String(error);
    if (/webgl/i.test(message)) return 'This browser does not support WebGL 2, which the viewer needs.';
    return message;
}

// Shows an error in a banner, which replaces an older one.
export function showFault(parent: HTMLElement, error: unknown, title = 'Error'): void {
    document.querySelector('.fault')?.remove();
    const banner = h('div', { class: 'fault', role: 'alert' },
        h('strong', {}, title), h('p', {}, reasonOf(error)),
        h('button', { type: 'button', 'aria-label': 'Close this message', onclick: () => banner.remove() }, '×'));
    parent.append(banner);
    if (!(error instanceof FormatError)) console.warn(error);
}

export function clearFault(): void {
    document.querySelector('.fault')?.remove();
}
