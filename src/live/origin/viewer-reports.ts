import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { ViewerWindow } from "./viewer-window.ts";
import { reportViewers } from "../streams/report-viewers.ts";

const MIN_INTERVAL_MS = 1000;

/** Counts the viewers of the session and reports them to the stream's machine. */
export class ViewerReports {
  readonly #viewers = new ViewerWindow();
  readonly #clock: () => number;
  #reportedAtMs = 0;
  #isPending = false;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** @param viewers ids of viewers that were just seen */
  see(env: Env, streamId: string, sessionId: string | null, viewers: string[]): void {
    this.#viewers.see(viewers, this.#clock());
    if (sessionId === null || this.#isPending) return;
    this.#isPending = true;
    const waitMs = Math.max(0, this.#reportedAtMs + MIN_INTERVAL_MS - this.#clock());
    setTimeout(() => void this.#report(env, streamId, sessionId), waitMs);
  }

  async #report(env: Env, streamId: string, sessionId: string): Promise<void> {
    this.#isPending = false;
    this.#reportedAtMs = this.#clock();
    try {
      await reportViewers(env, streamId, sessionId, this.#viewers.count(this.#reportedAtMs));
    } catch (error) {
      logWarning("live.viewers_not_told", { streamId, sessionId, ...errorFields(error) });
    }
  }
}
