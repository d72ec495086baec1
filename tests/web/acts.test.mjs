// Claims about user actions on the page: play, step, pick, switch, drag, clip.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as documents from './documents.mjs';
import { Browser, clickUntil, picked, picture, seekCursor, skip } from './support.mjs';

let browser;
before(async () => { if (!skip) browser = await Browser.start(); });
after(() => browser?.stop());

const act = (name, kind, play) => test(name, { skip }, async () => {
    const tab = await browser.open(documents[kind]());
    await play(tab);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
});
const frame = async (tab) => Number((await tab.locator('.frame').textContent()).split(' ')[0]);
const until = (tab, wanted) => tab.waitForFunction((n) => document.querySelector('.frame').textContent.startsWith(`${n} /`), wanted);

act('keys step, jump, play and pause', 'recording', async (tab) => {
    const start = await picture(tab);
    await tab.keyboard.press('ArrowRight');
    await until(tab, 1);
    await tab.keyboard.press('Shift+ArrowRight');
    await until(tab, 11);
    await tab.keyboard.press('End');
    await until(tab, 119);
    assert.ok((await browser.compare(start, await picture(tab))).changed > 0.005, 'bodies have moved');
    await tab.keyboard.press('Home');
    await until(tab, 0);
    await tab.keyboard.press(' ');
    await tab.waitForFunction(() => Number(document.querySelector('.frame').textContent.split(' ')[0]) > 3);
    await tab.keyboard.press(' ');
    await tab.getByLabel('Play (space)').waitFor();
    const paused = await frame(tab);
    await tab.waitForTimeout(200);
    assert.equal(await frame(tab), paused);
});

act('times of a sweep are fractions of the motion, not seconds', 'sweep', async (tab) => {
    await tab.keyboard.press('End');
    await until(tab, 60);
    assert.equal(await tab.locator('.time').textContent(), '1');
});

act('a slice names its colours, which are those of the images', 'field', async (tab) => {
    assert.match(await tab.locator('.layer .note').first().textContent(), /blue inside, orange outside/);
});

act('the timeline scrubs, and a click in a plot goes to a frame', 'recording', async (tab) => {
    await tab.getByLabel('Frame shown').fill('60');
    await until(tab, 60);
    assert.match(await tab.locator('.time').textContent(), /^1 s/);
    const plot = tab.locator('.plot').first();
    await plot.click({ position: { x: (await plot.boundingBox()).width - 9, y: 40 } });
    await until(tab, 119);
});

act('a click on a body shows its triangle, its pose and its values, and escape clears the selection', 'tetrahedra', async (tab) => {
    const before = await picture(tab);
    assert.match(await clickUntil(tab, /triangle/), /hollow ball.*triangle\d+.*area.*normal.*position \(m\)0, 0, 0.*tetrahedra5280/s);
    assert.ok((await browser.compare(before, await picture(tab))).changed > 1e-4, 'the triangle is marked');
    await tab.keyboard.press('Escape');
    assert.match(await picked(tab), /Click a body/);
});

act('a click on a contact shows its depth and its bodies', 'recording', async (tab) => {
    await tab.keyboard.press('End');
    await until(tab, 119);
    assert.match(await clickUntil(tab, /Contact/), /Contact \d.*between(table|pebble|ring|die) and .*depth \(m\)0\.0/s);
});

act('w selects the wireframe, the list hides a body', 'mesh', async (tab) => {
    const shaded = await picture(tab);
    await tab.keyboard.press('w');
    await tab.keyboard.press('w');
    const wires = await picture(tab);
    assert.ok((await browser.compare(shaded, wires)).changed > 0.05);
    await tab.getByLabel('Display of torus').selectOption('hidden');
    const hidden = await picture(tab);
    assert.ok((await browser.compare(wires, hidden)).changed > 0.02);
});

act('u rotates floor and camera, not the bodies', 'mesh', async (tab) => {
    const start = await picture(tab);
    await tab.keyboard.press('u');
    const turned = await picture(tab);
    assert.ok((await browser.compare(start, turned)).changed > 0.05);
    assert.match(await clickUntil(tab, /position/), /position \(m\)/);
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('u');
    assert.ok((await browser.compare(start, await picture(tab))).changed < 0.02);
});

act('glass is transparent', 'mesh', async (tab) => {
    const shaded = await picture(tab);
    await tab.getByLabel('Display of torus').selectOption('glass');
    const glass = await picture(tab);
    assert.ok((await browser.compare(shaded, glass)).changed > 0.02);
    await tab.getByLabel('Display of torus').selectOption('shaded');
    assert.ok((await browser.compare(shaded, await picture(tab))).changed < 0.001);
});

