import type { Env } from "../../../platform/env.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { TtlCache } from "../../../platform/ttl-cache.ts";
import { loadRecordedIndex, type RecordedIndex } from "./recorded-index.ts";
import { runRecordedLoad } from "./recorded-reads.ts";

const KEPT_MS = 60_000;
/** For all recordings in one isolate, which hosts many origins. */
const MAX_KEPT_BYTES = 16 << 20;

const kept = new TtlCache<RecordedIndex>(MAX_KEPT_BYTES, ({ sizeBytes }) => sizeBytes);

/** Caches an index for a minute, or until newer ones displace it. */
export const keepIndex = (sessionId: string, index: RecordedIndex, nowMs: number): void =>
  kept.set(sessionId, index, nowMs + KEPT_MS);

export const keptIndex = (sessionId: string, nowMs: number): RecordedIndex | null => kept.get(sessionId, nowMs) ?? null;

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
