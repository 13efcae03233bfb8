/** Beacons and questions about views, each at its bound and one above it. */
import { env, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import settings from "../../../wrangler.toml?raw";
import { isRoomFor } from "../../../src/platform/database-room.ts";
import { boundRecord } from "../../../src/analytics/views/bounded-record.ts";
import { putView } from "../../../src/analytics/store/put-view.ts";
import { takeEventPlace } from "../../../src/analytics/store/take-event-place.ts";
import { derivedId } from "../../../src/platform/crypto/derived-id.ts";
import { newAlert, someAlert } from "../analytics/alert-helpers.ts";
import type { ExportQuery } from "../../../src/analytics/exports/export-query.ts";
import { nowEvents } from "../../../src/analytics/current/now-events.ts";
import { insertExport } from "../../../src/analytics/exports/repository.ts";
import { commit, openDatabase } from "../../../src/platform/database.ts";
import { StoreComponents } from "../../../src/analytics/store/components.ts";
import { sweepStore } from "../../../src/analytics/store/sweep-store.ts";
import { PendingRefusals } from "../../../src/analytics/beacons/refusals.ts";
import { endView } from "../../../src/analytics/view-machine/end-view.ts";
import { isFreeable } from "../../../src/analytics/view-machine/free-view.ts";
import { ViewComponents } from "../../../src/analytics/view-machine/components.ts";
import { takeEvents } from "../../../src/analytics/view-machine/take-events.ts";
import { encodeEvent } from "../../../src/analytics/views/view-event.ts";
import { TAKEN, type Trial, upTo } from "../../support/limits/trials.ts";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, send as sendRequest, type TestWorkspace } from "../workspace.ts";
import { finalView, postBeacon, sendView, TestPlayer } from "../analytics/beacon-helpers.ts";

const IGNORED = "ignored";
const isKept = (kept: boolean) => (kept ? TAKEN : IGNORED);

const machineOf = (workspaceId: string, viewId: string) =>
  env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspaceId}:${viewId}`));
const eventsOf = (workspaceId: string, viewId: string) =>
  runInDurableObject(machineOf(workspaceId, viewId), ({ components }) => components.events.count);

/** @param body of one event of the player. Every beacon is answered 200. */
async function send(make: (player: TestPlayer) => unknown): Promise<{ workspaceId: string; viewId: string }> {
  const workspace = await newWorkspace();
  const player = new TestPlayer(workspace.id);
  const answer = await postBeacon(workspace.id, make(player));
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
  return { workspaceId: workspace.id, viewId: player.viewId };
}

const begin = (player: TestPlayer) => player.event("viewBegin", Date.now());

async function body(bytes: number): Promise<string> {
  const { workspaceId, viewId } = await send((player) => JSON.stringify({ events: [begin(player)] }).padEnd(bytes));
  return isKept((await eventsOf(workspaceId, viewId)) === 1);
}

async function events(count: number): Promise<string> {
  const { workspaceId, viewId } = await send((player) => ({
    events: Array.from({ length: count }, () => begin(player)),
  }));
  return isKept((await eventsOf(workspaceId, viewId)) === count);
}

async function views(count: number): Promise<string> {
  const workspace = await newWorkspace();
  const players = Array.from({ length: count }, () => new TestPlayer(workspace.id));
  await postBeacon(workspace.id, { events: players.map(begin) });
  return isKept((await eventsOf(workspace.id, players.at(-1)!.viewId)) === 1);
}

/** @returns whether the last report of the body was taken. Every body is answered 200. */
async function cmcd(make: (line: (sequence: number) => string) => string, last: number): Promise<string> {
  const { id: workspaceId } = await newWorkspace();
  const { playbackId } = await newAsset({ status: "ready", workspaceId });
  const sessionId = crypto.randomUUID();
  const line = (sequence: number) => `e=ps,sta=p,sid="${sessionId}",sn=${sequence},ts=${Date.now()},v=2\n`;
  const init = { method: "POST", body: make(line) };
  const { ok, status } = await sendRequest(new Request(`http://sluice.test/cmcd/${playbackId}`, init));
  if (!ok) throw new Error(`answered ${status}`);
  const viewId = await derivedId("cmcd", playbackId, sessionId);
  const stored = runInDurableObject(machineOf(workspaceId, viewId), ({ components }) => components.events.last);
  return isKept((await stored) === last + 1);
}

