// The dark and light themes, with the colours that WebGL and canvases use.
import { Color } from 'three';

export interface Theme {
    dark: boolean;
    background: Color;
    ground: Color;
    wire: Color;
    fixed: Color;
    ink: string;   // text and axes of plots
    faint: string; // grid lines of plots
}

const light: Theme = {
    dark: false, background: new Color('#f3f4f6'), ground: new Color('#8a93a1'), wire: new Color('#1f2733'), fixed: new Color('#b6bcc6'),
    ink: '#4b5563', faint: '#dfe3e8',
};
const dark: Theme = {
    dark: true, background: new Color('#15181d'), ground: new Color('#6d7786'), wire: new Color('#e8edf4'), fixed: new Color('#767f8c'),
    ink: '#a3acb9', faint: '#2a3038',
};

const palette = ['#5b8fd0', '#e0954f', '#5fae7e', '#b07cc6', '#46aab0', '#d8707f', '#a3a04a', '#8c86d8'];
export const seriesColours = ['#4a8ad4', '#e08a3c', '#4fab74', '#b26ccb', '#d65f6f', '#36a3ab'];

export const bodyColour = (index: number) => new Color(palette[index % palette.length]);

// The current theme: that of the system until the user selects one.
export class Themes {
    private readonly system = matchMedia('(prefers-color-scheme: dark)');
    private chosen?: boolean;

    constructor(private readonly changed: (theme: Theme) => void) {
        this.system.addEventListener('change', () => this.apply());
    }

    get current(): Theme { return (this.chosen ?? this.system.matches) ? dark : light; }

    toggle(): void {
        this.chosen = !this.current.dark;
        this.apply();
    }

    apply(): void {
        document.documentElement.dataset.theme = this.current.dark ? 'dark' : 'light';
        this.changed(this.current);
    }
}
