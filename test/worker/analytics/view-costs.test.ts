/** Rows written per view: Cloudflare bills them, and they are most of the cost of video data (docs/guides/costs.md). */
import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { edgeFactsOf } from "../../../src/analytics/beacons/read-edge-facts.ts";
import { announceView } from "../../../src/analytics/view-machine/announce-view.ts";
import { ViewComponents } from "../../../src/analytics/view-machine/components.ts";
import { takeEvents } from "../../../src/analytics/view-machine/take-events.ts";
import { viewTimers } from "../../../src/analytics/view-machine/timers.ts";
import { encodeEvent, type ViewEvent } from "../../../src/analytics/views/view-event.ts";
import guide from "../../../docs/guides/costs.md?raw";
import { newAsset } from "../playback/playable.ts";
import { CountedStorage, type Writer } from "../counted-storage.ts";
import { newWorkspace } from "../workspace.ts";

const BEACONS = 32;
const EVERY_MS = 10_000;
const HOUR_MS = 3600_000;

type Kind = "events" | "timers" | "alarms" | "state" | "tables" | "end";

function kindOf(by: Writer): Kind {
  if (by === "alarm") return "alarms";
  if (by === "kv") return "state";
  if (/CREATE|DROP/.test(by.sql)) return "tables";
  if (by.sql.includes("outbox")) return "end";
  return by.sql.includes("timers") ? "timers" : "events";
}

/** A view of five minutes: 46 events in 32 beacons. */
function beaconsOf(playbackId: string, startMs: number): ViewEvent[][] {
  let sequence = 0;
  const event = (index: number, name: string, fields: ViewEvent["fields"] = {}): ViewEvent => {
    sequence += 1;
    return { sequence, name, atMs: startMs + index * EVERY_MS, fields };
  };
  return Array.from({ length: BEACONS }, (_, index) => {
    const source = { video_source_url: `https://stream.example.com/${playbackId}.m3u8` };
    if (index === 0) return [event(index, "viewBegin", source), event(index, "playing")];
    if (index === BEACONS - 1) return [event(index, "viewCompleted")];
    const pulse = event(index, "pulse", { view_watch_time: index * EVERY_MS });
    return index <= 13 ? [pulse, event(index, "variantChanged")] : [pulse];
  });
}

test("a view of five minutes writes as many rows as the guide says, a row for each beacon", async () => {
  const workspace = await newWorkspace();
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const viewId = crypto.randomUUID();
  const machine = env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(viewId));
  const edge = edgeFactsOf(new Headers(), undefined);
  const written = await runInDurableObject(machine, async (_, state) => {
    const startMs = Date.now() - HOUR_MS;
    let nowMs = startMs;
    const rows: Record<Kind, number> = { events: 0, timers: 0, alarms: 0, state: 0, tables: 0, end: 0 };
    const storage = new CountedStorage(state.storage, (by, count) => void (rows[kindOf(by)] += count));
    const parts = new ViewComponents({ storage } as unknown as DurableObjectState, env, announceView, () => nowMs);
    const advanceTo = async (ms: number) => {
      while (storage.alarmMs !== null && storage.alarmMs <= ms) {
        nowMs = Math.max(nowMs, storage.alarmMs);
        storage.alarmMs = null;
        await parts.timers.runDue(viewTimers(parts));
      }
      nowMs = ms;
    };
    for (const [index, events] of beaconsOf(playbackId, startMs).entries()) {
      await advanceTo(startMs + index * EVERY_MS);
      takeEvents(parts, { workspaceId: workspace.id, viewId, edge, events: events.map(encodeEvent) });
    }
    await advanceTo(startMs + 2 * HOUR_MS);
    return rows;
  });
  const { events, timers, alarms, state, tables, end } = written;
  expect(events).toBe(BEACONS);
  const inGuide = `${events} of events, ${timers} of timers, ${alarms} alarms set, ${state} of its state, ${tables} of tables, ${end} of the end`;
  expect(guide).toContain(inGuide);
});