const cmcdBody = (bytes: number) => cmcd((line) => line(0).padEnd(bytes, "\n"), 0);
const cmcdReports = (count: number) =>
  cmcd((line) => Array.from({ length: count }, (_, sequence) => line(sequence)).join(""), count - 1);

const viewEvents =
  (name: string) =>
  async (count: number): Promise<string> => {
    const { workspaceId, viewId } = await send((player) => ({ events: [begin(player)] }));
    const added = await runInDurableObject(machineOf(workspaceId, viewId), ({ components }) => {
      const { edge } = components.facts;
      const more = Array.from({ length: count }, (_, n) => encodeEvent({ sequence: n + 2, name, atMs: 0, fields: {} }));
      return takeEvents(components, { workspaceId, viewId, edge, events: more });
    });
    return isKept(added === count);
  };

type Limiter =
  | "BEACONS"
  | "BEACONS_OF_WORKSPACE"
  | "BEACONS_IN_ALL"
  | "NEW_VIEWS"
  | "NEW_VIEWS_OF_WORKSPACE"
  | "NEW_VIEWS_IN_ALL";

/** Counts to the bound in place of the local rate limiter, which would take thousands of requests. The bound is that of wrangler.toml. */
const counted =
  (name: Limiter): Trial =>
  async (bound) => {
    const stated = new RegExp(`name = "${name}".*\nnamespace_id = .*\nsimple = \\{ limit = ([\\d_]+), period = 60 \\}`);
    if (Number(stated.exec(settings)?.[1]?.replaceAll("_", "")) !== bound)
      throw new Error("wrangler.toml has a different limit");
    const workspace = await newWorkspace();
    let count = bound - 1;
    const limiter = vi.spyOn(env[name], "limit");
    limiter.mockImplementation(async () => ({ success: ++count <= bound }));
    const beacon = async () => {
      const player = new TestPlayer(workspace.id);
      await postBeacon(workspace.id, { events: [begin(player)] });
      return isKept((await eventsOf(workspace.id, player.viewId)) === 1);
    };
    try {
      return { atBound: await beacon(), above: await beacon() };
    } finally {
      limiter.mockRestore();
    }
  };

async function unit(bytes: number): Promise<string> {
  const limiter = vi.spyOn(env.BEACONS, "limit");
  await send((player) => JSON.stringify({ events: [begin(player)] }).padEnd(bytes));
  const counts = limiter.mock.calls.length;
  limiter.mockRestore();
  return counts === 1 ? TAKEN : "several";
}

/** @returns whether all of a text of this length is in the event of a view */
async function eventText(length: number): Promise<string> {
  const workspace = await newWorkspace();
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const player = new TestPlayer(workspace.id);
  const source = `https://stream.example.com/${playbackId}.m3u8`;
  await sendView(
    workspace.id,
    player.completeView(Date.now() - MINUTE_S * 1000, { vdsour: source, vdtt: "t".repeat(length) }),
  );
  const answer = await workspace.request("GET", `/v1/events?objectId=${player.viewId}`);
  const { data } = await answer.json<{ data: { data: { videoTitle: string } }[] }>();
  return data[0]!.data.videoTitle.length === length ? TAKEN : "cut";
}

/** Fills a view with events up to this length, as JSON. @returns whether the last one was taken */
async function viewLength(characters: number): Promise<string> {
  const { workspaceId, viewId } = await send((player) => ({ events: [begin(player)] }));
  const event = (sequence: number, length: number) =>
    encodeEvent({ sequence, name: "pulse", atMs: 0, fields: { video_title: "t".repeat(length) } });
  const taken = await runInDurableObject(machineOf(workspaceId, viewId), ({ components }, { storage }) => {
    const select = "SELECT sum(length(events) - 2) AS length FROM event_batches"; // without the brackets of the row
    let rest = characters - storage.sql.exec<{ length: number }>(select).one().length;
    const events = [];
    for (let sequence = 2; rest > 0; sequence += 1) {
      const empty = event(sequence, 0).json.length;
      const next = event(sequence, Math.min(rest, 100_000 + empty) - empty);
      const isLast = rest - next.json.length < 1000;
      events.push(isLast ? event(sequence, rest - empty) : next);
      rest -= events.at(-1)!.json.length;
    }
    const { edge } = components.facts;
    return takeEvents(components, { workspaceId, viewId, edge, events }) === events.length;
  });
  return isKept(taken);
}

