// Claims about pages from a server: large recordings are streamed, and in live mode the poses of a dragged body are sent and the response is shown.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import * as documents from './documents.mjs';
import { Browser, page, seekCursor, skip } from './support.mjs';

let browser;
before(async () => { if (!skip) browser = await Browser.start(); });
after(() => browser?.stop());

// Serves packets as the program does, records the requests, and simulates a live server whose two bodies are in contact when they are close.
async function serve(context, packets) {
    const asked = [], moves = [];
    const poses = [[-0.6, 0, 0, 1, 0, 0, 0], [0.6, 0, 0, 1, 0, 0, 0]];
    const state = () => {
        const gap = poses[1][0] - poses[0][0] - 0.9;
        const contacts = gap < 0 ? { positions: [[poses[1][0] - 0.4, 0, 0]], normals: [[1, 0, 0]], depths: [-gap], bodies: [[0, 1]] } : { positions: [], normals: [], depths: [], bodies: [] };
        return { poses, contacts, pairs: [{ a: 0, b: 1, status: gap < 0 ? 'overlapping' : 'disjoint', proven: gap >= 0, method: 'field_field', depth: Math.max(-gap, 0), error_bound: 1e-4, distance: gap < 0 ? null : { upper_bound: gap, error_bound: 1e-4 }, microseconds: 35 }] };
    };
    const server = createServer(async (request, response) => {
        asked.push(`${request.method} ${request.url}`);
        const found = /^\/packets\/(\d+)$/.exec(request.url);
        if (request.url === '/') return response.setHeader('Content-Type', 'text/html').end(page);
        if (found && packets[found[1]]) return response.end(packets[found[1]]);
        if (request.url !== '/live') return response.writeHead(404).end();
        if (request.method === 'POST') {
            let text = '';
            for await (const part of request) text += part;
            const { body, pose } = JSON.parse(text);
            moves.push({ body, pose });
            poses[body] = pose;
        }
        return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(state()));
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    context.after(() => { server.closeAllConnections(); server.close(); });
    return { address: `http://127.0.0.1:${server.address().port}/`, asked, moves };
}

// Picks the left body and drags it to the right by its handles.
async function dragLeft(tab) {
    await tab.locator('.bodies').getByRole('button', { name: 'left' }).click();
    await tab.keyboard.press('h');
    const at = await seekCursor(tab, 'grab', [[-1, 0], [-1, 0.02], [-1, -0.05], [-1, 0.06]]);
    assert.ok(at, 'the cursor shows that the handles can be dragged');
    await tab.mouse.down();
    for (let k = 1; k <= 8; ++k) await tab.mouse.move(at.x + 14 * k, at.y + 3 * k);
    await tab.mouse.up();
}

test('a long recording is streamed: only chunks near the current frame are requested', { skip }, async (context) => {
    const server = await serve(context, documents.recording(400, 10));
    const tab = await browser.visit(server.address);
    assert.equal(await tab.getAttribute('html', 'data-state'), 'ready');
    const chunks = () => server.asked.filter((line) => line.includes('packets')).length;
    await tab.waitForTimeout(200);
    assert.ok(chunks() <= 3, server.asked.join('\n'));
    await tab.keyboard.press('End');
    await tab.waitForFunction(() => document.querySelector('.frame').textContent.startsWith('399'));
    assert.ok(chunks() <= 6, server.asked.join('\n'));
    assert.deepEqual(tab.complaints, []);
    await tab.close();
});

test('live: a body is dragged, the server responds, contacts and pairs are updated', { skip }, async (context) => {
    const server = await serve(context, documents.live());
    const tab = await browser.visit(server.address);
    assert.match(await tab.locator('.pairs').textContent(), /left · right.*disjoint proven.*0\.3.*field_field.*35/s);
    await dragLeft(tab);
    await tab.waitForFunction(() => /overlapping/.test(document.querySelector('.pairs').textContent));
    assert.ok(server.moves.length > 0 && server.moves.every(({ body, pose }) => body === 0 && pose.length === 7), JSON.stringify(server.moves));
    assert.match(await tab.locator('.layer[data-type=contacts] output').textContent(), /1 contact · deepest 0\.\d+ m/);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
});

test('live: a lost connection to the server is reported', { skip }, async (context) => {
    const server = await serve(context, documents.live());
    const tab = await browser.visit(server.address);
    await tab.route('**/live', (route) => route.abort());
    await dragLeft(tab);
    await tab.getByRole('alert').waitFor();
    assert.match(await tab.getByRole('alert').textContent(), /does not respond/);
    await tab.close();
});
