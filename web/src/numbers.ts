// Formatting of numbers, the same everywhere in the page.

// Four significant digits; an exponent for very large and very small values.
export function digits(value: number, count = 4): string {
    if (!Number.isFinite(value)) return value > 0 ? '∞' : value < 0 ? '−∞' : 'none';
    if (value === 0) return '0';
    const size = Math.abs(value);
    const text = size >= 1e6 || size < 1e-4 ? value.toExponential(count - 2).replace('e+', 'e') : String(Number(value.toPrecision(count)));
    return text.replaceAll('-', '−');
}

export const triple = (x: number, y: number, z: number) => `${digits(x)}, ${digits(y)}, ${digits(z)}`;

export const many = (count: number, one: string, more = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

// The value 1, 2 or 5 times a power of ten that is closest to a rough size.
export function roundStep(rough: number): number {
    const power = 10 ** Math.floor(Math.log10(rough));
    const share = rough / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}