const recordTexts = (length: number): string => {
  const view = finalView("w", [{ sequence: 1, name: "viewBegin", atMs: 0, fields: {} }]);
  const others = JSON.stringify(view, (_, value: unknown) =>
    typeof value === "number" || typeof value === "boolean" ? undefined : value,
  );
  const texts = [...others.matchAll(/:"((?:[^"\\]|\\.)*)"/g)].reduce((sum, [, text]) => sum + text!.length, 0);
  const title = "t".repeat(length - texts);
  return boundRecord({ ...view, videoTitle: title }).videoTitle === title ? TAKEN : "cut";
};

/** @param ask of a store in a time and size of its own */
const ofStore = (ask: (store: StoreComponents) => Promise<string> | string) => async () => {
  const { id: workspaceId } = await newWorkspace();
  const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspaceId}:2026-01`));
  return await runInDurableObject(store, (_, state) => ask(new StoreComponents(state, env)));
};

const playbackEvents = (count: number) =>
  ofStore((store) => {
    for (let taken = 1; taken < count; taken += 1) takeEventPlace(store, 0);
    return takeEventPlace(store, 0) ? TAKEN : "counted";
  })();

const storeBytes = (bytes: number) =>
  ofStore(async (store) => {
    Object.defineProperty(store, "bytes", { value: bytes });
    const view = finalView("w", [{ sequence: 1, name: "viewBegin", atMs: Date.now(), fields: {} }]);
    return (await putView(store, { view, timeline: [], revision: 1 })) === "stored" ? TAKEN : "counted";
  })();

async function ask(query: string): Promise<string> {
  const workspace = await newWorkspace();
  const { ok, status } = await workspace.request("GET", `/v1/data/metrics/views/${query}`);
  return ok ? TAKEN : String(status);
}

async function viewExports(bound: number): Promise<{ atBound: string; above: string }> {
  const db = openDatabase(env.DB);
  const workspace = await newWorkspace();
  const workspaceId = workspace.id;
  const now = new Date();
  const row = { workspaceId, createdAt: now, expiresAt: new Date(now.getTime() + HOUR_MS) };
  const query: ExportQuery = { scope: { fromMs: 0, toMs: 1, filters: [] }, fields: ["viewId"], format: "json" };
  const rows = Array.from({ length: bound - 1 }, () => ({ ...row, id: crypto.randomUUID(), query }));
  await commit(
    env.DB,
    rows.map((one) => insertExport(db, one)),
  );
  const create = async () => {
    const { ok, status } = await workspace.request("POST", "/v1/data/viewlist", {});
    return ok ? TAKEN : String(status);
  };
  return { atBound: await create(), above: await create() };
}

async function forget(length: number): Promise<string> {
  const workspace = await newWorkspace();
  const { ok, status } = await workspace.request("DELETE", `/v1/data/viewers/${"x".repeat(length)}`);
  return ok ? TAKEN : String(status);
}

/** @param ask whether something is still there, after the limit's time */
const keptFor = (ask: (store: StoreComponents, nowMs: number, ageMs: number) => boolean, answer: string) =>
  upTo(async (ageMs) => {
    const { id: workspaceId } = await newWorkspace();
    const nowMs = Date.now();
    const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspaceId}:2026-01`));
    const isKept = await runInDurableObject(store, (_, state) => ask(new StoreComponents(state, env), nowMs, ageMs));
    return isKept ? TAKEN : answer;
  });

const viewRetention = keptFor((store, nowMs, ageMs) => {
  const view = finalView("w", [{ sequence: 1, name: "viewBegin", atMs: nowMs - ageMs, fields: {} }]);
  store.views.put({ view, timeline: [], revision: 1 });
  sweepStore(store, nowMs);
  return !store.views.isEmpty;
}, "deleted");

