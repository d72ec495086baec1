// Sources of packets: the page itself, if it was opened as a file, or the server that delivered the page.
import { FormatError } from './values';

export interface PacketSource {
    load(packet: number): Promise<Uint8Array>;
}

// The page if it contains packet 0, otherwise the server.
export function findSource(page: Document = document): PacketSource {
    if (page.querySelector(selector(0))) return { load: (packet) => fromPage(page, packet) };
    if (page.location.protocol === 'file:') {
        return { load: () => Promise.reject(new FormatError('this page contains no data; write a page with data with: fathom view MODEL --html FILE')) };
    }
    return { load: fromServer };
}

const selector = (packet: number) => `script[type="application/x-fathom"][data-packet="${packet}"]`;

async function fromPage(page: Document, packet: number): Promise<Uint8Array> {
    const text = page.querySelector(selector(packet))?.textContent?.trim();
    if (text === undefined) throw new FormatError(`packet ${packet} is not in this page`);
    let zipped: string;
    try {
        zipped = atob(text);
    } catch {
        throw new FormatError(`packet ${packet} is damaged (it is not base64)`);
    }
    const bytes = new Uint8Array(zipped.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = zipped.charCodeAt(i);
    try {
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
        throw new FormatError(`packet ${packet} is damaged (it cannot be decompressed)`);
    }
}

async function fromServer(packet: number): Promise<Uint8Array> {
    let response: Response;
    try {
        response = await fetch(`packets/${packet}`);
    } catch {
        throw new FormatError('the server does not respond; is fathom view still running?');
    }
    if (!response.ok) throw new FormatError(`the server rejected the request for packet ${packet} (${response.status} ${response.statusText})`);
    return new Uint8Array(await response.arrayBuffer());
}
