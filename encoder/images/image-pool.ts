/**
 * Makes pictures in child processes, a few at a time. A process that has decoded our own media makes further pictures; one that has decoded
 * a source, which may be hostile, is ended, so that it never sees the media of another asset.
 */
import { logWarning } from "../../protocol/log.ts";
import type { ImageRequest } from "../../protocol/images.ts";
import { ImageProcess, type ImageOutcome } from "./image-process.ts";
import { Places } from "./places.ts";

/** Processes that are kept for the next picture. */
const KEPT = 2;
/** A process that leaks memory is replaced in time. */
const IMAGES_PER_PROCESS = 500;

export interface ImageOrigin {
  /** Whether Sluice has encoded the media; other media may be hostile. */
  isOurs: boolean;
  /** Whose places the picture takes. */
  workspace: string;
}

export class ImagePool {
  #idle: ImageProcess[] = [];
  readonly #busy = new Set<ImageProcess>();
  readonly #places = new Places();
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
  async make(
    request: ImageRequest,
    body: Uint8Array,
    { isOurs, workspace }: ImageOrigin,
  ): Promise<ImageOutcome | null> {
    if (this.#isClosed) return null;
    if (!(await this.#places.take(workspace))) return null;
    try {
      return await this.#makeIn(request, body, isOurs);
    } finally {
      this.#places.leave(workspace);
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
    const isKept = isOurs && outcome.type === "made" && one.made < IMAGES_PER_PROCESS && this.#idle.length < KEPT;
    if (isKept && !one.hasEnded && !this.#isClosed) this.#idle.push(one);
    else one.end();
    this.warmUp();
    return outcome;
  }
}
