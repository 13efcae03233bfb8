/**
 * Makes pictures in child processes, a few at a time. A process that has decoded our own media makes further pictures; one that has decoded
 * a source, which may be hostile, is ended, so that it never sees the media of another asset.
 */
import { logWarning } from "../../protocol/log.ts";
import type { ImageRequest } from "../../protocol/images.ts";
import { ImageProcess, type ImageOutcome } from "./image-process.ts";

const AT_ONCE = 2;
const MAX_WAITING = 32;
/** A process that leaks memory is replaced in time. */
const IMAGES_PER_PROCESS = 500;

export class ImagePool {
  #idle: ImageProcess[] = [];
  readonly #busy = new Set<ImageProcess>();
  #running = 0;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  /** Starts a process in advance. */
  warmUp(): void {
    if (this.#isClosed || this.#idle.length > 0) return;
    try {
      this.#idle.push(new ImageProcess());
    } catch (error) {
      logWarning("image.no_spare_process", { reason: (error as Error).message }); // the next picture retries
    }
  }

  /** @returns null when all places are taken, also those that wait */
  async make(request: ImageRequest, body: Uint8Array, isOurs: boolean): Promise<ImageOutcome | null> {
    if (this.#isClosed) return null;
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) return null;
      await new Promise<void>((resume) => this.#waiting.push(resume));
    } else this.#running++;
    try {
      return await this.#makeIn(request, body, isOurs);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next(); // the place is handed on
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const one of [...this.#idle.splice(0), ...this.#busy]) one.end();
  }

  async #makeIn(request: ImageRequest, body: Uint8Array, isOurs: boolean): Promise<ImageOutcome> {
    this.#idle = this.#idle.filter((one) => !one.hasEnded);
    const one = this.#idle.pop() ?? new ImageProcess();
    this.#busy.add(one);
    const outcome = await one.make(request, body).finally(() => this.#busy.delete(one));
    const isKept = isOurs && outcome.type === "made" && one.made < IMAGES_PER_PROCESS && this.#idle.length < AT_ONCE;
    if (isKept && !one.hasEnded && !this.#isClosed) this.#idle.push(one);
    else one.end();
    this.warmUp();
    return outcome;
  }
}
