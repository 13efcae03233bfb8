/** Why a part of a player's report is unusable. */
export const REFUSALS = {
  too_large: "the body has more than 1 MiB (CMCD: 256 KiB, and 8,192 characters a line)",
  not_json: "the body of a beacon is not a JSON object",
  not_cmcd: "a line is not CMCD",
  no_events: "the beacon has no array `events`",
  not_an_event: "an entry of `events` is not an object",
  no_view_id: "an event has no `veid`, or one that is not a UUID",
  no_session_id: "a report has no `sid`",
  no_sequence_number: "`vesqnu` (CMCD: `sn`) is missing, or not a whole number from 1 (CMCD: 0) to 1,000,000",
  no_event_name: "an event has no `evna`",
  too_many_events: "more than 1,000 events in a body",
  too_many_views: "more than 20 views in a body",
  too_many_requests: "more reports a minute than one network, the workspace or the deployment may send",
  too_many_new_views: "more new views a minute than one network, the workspace or the deployment may begin",
  store_full: "the store of the month has no room for new views",
  too_many_playback_events: "more `playback.*` events a day than MAX_WORKSPACE_PLAYBACK_EVENTS",
  database_full: "a `playback.*` event for which the database has no room",
} as const;
export type Refusal = keyof typeof REFUSALS;
export type Refused = Partial<Record<Refusal, number>>;

const MAX_WORKSPACES = 1000;
const STORE_EVERY_MS = 60_000;

interface Pending {
  counts: Refused;
  /** When reasons were last stored, epoch ms. */
  storedAtMs: number;
  /** The reasons stored at that time or later. */
  stored: ReadonlySet<string>;
}

/**
 * Refusals that are not stored yet, in an isolate's memory. A flood of unusable reports causes one write per workspace, reason, isolate and
 * minute. An isolate that ends loses the counts since its last write.
 */
export class PendingRefusals {
  readonly #of = new Map<string, Pending>();

  /** @returns the counts to store now; null = nothing */
  take(workspaceId: string, refused: Refused, nowMs: number): Refused | null {
    const pending = this.#of.get(workspaceId) ?? { counts: {}, storedAtMs: -Infinity, stored: new Set() };
    for (const [reason, count] of Object.entries(refused) as [Refusal, number][])
      pending.counts[reason] = (pending.counts[reason] ?? 0) + count;
    if (Object.keys(pending.counts).length === 0) return null;
    if (this.#of.size >= MAX_WORKSPACES && !this.#of.has(workspaceId)) this.#of.delete(this.#of.keys().next().value!);
    this.#of.set(workspaceId, pending);
    const { counts, storedAtMs, stored } = pending;
    const isDue = nowMs - storedAtMs >= STORE_EVERY_MS;
    // A new reason is stored at once: it shows a developer the next mistake.
    if (!isDue && Object.keys(counts).every((reason) => stored.has(reason))) return null;
    this.#of.set(workspaceId, {
      counts: {},
      storedAtMs: isDue ? nowMs : storedAtMs,
      stored: new Set([...(isDue ? [] : stored), ...Object.keys(counts)]),
    });
    return counts;
  }
}
