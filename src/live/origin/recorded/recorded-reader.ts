import type { Env } from "../../../platform/env.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { loadRecordedIndex, type RecordedIndex } from "./recorded-index.ts";
import { runRecordedLoad } from "./recorded-reads.ts";

const KEPT_MS = 60_000;
/** For all recordings in one isolate, which hosts many origins. */
const MAX_KEPT_BYTES = 16 << 20;

/** In loading order. */
const kept = new Map<string, { index: RecordedIndex; untilMs: number }>();

/** Caches an index for a minute, or until newer ones displace it. */
export function keepIndex(sessionId: string, index: RecordedIndex, nowMs: number): void {
  kept.delete(sessionId);
  kept.set(sessionId, { index, untilMs: nowMs + KEPT_MS });
  let bytes = [...kept.values()].reduce((sum, entry) => sum + entry.index.sizeBytes, 0);
  for (const [oldest, entry] of kept) {
    if (bytes <= MAX_KEPT_BYTES && entry.untilMs > nowMs) break;
    kept.delete(oldest);
    bytes -= entry.index.sizeBytes;
  }
}

export function keptIndex(sessionId: string, nowMs: number): RecordedIndex | null {
  const found = kept.get(sessionId);
  return found !== undefined && found.untilMs > nowMs ? found.index : null;
}

/** Reads the recording of one session for all requests, from D1 at most once a minute. */
export class RecordedReader {
  #loading: Promise<RecordedIndex | null> | null = null;

  /** @returns null when there is no recording; `busy` when the isolate already loads the maximum of other recordings */
  async read(env: Env, sessionId: string): Promise<RecordedIndex | null | "busy"> {
    const known = keptIndex(sessionId, Date.now());
    if (known !== null) return known;
    this.#loading ??= this.#load(env, sessionId).finally(() => (this.#loading = null));
    try {
      return await this.#loading;
    } catch (error) {
      if (error instanceof Problem) return "busy";
      throw error;
    }
  }

  async #load(env: Env, sessionId: string): Promise<RecordedIndex | null> {
    const index = await runRecordedLoad(() => loadRecordedIndex(env, sessionId));
    if (index !== null) keepIndex(sessionId, index, Date.now());
    return index;
  }
}
