// Why: makes one html file of the page, script and style inside, so that it opens with a double click and is embedded as it is.
import { defineConfig } from 'vite';

// Inside a script these would end it, or hide its end.
const harmless = (code) => code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

function oneFile() {
    return {
        name: 'one-file',
        enforce: 'post',
        generateBundle(_, bundle) {
            const page = bundle['index.html'];
            for (const [name, item] of Object.entries(bundle)) {
                if (item === page) continue;
                const tag = item.type === 'chunk'
                    ? new RegExp(`<script[^>]*src="\\./${name}"[^>]*></script>`)
                    : new RegExp(`<link[^>]*href="\\./${name}"[^>]*>`);
                if (!tag.test(page.source)) this.error(`${name} has no place in the page`);
                page.source = page.source.replace(tag, () => item.type === 'chunk'
                    ? `<script type="module">${harmless(item.code)}</script>`
                    : `<style>${item.source}</style>`);
                delete bundle[name];
            }
            if (page.source.split('<!-- packets -->').length !== 2) this.error('the page must have one place for packets');
        },
    };
}

export default defineConfig({
    base: './',
    plugins: [oneFile()],
    build: {
        target: 'es2022',
        modulePreload: false,
        cssCodeSplit: false,
        chunkSizeWarningLimit: 2000,
        rollupOptions: { output: { entryFileNames: 'viewer.js', assetFileNames: '[name][extname]' } },
    },
});
