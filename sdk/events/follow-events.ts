import { listRecords } from "../api/list-records.ts";
import { pause } from "../api/pause.ts";
import type { ApiCalls, MediaEvent } from "../api/types.ts";

export interface FollowOptions {
  /** A kind, or a prefix such as `asset.*`; default: all. */
  type?: string | undefined;
  /** Id of a media, stream or webhook. */
  objectId?: string | undefined;
  naming?: "service" | "video" | undefined;
  /** Events from then on; default: those that are not recorded yet. */
  since?: Date | undefined;
  signal?: AbortSignal | undefined;
}

const POLL_MS = 1000;
/** An event may be recorded this long after the time that it states: machines keep theirs until the database takes them. */
const LATE_MS = 60_000;
/** Events on a page: the most that the API gives. */
const PAGE = 100;

/**
 * The events of the workspace as they happen, for `for await`, in order of arrival. Ends when the signal is aborted.
 *
 * @throws {ApiError} {ConnectionError}
 */
export async function* followEvents(
  calls: ApiCalls,
  { type, objectId, naming, since, signal }: FollowOptions = {},
): AsyncGenerator<MediaEvent> {
  const filter = { ...(type && { type }), ...(objectId && { objectId }), ...(naming && { naming }) };
  let seen = new Map<string, number>(); // event id → its time
  let newestMs = since?.getTime() ?? 0;

  /** The events that were not seen yet, oldest first. */
  async function fresh(fromMs: number): Promise<MediaEvent[]> {
    const query = { ...filter, from: new Date(fromMs).toISOString(), limit: PAGE };
    const found: MediaEvent[] = [];
    for await (const event of listRecords(calls, "/v1/events", { params: { query }, ...(signal && { signal }) })) {
      if (seen.has(event.id)) continue;
      const atMs = Date.parse(event.createdAt);
      seen.set(event.id, atMs);
      newestMs = Math.max(newestMs, atMs);
      found.push(event);
    }
    seen = new Map([...seen].filter(([, atMs]) => atMs >= newestMs - LATE_MS));
    return found.toReversed();
  }

  try {
    if (since === undefined) {
      // The platform's clock, not this machine's, says what is recorded already.
      const { data } = await calls.get("/v1/events", { params: { query: { ...filter, limit: 1 } } });
      if (data[0] !== undefined) await fresh(Date.parse(data[0].createdAt) - LATE_MS);
    }
    for (;;) {
      yield* await fresh(Math.max(since?.getTime() ?? 0, newestMs - LATE_MS));
      await pause(POLL_MS, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
