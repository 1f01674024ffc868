// One job of the server: its progress, its result and, when it is observed, its expansions.

import { api, isStatic } from "../api";
import { messageOf } from "../errors";
import type { JobCreated, JobRequest, Progress, SolveResult } from "../types";
import { read, startClock, type Clock } from "./clock";
import { emptySample, extend, type Sample } from "./sample";

/** How often the expansions are asked for while the job runs. */
const POLL_MS = 200;
/** The most answers that are fetched after the end, should the server send them in parts. */
const LAST_ANSWERS = 50;

export type JobState = "idle" | "sending" | "queued" | "running" | "done" | "failed";

export class JobRun {
  state = $state<JobState>("idle");
  /** The number of jobs before this one in the queue. */
  position = $state<number | null>(null);
  progress = $state.raw<Progress | null>(null);
  result = $state.raw<SolveResult | null>(null);
  error = $state<string | null>(null);
  sample = $state.raw<Sample>(emptySample());
  clock = $state.raw<Clock>(startClock());
  /** Whether all expansions that the server kept were read. */
  complete = $state(false);
  busy: boolean = $derived(["sending", "queued", "running"].includes(this.state));

  #job: JobCreated | null = null;
  #close: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Distinguishes this start from earlier ones, whose answers may still arrive. */
  #start = 0;

  /** Forgets the last job. */
  reset(): void {
    this.dispose();
    this.position = null;
    this.progress = null;
    this.result = null;
    this.error = null;
    this.sample = emptySample();
    this.clock = startClock();
    this.complete = false;
  }

  async start(request: JobRequest): Promise<void> {
    this.reset();
    const start = this.#start;
    this.state = "sending";
    try {
      const job = await api.createJob(request);
      if (start !== this.#start) {
        void api.cancel(job.id, job.key).catch(() => {});
        return;
      }
      this.#job = job;
      addEventListener("pagehide", this.leave);
      this.state = "queued";
      this.#follow(job.id, start, request.observe ?? false);
    } catch (error) {
      if (start === this.#start) this.#fail(error);
    }
  }

  #follow(id: string, start: number, observe: boolean): void {
    const mine =
      <T>(handler: (event: T) => void) =>
      (event: T) => {
        if (start === this.#start) handler(event);
      };
    const lost = (handler: () => void) => {
      if (start === this.#start && this.busy) handler();
    };
    this.#close = api.events(id, {
      queued: mine(({ position }: { position: number }) => (this.position = position)),
      progress: mine((progress: Progress) => {
        this.state = "running";
        this.progress = progress;
        this.clock = read(this.clock, progress);
      }),
      done: mine((result: SolveResult) => void this.#finish(result, id, start, observe)),
      shutdown: () => lost(() => this.#fail("The server is shutting down. Try again in a moment.")),
      lost: () => lost(() => void this.#ask(id, start, observe)),
    });
    if (observe) void this.#poll(id, start);
  }

  /** Asks for the state of the job once its stream was lost. */
  async #ask(id: string, start: number, observe: boolean): Promise<void> {
    try {
      const job = await api.job(id);
      if (start !== this.#start) return;
      if (job.result) await this.#finish(job.result, id, start, observe);
      else this.#fail("The connection to the server was lost. Start the search again.");
    } catch (error) {
      if (start === this.#start) this.#fail(error);
    }
  }

  async #poll(id: string, start: number): Promise<void> {
    try {
      const chunk = await api.expansions(id, this.sample.mark);
      if (start !== this.#start || this.state === "done") return;
      this.sample = extend(this.sample, chunk);
    } catch (error) {
      // While it waits in the queue a job may have nothing to show.
      if (start !== this.#start || this.state === "done") return;
      if (this.state === "running") return this.#fail(error);
    }
    this.#timer = setTimeout(() => void this.#poll(id, start), POLL_MS);
  }

  async #finish(result: SolveResult, id: string, start: number, observe: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.state = "done";
    if (result.stats) {
      const { expanded, wall_s } = result.stats;
      const last = {
        expanded,
        seconds: wall_s,
        lower_bound: result.lower_bound ?? 0,
        length: result.length ?? null,
      };
      this.clock = read(this.clock, last);
    }
    this.result = result;
    if (result.status === "error") this.error = result.explanation ?? null;
    try {
      for (let answers = 0; observe && answers < LAST_ANSWERS; answers++) {
        const chunk = await api.expansions(id, this.sample.mark);
        if (start !== this.#start) return;
        const more = chunk.mark > this.sample.mark;
        this.sample = extend(this.sample, chunk);
        if (!more) break;
      }
    } catch {
      // The result stands; the picture shows what was read before.
    }
    if (start === this.#start) this.complete = true;
  }

  #fail(error: unknown): void {
    // Nobody will ask for its result.
    this.leave();
    clearTimeout(this.#timer);
    this.#close?.();
    this.state = "failed";
    // What was seen until then can be looked at.
    this.complete = this.sample.seen > 0;
    this.error = messageOf(error);
  }

  /** Asks the server to stop the job, of a page that is left too. Browsers may drop the request; the
   * server's own limits then end the job. */
  readonly leave = (): void => {
    if (!this.busy || !this.#job || isStatic) return;
    void fetch(`api/jobs/${encodeURIComponent(this.#job.id)}`, {
      method: "DELETE",
      headers: { "X-Job-Key": this.#job.key },
      keepalive: true,
    }).catch(() => {});
  };

  /** Asks the server to stop; the result then says how far the search came. */
  async cancel(): Promise<void> {
    const job = this.#job;
    if (!job || !this.busy) return;
    try {
      await api.cancel(job.id, job.key);
    } catch (error) {
      if (this.busy) this.#fail(error);
    }
  }

  /** Stops listening, and stops the job if it still runs. */
  dispose(): void {
    this.#start += 1;
    removeEventListener("pagehide", this.leave);
    clearTimeout(this.#timer);
    this.#close?.();
    this.#close = null;
    if (this.busy && this.#job) void api.cancel(this.#job.id, this.#job.key).catch(() => {});
    this.#job = null;
    this.state = "idle";
  }
}
