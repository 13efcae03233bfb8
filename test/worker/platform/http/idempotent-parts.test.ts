/** An `Idempotency-Key` on the creation of a part of a media or a stream, and of a webhook. Such a commit can be repeated after a conflict. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { idempotencyKeys } from "../../../../src/platform/http/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { newStream } from "../../live/live-helpers.ts";
import { newAsset } from "../../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const newMedia = async () => {
  const { assetId } = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done" });
  return `/v1/on-demand/${assetId}`;
};
const newLive = async () => `/v1/live/streams/${(await newStream(workspace)).streamId}`;

interface Parent {
  data: { tracks?: object[]; playbackIds?: object[]; simulcastResponses?: object[] };
}
const countIn = async (path: string, count: (data: Parent["data"]) => object[] | undefined) =>
  count((await (await workspace.request("GET", path)).json<Parent>()).data)?.length ?? 0;

const subtitles = (languageName: string) => ({
  tracks: { url: "http://127.0.0.1:9/en.vtt", type: "subtitle", languageCode: "en", languageName },
});
const webhook = (description: string) => ({
  url: "https://hooks.example.com/",
  eventTypes: ["asset.ready"],
  skipVerification: true,
  description,
});

/** What can be created: two bodies of one, where, and how many there are. */
const PARTS = {
  "a track": {
    bodies: [subtitles("English"), subtitles("English for all")],
    place: newMedia,
    path: (parent: string) => `${parent}/tracks`,
    count: (parent: string) => countIn(parent, ({ tracks }) => tracks),
  },
  "a playback ID of a media": {
    bodies: [{ accessPolicy: "private" }, { accessPolicy: "public" }],
    place: newMedia,
    path: (parent: string) => `${parent}/playback-ids`,
    count: (parent: string) => countIn(parent, ({ playbackIds }) => playbackIds),
  },
  "a playback ID of a stream": {
    bodies: [{}, { accessPolicy: "private" }],
    place: newLive,
    path: (parent: string) => `${parent}/playback-ids`,
    count: (parent: string) => countIn(parent, ({ playbackIds }) => playbackIds),
  },
  "a simulcast target": {
    bodies: [
      { url: "rtmp://live.example.com/app", streamKey: "one" },
      { url: "rtmp://live.example.com/app", streamKey: "two" },
    ],
    place: newLive,
    path: (parent: string) => `${parent}/simulcast`,
    count: (parent: string) => countIn(parent, ({ simulcastResponses }) => simulcastResponses),
  },
  "a webhook": {
    bodies: [webhook("one"), webhook("two")],
    place: async () => "/v1/webhooks",
    path: (parent: string) => parent,
    count: async (parent: string) =>
      (await (await workspace.request("GET", `${parent}?limit=50`)).json<{ data: object[] }>()).data.length,
  },
};

const storedUnder = (key: string) =>
  openDatabase(env.DB).select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key));

describe.each(Object.entries(PARTS))("the key of %s", (_, { bodies, place, path, count }) => {
  const post = (parent: string, body: object | undefined, key: string) =>
    workspace.request("POST", path(parent), body, { "idempotency-key": key });

  test("makes one of ten requests at once, and all get its answer byte by byte, as a later repeat does", async () => {
    const [parent, key] = [await place(), crypto.randomUUID()];
    const before = await count(parent);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(parent, bodies[0], key)));
    answers.push(await post(parent, bodies[0], key));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(await count(parent)).toBe(before + 1);
  });

  test("is refused with another body", async () => {
    const [parent, key] = [await place(), crypto.randomUUID()];
    await post(parent, bodies[0], key);
    const before = await count(parent);
    expect((await post(parent, bodies[1], key)).status).toBe(409);
    expect(await count(parent)).toBe(before);
  });

  test("makes the object once although other requests change its parent at the same time", async () => {
    const [parent, key] = [await place(), crypto.randomUUID()];
    const others = Array.from({ length: 3 }, () => post(parent, bodies[1], crypto.randomUUID()));
    const mine = await Promise.all(Array.from({ length: 3 }, () => post(parent, bodies[0], key)));
    await Promise.all(others);
    expect(mine.map(({ status }) => status)).toEqual([201, 201, 201]);
    const [text] = new Set(await Promise.all(mine.map((answer) => answer.text())));
    expect(await (await post(parent, bodies[0], key)).text()).toBe(text);
    expect(await storedUnder(key)).toHaveLength(1);
  });
});

test.each(["a track", "a playback ID of a media", "a playback ID of a stream", "a simulcast target"] as const)(
  "the key of %s is refused at another parent",
  async (part) => {
    const { bodies, place, path, count } = PARTS[part];
    const [one, other, key] = [await place(), await place(), crypto.randomUUID()];
    const before = await count(other);
    const headers = { "idempotency-key": key };
    expect((await workspace.request("POST", path(one), bodies[0], headers)).status).toBe(201);
    expect((await workspace.request("POST", path(other), bodies[0], headers)).status).toBe(409);
    expect(await count(other)).toBe(before);
  },
);

test("a key of a refused creation is free: after the limit of webhooks, the same request can succeed", async () => {
  const owner = await newWorkspace();
  const ids: string[] = [];
  for (let n = 0; n < 50; n += 1) {
    const answer = await owner.request("POST", "/v1/webhooks", webhook(`${n}`));
    ids.push((await answer.json<{ data: { id: string } }>()).data.id);
  }
  const create = () => owner.request("POST", "/v1/webhooks", webhook("last"), { "idempotency-key": "last" });
  expect((await create()).status).toBe(400);
  await owner.request("DELETE", `/v1/webhooks/${ids[0]}`);
  expect((await create()).status).toBe(201);
});

test("secrets in a kept answer are sealed", async () => {
  const { bodies } = PARTS["a webhook"];
  const key = crypto.randomUUID();
  const answer = await workspace.request("POST", "/v1/webhooks", bodies[0], { "idempotency-key": key });
  const { secret } = (await answer.json<{ data: { secret: string } }>()).data;
  const [kept] = await storedUnder(key);
  expect(kept!.body).not.toContain(secret);
  expect(answer.headers.get("cache-control")).toBe("no-store");
});
