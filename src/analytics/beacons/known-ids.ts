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

  /** @param id a UUID in lower case; nothing else is looked up */
  async find(binding: D1Database, id: string, nowMs: number): Promise<Found | null> {
    if (!isUuid(id)) return null;
    const recent = this.#recent.get(id, nowMs);
    if (recent !== undefined) return recent;
    const found = await this.#lookUp(binding, id);
    this.#recent.set(id, found, nowMs + (found === null ? this.#unknownMs : KNOWN_MS));
    return found;
  }
}
