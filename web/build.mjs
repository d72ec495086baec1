// Builds the page as one HTML file with inlined script and style, so that it opens from a file and can be embedded unchanged.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const place = '<!-- packets -->';

// Inside a script element these would end the element or hide its end.
const harmless = (code) => code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

const bundle = await build({
    entryPoints: ['src/main.ts'], bundle: true, minify: true, write: false, outdir: 'dist', format: 'esm', target: 'es2022', legalComments: 'inline', logLevel: 'warning',
});
const made = (ending) => bundle.outputFiles.find((file) => file.path.endsWith(ending)).text;
const page = (await readFile('index.html', 'utf8'))
    .replace('<link rel="stylesheet" href="src/style.css">', () => `<style>${made('.css')}</style>`)
    .replace('<script type="module" src="src/main.ts"></script>', () => `<script type="module">${harmless(made('.js'))}</script>`);
if (/(?:src|href)="src\//.test(page)) throw new Error('a part of the page was not inlined');
if (page.split(place).length !== 2) throw new Error(`the page must contain ${place} exactly once`);
await mkdir('dist', { recursive: true });
await writeFile('dist/viewer.html', page);
