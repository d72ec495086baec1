// Claims about pages with invalid data: they show an error message and are never blank.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as documents from './documents.mjs';
import { Browser, skip } from './support.mjs';

let browser;
before(async () => { if (!skip) browser = await Browser.start(); });
after(() => browser?.stop());

const says = (name, packets, words, state = 'failed') => test(name, { skip }, async () => {
    const tab = await browser.open(packets());
    assert.equal(await tab.getAttribute('html', 'data-state'), state);
    if (state === 'ready') await tab.keyboard.press('End');
    await tab.getByRole('alert').waitFor();
    assert.match(await tab.getByRole('alert').textContent(), words);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
});

says('bytes that are not a packet are reported', () => [new TextEncoder().encode('<html>not found</html>')], /does not begin with FTHM/);
says('a truncated packet is reported', () => [documents.mesh()[0].subarray(0, 40_000)], /but there are/);
says('a missing packet is reported', () => documents.recording().slice(0, 1), /packet 1 is not in this page/);
says('a damaged chunk is reported, and the other frames still play', () => [...documents.recording(60, 10).slice(0, 6), new Uint8Array(20)],
    /Frame 59 cannot be shown.*packet 6/, 'ready');

test('a page without data explains how to write one with data', { skip }, async () => {
    const tab = await browser.open([]);
    assert.match(await tab.getByRole('alert').textContent(), /contains no data.*fathom view/);
    await tab.close();
});

test('text from a file is shown as text and not interpreted as HTML', { skip }, async () => {
    const { PacketWriter } = await import('./packet_writer.mjs');
    const { box } = await import('./shapes.mjs');
    const writer = new PacketWriter();
    const bad = '<img src=x onerror="document.title=\'owned\'">';
    const tab = await browser.open([writer.finish({ title: bad, subtitle: bad, bodies: [documents.body(writer, bad, box(1, 1, 1), { info: { [bad]: bad } })], layers: [] })]);
    assert.equal(await tab.locator('h1').textContent(), bad);
    assert.equal(await tab.locator('img').count(), 0);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
});
