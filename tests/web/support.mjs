// Helpers of the page tests: a browser with reproducible rendering, pages made from packets, and image comparison.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { embed } from './packet_writer.mjs';

const site = process.env.FATHOM_VIEWER_SITE;
export const require = createRequire(join(site, 'package.json'));
export const page = readFileSync(process.env.FATHOM_VIEWER_PAGE, 'utf8');

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const chromium = (process.env.FATHOM_CHROMIUM ? [process.env.FATHOM_CHROMIUM] : usual).find((path) => existsSync(path));
export const skip = chromium ? false : 'Chromium was not found: tests of the page in a browser are skipped';

// Loads modules of the page outside of a browser.
export async function load(...names) {
    const { outputFiles } = await require('esbuild').build({
        stdin: { contents: names.map((name) => `export * from './src/${name}';`).join('\n'), resolveDir: site }, bundle: true, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'], write: false,
    });
    return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

export class Browser {
    static async start(size = { width: 840, height: 500 }) {
        const made = new Browser();
        made.size = size;
        made.folder = mkdtempSync(join(tmpdir(), 'fathom-web-'));
        made.browser = await require('playwright-core').chromium.launch({
            executablePath: chromium,
            args: ['--no-sandbox', '--disable-dev-shm-usage', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'], // the same pixels on every machine
        });
        made.scratch = await made.browser.newPage();
        return made;
    }

    async stop() {
        await this.browser.close();
        rmSync(this.folder, { recursive: true });
    }

    // Opens a page that contains these packets as a file. `complaints` collects the errors and warnings of the console.
    async open(packets, options = {}) {
        const file = join(this.folder, `${Math.random().toString(36).slice(2)}.html`);
        writeFileSync(file, embed(page, packets));
        return this.visit(pathToFileURL(file).href, options);
    }

    async visit(address, options = {}) {
        const tab = await this.browser.newPage({ viewport: this.size, colorScheme: 'light', ...options });
        tab.setDefaultTimeout(180_000); // long enough for a machine under load
        tab.complaints = [];
        tab.on('console', (message) => { if (['error', 'warning'].includes(message.type())) tab.complaints.push(message.text()); });
        tab.on('pageerror', (error) => tab.complaints.push(error.message));
        await tab.goto(address);
        await tab.waitForSelector('html[data-state]', { state: 'attached' });
        return tab;
    }

    // The fraction of pixels that differ between two images (0 to 1), and the number of colours of the second.
    compare(before, after) {
        return this.scratch.evaluate(async ([a, b]) => {
            const pixels = async (data) => {
                const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
                const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
                pen.drawImage(image, 0, 0);
                return pen.getImageData(0, 0, image.width, image.height).data;
            };
            const [one, other] = [await pixels(a), await pixels(b)];
            const colours = new Set();
            let changed = 0;
            for (let i = 0; i < other.length; i += 4) {
                colours.add((other[i] << 16) | (other[i + 1] << 8) | other[i + 2]);
                if (Math.abs(one[i] - other[i]) + Math.abs(one[i + 1] - other[i + 1]) + Math.abs(one[i + 2] - other[i + 2]) > 24) ++changed;
            }
            return { changed: changed / (other.length / 4), colours: colours.size };
        }, [before.toString('base64'), after.toString('base64')]);
    }
}

export const centre = async (tab) => {
    const box = await tab.locator('.view > canvas').first().boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

const drawn = (tab) => tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// An image of the scene only, after it has been drawn.
export async function picture(tab) {
    await drawn(tab);
    const { width, height } = await tab.locator('.view').boundingBox();
    return tab.screenshot({ clip: { x: 0, y: 60, width, height: height - 150 } });
}

export const picked = (tab) => tab.locator('.picked').textContent();

// Clicks on a spiral around the centre until the text of the picked item matches `words`; returns the last text. The
// spiral is repeated, because a busy machine may not have drawn the latest frame when it begins.
export async function clickUntil(tab, words) {
    const from = await centre(tab);
    const turns = 160;
    let found = '';
    for (let step = 0; step < 6 * turns && !words.test(found); ++step) {
        if (step > 0 && step % turns === 0) await tab.waitForTimeout(1000);
        const [angle, reach] = [2.4 * (step % turns), 11 * Math.sqrt(step % turns)];
        await tab.mouse.click(from.x + reach * Math.cos(angle), from.y + reach * Math.sin(angle));
        found = await picked(tab);
    }
    return found;
}

// Moves the pointer away from the centre until the cursor becomes `cursor`; returns the position, or undefined.
export async function seekCursor(tab, cursor, directions = [[1, 0], [-1, 0], [0, -1], [0, 1]]) {
    await drawn(tab);
    const from = await centre(tab);
    for (const [dx, dy] of directions) {
        for (let step = 0; step < 320; step += 4) {
            const at = { x: from.x + dx * step, y: from.y + dy * step };
            await tab.mouse.move(at.x, at.y);
            if (await tab.evaluate((name) => document.querySelector('.view > canvas').style.cursor === name, cursor)) return at;
        }
    }
    return undefined;
}
