// The icons of the page as outlines, which look the same on every system.

const paths = {
    play: 'M5 3l9 5.5L5 14z',
    pause: 'M4 3h3v11H4zM10 3h3v11h-3z',
    back: 'M12 3v11L5 8.5zM3 3h2v11H3z',
    forward: 'M5 3v11l7-5.5zM12 3h2v11h-2z',
    first: 'M14 3v11L8.5 8.5zM8.5 3v11L3 8.5zM1.5 3h1.5v11H1.5z',
    last: 'M3 3v11l5.5-5.5zM8.5 3v11L14 8.5zM14 3h1.5v11H14z',
    loop: 'M12 4H5a4 4 0 0 0-4 4h2a2 2 0 0 1 2-2h7v2.5L16 5l-4-3.5zM5 13h7a4 4 0 0 0 4-4h-2a2 2 0 0 1-2 2H5V8.5L1 12l4 3.5z',
    up: 'M8.5 1.5l5 5.5h-3.500v5h-3V7h-3.500zM3 13.500h11v2H3z',
    theme: 'M8.5 1a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zm0 2v11a5.5 5.5 0 0 1 0-11z',
    fit: 'M2 2h5v2H4v3H2zM10 2h5v5h-2V4h-3zM2 10h2v3h3v2H2zM13 10h2v5h-5v-2h3z',
    panel: 'M2 3h13v11H2zm8 1.5H3.5v8H10z',
    help: 'M7.5 12h2v2h-2zM8.5 3a4 4 0 0 0-4 4h2a2 2 0 1 1 3 1.7c-1.200.7-2 1.300-2 2.800h2c0-.7.4-.9 1-1.300A4 4 0 0 0 8.5 3z',
} as const;

export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGSVGElement {
    const space = 'http://www.w3.org/2000/svg';
    const image = document.createElementNS(space, 'svg');
    image.setAttribute('viewBox', '0 0 17 17');
    image.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', paths[name]);
    path.setAttribute('fill-rule', 'evenodd');
    image.append(path);
    return image;
}
