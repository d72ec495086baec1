// Claims about every kind of page in a browser: it opens as a file, logs no errors, and is not blank.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as documents from './documents.mjs';
import { Browser, page, picture, skip } from './support.mjs';

let browser;
before(async () => { if (!skip) browser = await Browser.start(); });
after(() => browser?.stop());

for (const kind of ['mesh', 'recording', 'deforming', 'tetrahedra', 'field', 'spheres', 'sweep', 'depth']) {
    test(`a ${kind} opens without errors and is not blank`, { skip }, async () => {
        const tab = await browser.open(documents[kind]());
        assert.equal(await tab.getAttribute('html', 'data-state'), 'ready');
        const shown = await picture(tab);
        const { colours } = await browser.compare(shown, shown);
        assert.ok(colours > 150, `${colours} colours`);
        assert.deepEqual(tab.complaints, []);
        await tab.close();
    });
}

test('the page contains no external references, and its policy forbids them', () => {
    assert.doesNotMatch(page.replace(/"http:\/\/www\.w3\.org[^"]*"/g, ''), /(?:src|href)="https?:/);
    assert.match(page, /Content-Security-Policy[^>]*default-src 'none'/);
    assert.equal(page.split('<!-- packets -->').length, 2);
});

test('the theme follows the system, and a switch changes it', { skip }, async () => {
    const tab = await browser.open(documents.mesh(), { colorScheme: 'dark' });
    assert.equal(await tab.getAttribute('html', 'data-theme'), 'dark');
    const dark = await picture(tab);
    await tab.getByLabel('Dark or light (d)').click();
    assert.equal(await tab.getAttribute('html', 'data-theme'), 'light');
    const { changed } = await browser.compare(dark, await picture(tab));
    assert.ok(changed > 0.5, `${changed}`);
    await tab.close();
});

test('every control has a name', { skip }, async () => {
    const tab = await browser.open(documents.recording());
    const nameless = await tab.evaluate(() => [...document.querySelectorAll('button, input, select')]
        .filter((control) => !(control.getAttribute('aria-label') || control.textContent.trim() || control.closest('label')?.textContent.trim())).map((control) => control.outerHTML));
    assert.deepEqual(nameless, []);
    await tab.close();
});

test('on a narrow screen the scene keeps most of the area, and fingers rotate and zoom', { skip }, async () => {
    const tab = await browser.open(documents.mesh(), { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
    const view = await tab.locator('.view').boundingBox();
    assert.ok(view.width > 380 && view.height > 350, JSON.stringify(view));
    const session = await tab.context().newCDPSession(tab);
    const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const gesture = async (from, to) => {
        const before = await picture(tab);
        await touch('touchStart', ...from);
        for (let k = 1; k <= 4; ++k) await touch('touchMove', ...from.map(([x, y], i) => [x + ((to[i][0] - x) * k) / 4, y + ((to[i][1] - y) * k) / 4]));
        await touch('touchEnd');
        return (await browser.compare(before, await picture(tab))).changed;
    };
    assert.ok((await gesture([[200, 300]], [[290, 330]])) > 0.02, 'one finger rotates');
    assert.ok((await gesture([[150, 300], [250, 300]], [[60, 300], [340, 300]])) > 0.05, 'two fingers zoom');
    await tab.close();
});