const forgottenViewer = keptFor(({ forgotten }, nowMs, ageMs) => {
  forgotten.add({ viewer_id: "x", at_ms: nowMs - ageMs }, "hash");
  forgotten.deleteOld(nowMs);
  return forgotten.has(["hash"], 0);
}, "forgotten");

async function machineKept(ageMs: number): Promise<string> {
  const { workspaceId, viewId } = await send((player) => ({ events: [begin(player)] }));
  const isFreed = await runInDurableObject(machineOf(workspaceId, viewId), (_, state) => {
    let nowMs = Date.now();
    const components = new ViewComponents(
      state,
      env,
      async () => {},
      () => nowMs,
    );
    endView(components);
    nowMs += ageMs - 1; // at that time it is due
    return isFreeable(components);
  });
  return isFreed ? "deleted" : TAKEN;
}

async function nowStream(count: number): Promise<string> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const reader = nowEvents(async () => ({})).getReader();
    for (let read = 1; read <= count; read += 1) {
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(10_000);
      if ((await next).done) return "closed";
    }
    return TAKEN;
  } finally {
    vi.useRealTimers();
  }
}

async function alerts(bound: number): Promise<{ atBound: string; above: string }> {
  const workspace = await newWorkspace();
  for (let made = 0; made < bound - 1; made += 1) await newAlert(workspace);
  return { atBound: await createAlert({}, workspace), above: await createAlert({}, workspace) };
}

async function createAlert(more: object, of?: TestWorkspace): Promise<string> {
  const workspace = of ?? (await newWorkspace());
  const { ok, status } = await workspace.request("POST", "/v1/data/alerts", { ...someAlert, ...more });
  return ok ? TAKEN : String(status);
}

/** @param count of reports within a minute, each of which is refused */
async function refusalWrites(count: number): Promise<string> {
  const pending = new PendingRefusals();
  const taken = Array.from({ length: count }, (_, n) => pending.take("w", { not_json: 1 }, n));
  return taken.at(-1) === null ? "later" : TAKEN;
}

const HOUR_MS = 3600_000;
const MINUTE_S = 60;
export const dataTrials = {
  "beacon-body": upTo(body),
  "beacon-events": upTo(events),
  "beacon-views": upTo(views),
  "beacon-requests": counted("BEACONS"),
  "beacon-requests-of-workspace": counted("BEACONS_OF_WORKSPACE"),
  "beacon-requests-in-all": counted("BEACONS_IN_ALL"),
  "beacon-unit": upTo(unit),
  "new-views": counted("NEW_VIEWS"),
  "new-views-of-workspace": counted("NEW_VIEWS_OF_WORKSPACE"),
  "new-views-in-all": counted("NEW_VIEWS_IN_ALL"),
  "playback-events": upTo(playbackEvents),
  "playback-event-text": upTo(eventText),
  "view-length": upTo(viewLength),
  "view-texts": upTo(recordTexts),
  "view-store-bytes": upTo(storeBytes),
  "database-bytes": upTo((bytes) => (isRoomFor(bytes) ? TAKEN : "counted")),
  "refusal-writes": upTo(refusalWrites),
  "cmcd-body": upTo(cmcdBody),
  "cmcd-reports": upTo(cmcdReports),
  "view-events": upTo((count) => viewEvents("pulse")(count - 1)), // and the one that began the view
  "view-requests": upTo(viewEvents("requestCompleted")),
  "data-filters": upTo((count) => ask(`overall?${"filterby[]=country:IT&".repeat(count)}`)),
  "data-intervals": upTo((count) => ask(`timeseries?timespan[]=0&timespan[]=${count * MINUTE_S}&groupBy=minute`)),
  "view-exports": viewExports,
  "viewer-id": upTo(forget),
  "view-retention": viewRetention,
  "view-machine-kept": upTo(machineKept),
  "forgotten-viewer": forgottenViewer,
  "now-events": upTo(nowStream),
  alerts,
  "alert-name": upTo((length) => createAlert({ name: "n".repeat(length) })),
  "alert-filters": upTo((count) => createAlert({ filters: Array.from({ length: count }, () => "country:IT") })),
} satisfies Record<string, Trial>;
