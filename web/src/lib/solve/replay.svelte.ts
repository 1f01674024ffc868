// A clock from 0 to some end that can be scrubbed and played.

export class Replay {
  /** How far it is, from 0 to `end`. */
  value = $state(0);
  end = $state(0);
  playing = $state(false);
  /** The seconds that playing all of it takes. */
  takes = $state(12);

  #frame = 0;
  #last = 0;

  /** Stops, and shows the end. */
  finish(end: number): void {
    this.stop();
    this.end = end;
    this.value = end;
  }

  seek(value: number): void {
    this.stop();
    this.value = Math.max(0, Math.min(this.end, value));
  }

  toggle(): void {
    if (this.playing) return this.stop();
    if (this.value >= this.end) this.value = 0;
    this.playing = true;
    this.#last = performance.now();
    this.#frame = requestAnimationFrame(this.#tick);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.playing = false;
  }

  #tick = (now: number): void => {
    const step = (this.end * (now - this.#last)) / 1000 / this.takes;
    this.#last = now;
    this.value = Math.min(this.end, this.value + step);
    if (this.value >= this.end) this.playing = false;
    else this.#frame = requestAnimationFrame(this.#tick);
  };
}
