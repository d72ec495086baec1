// The entry point of the page. Errors are shown in the page, which is never left blank.
import './style.css';
import { readDocument } from './document';
import { showFault } from './faults';
import { FrameStore } from './frames';
import { Packet } from './packets';
import { findSource } from './sources';
import { Viewer } from './viewer';

async function start(): Promise<void> {
    const app = document.querySelector<HTMLElement>('#app')!;
    try {
        const source = findSource();
        const data = readDocument(new Packet(await source.load(0), 'packet 0'));
        document.title = `${data.title} · Fathom`;
        const viewer = new Viewer(app, data, new FrameStore(data, source));
        await viewer.start();
        document.documentElement.dataset.state = 'ready';
    } catch (error) {
        document.documentElement.dataset.state = 'failed';
        showFault(app, error, 'The data cannot be shown');
    }
}

addEventListener('error', (event) => {
    // Browsers report this if a layout takes two passes; it is harmless.
    if (!event.message.startsWith('ResizeObserver loop')) showFault(document.body, event.error ?? event.message);
});
addEventListener('unhandledrejection', (event) => showFault(document.body, event.reason));
void start();