act('points of a cloud have the colours of their speeds', 'deforming', async (tab) => {
    const start = await picture(tab);
    const colours = await browser.scratch.evaluate(async (data) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
        pen.drawImage(image, 0, 0);
        const pixels = pen.getImageData(0, 0, image.width, image.height).data;
        let [bright, dark] = [0, 0];
        for (let i = 0; i < pixels.length; i += 4) {
            const [r, g, b] = pixels.subarray(i, i + 3);
            if (r > 180 && g > 100 && b < 90) ++bright;
            if (r < 150 && g < 60 && b > 50) ++dark;
        }
        return { bright, dark };
    }, start.toString('base64'));
    assert.ok(colours.bright > 50 && colours.dark > 50, JSON.stringify(colours));
});

act('layers are switched, levels selected, cells picked', 'field', async (tab) => {
    const slice = await picture(tab);
    await tab.getByText('distance', { exact: true }).click();
    const bare = await picture(tab);
    assert.ok((await browser.compare(slice, bare)).changed > 0.05);
    await tab.getByText('octree', { exact: true }).click();
    const cells = await picture(tab);
    assert.ok((await browser.compare(bare, cells)).changed > 0.05);
    await tab.getByLabel('Level of cells').fill('2');
    assert.match(await tab.locator('.layer[data-type=boxes] output').textContent(), /2 of 5 · \d+ cells/);
    assert.ok((await browser.compare(cells, await picture(tab))).changed > 0.02);
    assert.match(await clickUntil(tab, /Cell/), /Cell \d+ of octree.*level2.*size \(m\)0\.6, 0\.6, 0\.6/s);
});

act('a slice is dragged by its frame, and the image changes', 'field', async (tab) => {
    assert.match(await clickUntil(tab, /signed distance/), /signed distance/);
    await tab.locator('.layer[data-type=volume]').getByRole('button', { name: 'z', exact: true }).click();
    const position = () => tab.locator('.layer[data-type=volume] output').textContent();
    assert.match(await position(), /z = 0 m/);
    const before = await picture(tab);
    const at = await seekCursor(tab, 'move');
    assert.ok(at, 'the cursor shows that the frame can be dragged');
    await tab.mouse.down();
    await tab.mouse.move(at.x, at.y - 20);
    await tab.mouse.move(at.x, at.y - 40);
    await tab.mouse.up();
    assert.match(await position(), /z = 0\.[0-9]+ m/);
    assert.ok((await browser.compare(before, await picture(tab))).changed > 0.02);
    const turned = await picture(tab);
    await tab.mouse.move(20, 100);
    await tab.mouse.down();
    await tab.mouse.move(120, 130);
    await tab.mouse.up();
    assert.ok((await browser.compare(turned, await picture(tab))).changed > 0.02, 'elsewhere a drag rotates the camera');
});

act('tetrahedra are clipped and shrunk', 'tetrahedra', async (tab) => {
    const whole = await picture(tab);
    await tab.keyboard.press('x');
    const open = await picture(tab);
    assert.ok((await browser.compare(whole, open)).changed > 0.05);
    await tab.getByLabel('Shrink tetrahedra').fill('0.3');
    assert.ok((await browser.compare(open, await picture(tab))).changed > 0.05);
    assert.match(await clickUntil(tab, /tetrahedron/), /tetrahedron\d+/);
});

act('a path shows its contact intervals, and a click goes to one', 'sweep', async (tab) => {
    await tab.getByText('0.31 – 0.52').click();
    await until(tab, 18);
    assert.match(await tab.locator('.layer[data-type=path]').textContent(), /colliding, proven.*colliding, not proven/);
});

act('help opens, lists the keys and closes', 'recording', async (tab) => {
    await tab.keyboard.press('?');
    await tab.locator('dialog[open]').waitFor();
    assert.match(await tab.locator('dialog').textContent(), /play or pause.*shaded, with edges, wireframe/);
    await tab.keyboard.press('Escape');
    await tab.locator('dialog[open]').waitFor({ state: 'detached' });
});

act('a sphere is picked, a depth map is drawn in the panel', 'spheres', async (tab) => {
    assert.match(await clickUntil(tab, /Sphere/), /Sphere \d+ of sphere tree.*radius/s);
    const depth = await browser.open(documents.depth());
    const ink = await depth.locator('canvas.picture').evaluate((canvas) => new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size);
    assert.ok(ink > 20, `${ink} tones`);
    await depth.close();
});
