import type { Env } from "../../platform/env.ts";
import { unknownIds } from "../../platform/network/unknown-ids.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { isUuid } from "../../platform/uuid.ts";

const KNOWN_MS = 300_000;
const MAX_ENTRIES = 4096;

/** Looks up ids from unauthenticated requests, from memory where possible. */
export class KnownIds<Found> {
  readonly #recent = new TtlCache<Found | null>(MAX_ENTRIES);
  readonly #lookUp: (binding: D1Database, id: string) => Promise<Found | null>;
  readonly #unknownMs: number;

  /** @param unknownMs how long an unknown id is remembered; a new one is found after at most this time */
  constructor(lookUp: (binding: D1Database, id: string) => Promise<Found | null>, unknownMs: number) {
    this.#lookUp = lookUp;
    this.#unknownMs = unknownMs;
  }

  /**
   * Finds an id for a request of a stranger. Beyond the limit of unknown ids of its network, ids are found in memory only.
   *
   * @param id a UUID in lower case; nothing else is looked up
   */
  async find(env: Env, request: Request, id: string, nowMs: number): Promise<Found | null> {
    if (!isUuid(id)) return null;
    const recent = this.recent(id, nowMs);
    if (recent !== undefined) return recent;
    if (unknownIds.refuses(request, id, nowMs)) return null;
    const found = await this.#lookUp(env.DB, id);
    this.#recent.set(id, found, nowMs + (found === null ? this.#unknownMs : KNOWN_MS));
    if (found === null) await unknownIds.count(env, request, id, nowMs);
    return found;
  }

  /** What this isolate remembers of an id; undefined = nothing. */
  recent(id: string, nowMs: number): Found | null | undefined {
    return this.#recent.get(id, nowMs);
  }
}
