/** Event reports of players by CMCD (CTA-5004-B), from the request to the record of the view. */
import { beforeAll, expect, test } from "vitest";
import { derivedId } from "../../../src/platform/crypto/derived-id.ts";
import { eventsOf } from "../events/webhooks/webhook-rows.ts";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { dataOf, elapse } from "./beacon-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

type Data = Record<string, unknown>;
const MINUTE_MS = 60_000;

const post = (playbackId: string, body: string) =>
  send(
    new Request(`http://stream.sluice.test/cmcd/${playbackId}`, {
      method: "POST",
      headers: { "content-type": "application/cmcd" },
      body,
    }),
  );

/** The reports of a session, as lines. */
class Session {
  readonly id = crypto.randomUUID();
  readonly startMs: number;
  #count = 0;

  constructor(secondsAgo: number) {
    this.startMs = Date.now() - secondsAgo * 1000;
  }

  line(event: string, afterMs: number, more: string): string {
    return `e=${event},sid="${this.id}",sn=${this.#count++},ts=${this.startMs + afterMs},v=2,${more}`;
  }

  /** Starts after 400 ms, stalls for 1 s, pauses for 5 s, and ends 20 s after it began. */
  wholePlay(): string[] {
    return [
      this.line("ps", -3000, "sta=d"),
      this.line("ps", 0, "sta=s,pt=0"),
      this.line("ps", 400, "sta=p,pt=0,msd=390,br=(1000;v)"),
      this.line("ps", 5400, "sta=r,pt=5000"),
      this.line("ps", 6400, "sta=p,pt=5000"),
      this.line("ps", 8000, "sta=a,pt=6600"),
      this.line("ps", 13_000, "sta=p,pt=6600"),
      this.line("t", 18_000, "sta=p,pt=11600"),
      this.line("ps", 20_000, "sta=e,pt=13600"),
    ];
  }
}

const viewIdOf = (playbackId: string, { id }: Session) => derivedId("cmcd", playbackId, id);

test("a session is one view with its figures from the times of its states, final a minute after its end, with one event", async () => {
  const { assetId, playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const session = new Session(30);
  const lines = session.wholePlay();
  for (const batch of [lines.slice(0, 4), lines.slice(2, 7), lines.slice(7), lines]) {
    const answer = await post(playbackId, batch.join("\n"));
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  }
  const viewId = await viewIdOf(playbackId, session);
  await elapse(workspace.id, viewId);
  const running = await dataOf<Data>(workspace, `viewlist/${viewId}`);
  expect(running).toMatchObject({ isFinal: false, watchTime: 15_000 });
  await elapse(workspace.id, viewId, MINUTE_MS);
  const view = await dataOf<Data>(workspace, `viewlist/${viewId}`);
  expect(view).toMatchObject({
    isFinal: true,
    mediaId: assetId,
    fpPlaybackId: playbackId,
    watchTime: 15_000,
    videoStartupTime: 400,
    bufferCount: 1,
    bufferFill: 1000,
    viewSeekedCount: 0,
    averageBitrate: 1_000_000,
    viewHasError: false,
    videoSourceStreamType: "on-demand",
    videoTitle: null,
    viewerId: null,
  });
  expect(new Date(String(view["viewStart"])).getTime() - session.startMs).toBeLessThan(1000); // without the preloading
  const sent = await eventsOf(viewId);
  expect(sent.map(({ type }) => type)).toEqual(["playback.completed"]);
});

test("a session that fails is an errored view with the player's code", async () => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const session = new Session(10);
  const lines = [
    session.line("ps", 0, "sta=s"),
    session.line("ps", 2000, "sta=f"),
    session.line("e", 2001, 'sta=f,ec=("manifestLoadError")'),
  ];
  expect((await post(playbackId, lines.join("\n"))).status).toBe(200);
  const viewId = await viewIdOf(playbackId, session);
  await elapse(workspace.id, viewId);
  expect(await dataOf<Data>(workspace, `viewlist/${viewId}`)).toMatchObject({
    isFinal: true,
    viewHasError: true,
    videoStartupFailed: true,
    errorCode: "manifestLoadError",
  });
});

test("a view of a player without states ends once it has lasted as long as its media, and later reports change nothing", async () => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id, durationMs: 10_000 });
  const session = new Session(60);
  const pulse = (_: unknown, index: number) => session.line("t", 4000 + index * 4000, "br=(1000;v)");
  const lines = [session.line("t", 2000, "msd=800"), ...Array.from({ length: 10 }, pulse)];
  await post(playbackId, lines.join("\n"));
  const viewId = await viewIdOf(playbackId, session);
  await elapse(workspace.id, viewId, MINUTE_MS);
  const view = await dataOf<Data>(workspace, `viewlist/${viewId}`);
  expect(view).toMatchObject({ isFinal: true, watchTime: 10_800, videoStartupTime: 800 });
  expect((await eventsOf(viewId)).map(({ type }) => type)).toEqual(["playback.completed"]);
  await post(playbackId, session.line("t", 50_000, "br=(1000;v)"));
  await elapse(workspace.id, viewId, MINUTE_MS);
  expect(await dataOf<Data>(workspace, `viewlist/${viewId}`)).toEqual(view);
});

test("the same session on two playback IDs is two views", async () => {
  const session = new Session(30);
  const lines = session.wholePlay().join("\n");
  const viewIds: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    await post(playbackId, lines);
    viewIds.push(await viewIdOf(playbackId, session));
    await elapse(workspace.id, viewIds.at(-1)!);
  }
  expect(new Set(viewIds).size).toBe(2);
  for (const viewId of viewIds) expect(await dataOf<Data>(workspace, `viewlist/${viewId}`)).toMatchObject({ viewId });
});

test.each([
  ["nothing", ""],
  ["HTML", "<html><body>"],
  ["256 KiB and more", "e=ps,".repeat(60_000)],
  ["a session without an end of its quotes", 'e=ps,sid="abc,sn=1'],
])("%s is answered 200, and creates no view", async (_, body) => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const before = (await dataOf<Data[]>(workspace, "viewlist?limit=50")).length;
  expect((await post(playbackId, body)).status).toBe(200);
  expect((await dataOf<Data[]>(workspace, "viewlist?limit=50")).length).toBe(before);
});

test.each([crypto.randomUUID(), "nonsense", "'; drop table views"])("nothing is stored for %s", async (playbackId) => {
  const answer = await post(encodeURIComponent(playbackId), new Session(30).wholePlay().join("\n"));
  expect(answer.status).toBe(200);
});

test("a browser may send them from any page, and another method is refused", async () => {
  const url = `http://stream.sluice.test/cmcd/${crypto.randomUUID()}`;
  const preflight = await send(new Request(url, { method: "OPTIONS" }));
  expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([204, "Content-Type"]);
  expect((await send(new Request(url))).status).toBe(405);
});
