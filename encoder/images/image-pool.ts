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

/** What became of a picture: `gone`, nobody waits for it any more. */
export type PoolOutcome = ImageOutcome | "busy" | "gone";

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

  /**
   * @param gone aborted when nobody waits for the picture any more: its process ends, and its place is free
   * @returns "busy" when all places are taken, also those that wait
   */
  async make(
    request: ImageRequest,
    body: Uint8Array,
    { isOurs, workspace }: ImageOrigin,
    gone: AbortSignal,
  ): Promise<PoolOutcome> {
    if (this.#isClosed) return "busy";
    if (!(await this.#places.take(workspace, gone))) return gone.aborted ? "gone" : "busy";
    try {
      return await this.#makeIn(request, body, isOurs, gone);
    } finally {
      this.#places.leave(workspace);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const one of [...this.#idle.splice(0), ...this.#busy]) one.end();
  }

  async #makeIn(
    request: ImageRequest,
    body: Uint8Array,
    isOurs: boolean,
    gone: AbortSignal,
  ): Promise<ImageOutcome | "gone"> {
    this.#idle = this.#idle.filter((one) => !one.hasEnded);
    const one = this.#idle.pop() ?? new ImageProcess();
    this.#busy.add(one);
    const stop = () => one.end();
    gone.addEventListener("abort", stop, { once: true });
    const outcome = await one.make(request, body).finally(() => this.#busy.delete(one));
    gone.removeEventListener("abort", stop);
    const isKept = isOurs && outcome.type === "made" && one.made < IMAGES_PER_PROCESS && this.#idle.length < KEPT;
    if (isKept && !one.hasEnded && !this.#isClosed) this.#idle.push(one);
    else one.end();
    this.warmUp();
    return gone.aborted ? "gone" : outcome;
  }
}
