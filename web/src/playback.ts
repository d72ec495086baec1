// The clock of playback: the current frame from the times of the frames. It does not depend on the page and is tested without it.

export const speeds = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30];
const longestStep = 0.1; // seconds: limits the step after a page was suspended

export class Playback {
    playing = false;
    loop = true;
    speed = 1;
    private readonly clocks: Float64Array; // time of each frame, from 0
    private clock = 0;

    constructor(times: ArrayLike<number>) {
        const grows = times.length > 1 && Array.from(times).every((t, i) => i === 0 || t >= times[i - 1]) && times[times.length - 1] > times[0];
        this.clocks = Float64Array.from({ length: times.length }, (_, i) => (grows ? times[i] - times[0] : i / 30));
        // Real time, or slower if the recording is too short to be seen.
        const wanted = this.duration / 1.5;
        if (this.duration > 0 && wanted < 1) this.speed = speeds.filter((speed) => speed <= wanted).at(-1) ?? speeds[0];
    }

    get count(): number { return this.clocks.length; }
    get duration(): number { return this.count > 0 ? this.clocks[this.count - 1] : 0; }
    get frame(): number { return this.at(this.clock); }
    get fraction(): number { return this.duration > 0 ? this.clocks[this.frame] / this.duration : 0; }

    seek(frame: number): void {
        const wanted = Math.min(Math.max(Math.round(frame), 0), Math.max(this.count - 1, 0));
        this.clock = this.clocks[wanted] ?? 0;
    }

    seekFraction(fraction: number): void { this.clock = Math.min(Math.max(fraction, 0), 1) * this.duration; }

    // Advances the clock; the frame may stay the same.
    advance(seconds: number): void {
        if (!this.playing || this.count < 2) return;
        this.clock += Math.min(seconds, longestStep) * this.speed;
        // The last frame is shown as long as the others.
        if (this.clock <= this.duration * (1 + 1 / (this.count - 1))) return;
        if (this.loop) this.clock = 0;
        else {
            this.clock = this.duration;
            this.playing = false;
        }
    }

    play(on: boolean): void {
        this.playing = on && this.count > 1;
        if (this.playing && this.frame === this.count - 1) this.clock = 0;
    }

    // The last frame at or before the clock, with a small tolerance so that seeking is exact.
    private at(clock: number): number {
        let low = 0;
        let high = this.count - 1;
        const due = clock + 1e-9 * Math.max(this.duration, 1e-9);
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.clocks[middle] <= due) low = middle;
            else high = middle - 1;
        }
        return low;
    }
}
