import type { Env } from "../env.ts";
import { TtlCache } from "../ttl-cache.ts";
import { namesNetwork, networkOfRequest } from "./request-network.ts";

/** The period of `UNKNOWN_IDS` in wrangler.toml. */
const PERIOD_MS = 60_000;
/** How long an id that was found is served to a network that tries too many others. */
const FOUND_MS = 600_000;
const MAX_ENTRIES = 4096;

/** The seconds after which a network may try ids again. */
export const UNKNOWN_IDS_PERIOD_SECONDS = PERIOD_MS / 1000;

/**
 * Bounds the ids that a network tries without a key, because each look-up is a query of the database. A repeated id counts once a minute, so a
 * page with a deleted video does not close the network of its viewers.
 */
class UnknownIds {
  readonly #blocked = new TtlCache<true>(MAX_ENTRIES);
  readonly #counted = new TtlCache<true>(MAX_ENTRIES);
  readonly #found = new TtlCache<true>(MAX_ENTRIES);
  /** Until then a network may be blocked, epoch ms. */
  #untilMs = 0;

  /** Whether an id is not to be looked up for this request: its network has tried too many, and this isolate has not found it of late. */
  refuses(request: Request, id: string, nowMs: number): boolean {
    if (nowMs >= this.#untilMs || this.#found.get(id, nowMs) === true) return false;
    return this.#blocked.get(networkOfRequest(request), nowMs) === true;
  }

  /** Call at each use of an id that exists. */
  remember(id: string, nowMs: number): void {
    this.#found.set(id, true, nowMs + FOUND_MS);
  }

  /** Call after an id was not found. */
  async count(env: Env, request: Request, id: string, nowMs: number): Promise<void> {
    if (!namesNetwork(request)) return;
    const network = networkOfRequest(request);
    const tried = `${network} ${id}`;
    if (this.#counted.get(tried, nowMs) === true) return;
    this.#counted.set(tried, true, nowMs + PERIOD_MS);
    const { success } = await env.UNKNOWN_IDS.limit({ key: network });
    if (success) return;
    this.#untilMs = nowMs + PERIOD_MS;
    this.#blocked.set(network, true, this.#untilMs);
  }
}

/** The ids that strangers asked this isolate for. */
export const unknownIds = new UnknownIds();
