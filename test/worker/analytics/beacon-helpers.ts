import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { ViewMachine } from "../../../durable-objects/view-machine.ts";
import { edgeFactsOf } from "../../../src/analytics/beacons/read-edge-facts.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { viewStore } from "../../../src/analytics/store/store-calls.ts";
import type { Fields } from "../../../src/analytics/views/fields.ts";
import { mergeEvents } from "../../../src/analytics/views/merged-view.ts";
import { timelineOf, type ViewEvent } from "../../../src/analytics/views/view-event.ts";
import { viewRecordOf } from "../../../src/analytics/views/view-record.ts";
import { send, type TestWorkspace } from "../workspace.ts";

const CHROME =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36";

export const postBeacon = (workspaceId: string, body: unknown, headers: Record<string, string> = {}) =>
  send(
    new Request(`http://sluice.test/beacons/${workspaceId}`, {
      method: "POST",
      headers: { "content-type": "text/plain", "user-agent": CHROME, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );

/** A player that numbers its events and takes their times from one clock. */
export class TestPlayer {
  readonly viewId = crypto.randomUUID();
  readonly #workspaceId: string;
  #sequence = 0;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  /** @param atMs epoch ms */
  event(name: string, atMs: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
    this.#sequence += 1;
    const always = { wsid: this.#workspaceId, veid: this.viewId, vesqnu: this.#sequence, evna: name, vitp: atMs };
    return { ...always, plphti: 0, ...fields };
  }

  /** A view that began at `startMs`, showed its first picture after 400 ms, and ended after 10 s. */
  completeView(startMs: number, fields: Record<string, unknown> = {}): Record<string, unknown>[] {
    return [
      this.event("viewBegin", startMs, { vdtt: "Harbour", plna: "site", ...fields }),
      this.event("playing", startMs + 400, { vetitofifr: 400, vewati: 400 }),
      this.event("pulse", startMs + 9000, { vewati: 9000 }),
      this.event("viewCompleted", startMs + 10_000, { vewati: 10_000 }),
    ];
  }
}

const machineOf = (workspaceId: string, viewId: string) =>
  env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspaceId}:${viewId}`));

/** Runs the due timers of the view's machine, with all of its timers moved `ms` earlier. */
export async function elapse(workspaceId: string, viewId: string, ms = 0): Promise<void> {
  const machine = machineOf(workspaceId, viewId);
  await runInDurableObject(machine, async ({ components }: ViewMachine, { storage }) => {
    storage.sql.exec("UPDATE timers SET due = due - ?", ms);
    storage.sql.exec("UPDATE event_batches SET received_at_ms = received_at_ms - ?", ms);
    components.events.forgetCached();
    await storage.setAlarm(Date.now());
  });
  await runDurableObjectAlarm(machine);
  await runDurableObjectAlarm(machine); // the end of a view schedules its announcement
}

export async function sendView(workspaceId: string, events: Record<string, unknown>[]): Promise<void> {
  const answer = await postBeacon(workspaceId, { metadata: { transmission_timestamp: Date.now() }, events });
  if (answer.status !== 200) throw new Error(`the beacon was answered ${answer.status}`);
  for (const viewId of new Set(events.map((event) => String(event["veid"])))) await elapse(workspaceId, viewId);
}

/** The record of a final view with an id of its own. */
export const finalView = (workspaceId: string, events: ViewEvent[]) =>
  viewRecordOf(mergeEvents(events), {
    workspaceId,
    viewId: crypto.randomUUID(),
    edge: edgeFactsOf(new Headers(), undefined),
    content: null,
    isFinal: true,
    insertedAtMs: events[0]!.atMs,
    updatedAtMs: events[0]!.atMs,
  });

/** Writes a final view to its store, as its machine does. Faster than beacons, for tests of other things. */
export async function storeView(
  workspaceId: string,
  title: string,
  fields: Fields = {},
  hasFailed = false,
): Promise<string> {
  const startMs = Date.now() - 10_000;
  const error = { player_error_code: title, player_error_message: title };
  const events: ViewEvent[] = [
    { sequence: 1, name: "viewBegin", atMs: startMs, fields: { video_title: title, browser: "Chrome", ...fields } },
    { sequence: 2, name: "playing", atMs: startMs + 400, fields: { view_time_to_first_frame: 400 } },
    { sequence: 3, name: hasFailed ? "error" : "viewCompleted", atMs: startMs + 5000, fields: hasFailed ? error : {} },
  ];
  const view = finalView(workspaceId, events);
  const stored = { view, timeline: timelineOf(events), revision: 1 };
  await viewStore(env, { workspaceId, month: monthOf(view.viewEndMs) }).put(stored);
  return view.viewId;
}

export const dataOf = async <Data>(workspace: TestWorkspace, path: string): Promise<Data> => {
  const answer = await workspace.request("GET", `/v1/data/${path}`);
  const body = await answer.json<{ data: Data }>();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return body.data;
};
