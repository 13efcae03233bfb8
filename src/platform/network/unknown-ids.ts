import type { Env } from "../env.ts";
import { TtlCache } from "../ttl-cache.ts";
import { Problem } from "../http/problems.ts";
import { namesSender, networkOfSender, type Sender } from "./request-network.ts";

/** The period of `UNKNOWN_IDS` in wrangler.toml. */
const PERIOD_MS = 60_000;
/** How long an id that was found is served to a network that tries too many others. */
const FOUND_MS = 600_000;
const MAX_ENTRIES = 4096;

/**
 * Bounds the ids of one kind that a network tries, because each look-up is a query of the database. A repeated id counts once a minute, so a
 * page with a deleted video does not close the network of its viewers. Ids that are secrets are given as hashes.
 */
class UnknownIds {
  readonly #prefix: string;
  readonly #name: string;
  readonly #blocked = new TtlCache<true>(MAX_ENTRIES);
  readonly #counted = new TtlCache<true>(MAX_ENTRIES);
  readonly #found = new TtlCache<true>(MAX_ENTRIES);
  /** Until then a network may be blocked, epoch ms. */
  #untilMs = 0;

  /**
   * @param prefix of the limiter's keys: each kind has a count of its own
   * @param name for the problem
   */
  constructor(prefix: string, name: string) {
    this.#prefix = prefix;
    this.#name = name;
  }

  /** Whether an id is not to be looked up for this sender: its network has tried too many, and this isolate has not found it of late. */
  refuses(sender: Sender, id: string, nowMs: number): boolean {
    if (nowMs >= this.#untilMs || this.#found.get(id, nowMs) === true) return false;
    return this.#blocked.get(networkOfSender(sender), nowMs) === true;
  }

  /** Call before a look-up. @throws {Problem} too_many_requests, if it `refuses` the id */
  requireFew(sender: Sender, id: string, nowMs: number): void {
    if (this.refuses(sender, id, nowMs))
      throw new Problem("too_many_requests", `too many unknown ${this.#name}`, { retryAfterSeconds: PERIOD_MS / 1000 });
  }

  /** Call at each use of an id that exists. */
  remember(id: string, nowMs: number): void {
    this.#found.set(id, true, nowMs + FOUND_MS);
  }

  /** Call after an id was not found. */
  async count(env: Pick<Env, "UNKNOWN_IDS">, sender: Sender, id: string, nowMs: number): Promise<void> {
    this.#found.delete(id);
    if (!namesSender(sender)) return;
    const network = networkOfSender(sender);
    const tried = `${network} ${id}`;
    if (this.#counted.get(tried, nowMs) === true) return;
    this.#counted.set(tried, true, nowMs + PERIOD_MS);
    const { success } = await env.UNKNOWN_IDS.limit({ key: `${this.#prefix}${network}` });
    if (success) return;
    this.#untilMs = nowMs + PERIOD_MS;
    this.#blocked.set(network, true, this.#untilMs);
  }
}

/** The playback IDs, sessions, token keys and workspaces that strangers asked this isolate for. */
export const unknownIds = new UnknownIds("", "ids");
/** Credentials of the API: the id with a hash of the secret. */
export const unknownLogins = new UnknownIds("login ", "credentials");
/** Hashes of stream keys. */
export const unknownStreamKeys = new UnknownIds("stream key ", "stream keys");
/** Names of hosts in requests, which might be mapped to a migration. */
export const unknownHosts = new UnknownIds("host ", "hosts");
