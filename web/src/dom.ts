// Functions that create elements, and the controls that the panel uses in several places.

type Attributes = { [name: string]: string | number | boolean | undefined | ((event: never) => void) };
type Child = Node | string | undefined | false;

// Creates an element: h('button', { class: 'tool', onclick: f }, 'Play'). Attributes are given by name, handlers by `on…`.
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
        else element.setAttribute(name, value === true ? '' : String(value));
    }
    element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
    return element;
}

// A table of labels and values.
export function table(rows: [string, string][]): HTMLElement {
    return h('dl', { class: 'rows' }, ...rows.flatMap(([label, value]) => [h('dt', {}, label), h('dd', {}, value)]));
}

export function slider(label: string, at: number, range: { min: number; max: number; step?: number }, change: (value: number) => void): HTMLLabelElement {
    const input = h('input', {
        type: 'range', min: range.min, max: range.max, step: range.step ?? (range.max - range.min) / 200 , value: at, 'aria-label': label,
        oninput: () => change(Number(input.value)),
    });
    return h('label', { class: 'field' }, h('span', {}, label), input);
}

// A row of buttons, one of which is pressed. `set` presses another one without calling `change`.
export function choice<T extends string>(label: string, options: readonly T[], at: T, change: (value: T) => void): HTMLElement & { set(value: T): void } {
    const buttons = options.map((option) =>
        h('button', { type: 'button', 'aria-pressed': String(option === at), onclick: () => { press(option); change(option); } }, option));
    const press = (value: T) => buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(options[i] === value)));
    return Object.assign(h('div', { class: 'choice', role: 'group', 'aria-label': label }, ...buttons), { set: press });
}

export function checkbox(label: string, at: boolean, change: (value: boolean) => void): HTMLLabelElement & { input: HTMLInputElement } {
    const input = h('input', { type: 'checkbox', checked: at, onchange: () => change(input.checked) });
    return Object.assign(h('label', { class: 'check' }, input, h('span', {}, label)), { input });
}
