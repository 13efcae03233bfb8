/** Unusable reports of players: answered 200, and shown to the workspace's owner. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { dataOf, postBeacon, TestPlayer } from "./beacon-helpers.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Refused {
  reason: string;
  description: string;
  count: number;
  lastAt: string;
}
const shown = (query = "") => dataOf<Refused[]>(workspace, `refused-reports${query}`);
const countsOf = async () => Object.fromEntries((await shown()).map(({ reason, count }) => [reason, count]));

test("each reason has its count and its description, the most frequent first", async () => {
  expect(await shown()).toEqual([]);
  expect((await postBeacon(workspace.id, "{")).status).toBe(200);
  expect(await countsOf()).toEqual({ not_json: 1 });
  const player = new TestPlayer(workspace.id);
  const events = [{ evna: "play" }, { evna: "pause" }, 7, player.event("viewBegin", Date.now())];
  await postBeacon(workspace.id, { events });
  await postBeacon(workspace.id, `"${"x".repeat(1024 * 1024)}"`);
  const first = { no_view_id: 2, not_an_event: 1, not_json: 1, too_large: 1 };
  expect(await countsOf()).toEqual(first);
  await postBeacon(workspace.id, { events: [{ evna: "play" }] });
  expect(await countsOf()).toEqual(first);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  await postBeacon(workspace.id, { events: [player.event("playing", Date.now())] });
  const refused = await shown();
  expect(refused[0]).toMatchObject({ reason: "no_view_id", count: 3, description: expect.stringContaining("veid") });
  expect(Date.parse(refused[0]!.lastAt)).toBeGreaterThan(Date.now() - 1000);
  expect(await countsOf()).toEqual({ ...first, no_view_id: 3 });
});

test("CMCD reports are counted with the workspace of their playback ID", async () => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const post = (body: string) =>
    send(new Request(`http://stream.sluice.test/cmcd/${playbackId}`, { method: "POST", body }));
  expect((await post("sid,sta=p")).status).toBe(200);
  expect(Object.values(await countsOf())).toEqual([1]);
});

test("another workspace does not see them, and an unknown one has none", async () => {
  await postBeacon(workspace.id, "{");
  expect((await postBeacon(crypto.randomUUID(), "{")).status).toBe(200);
  workspace = await newWorkspace();
  expect(await shown()).toEqual([]);
});

test("a past time span has no current ones", async () => {
  await postBeacon(workspace.id, "{");
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  expect(await shown(`?timespan[]=${hourAgo - 7200}&timespan[]=${hourAgo - 3600}`)).toEqual([]);
});
