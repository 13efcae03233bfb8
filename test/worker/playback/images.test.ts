/** Addresses of pictures: who gets them, how long caches keep them, and when there is none. The pictures have been made before. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { findReadyRenditions } from "../../../src/library/assets/repository.ts";
import { POSTER_NAME, sheetOrder, stillOrder } from "../../../src/library/images/index.ts";
import { planSheet } from "../../../src/media/images/sheet-plan.ts";
import { PLAIN_FIT } from "../../../src/media/images/sizes.ts";
import { imageKey } from "../../../src/platform/storage/keys.ts";
import { newStream, settle } from "../live/live-helpers.ts";
import { broadcast } from "../live/recording-helpers.ts";
import { newWorkspace } from "../workspace.ts";
import { addPassthrough, addRung, get, newAsset } from "./playable.ts";
import { addSigningKey, signToken } from "./tokens.ts";

const OWN = { workspaceId: null, playbackId: null };
/** The address of a thumbnail, and what it is called. */
const STILL = { seconds: 3, fit: { ...PLAIN_FIT, widthPx: 320 }, format: "jpg" } as const;
const STILL_PATH = "/thumbnail.jpg?time=3&width=320";

let keyId: string;
let open: string;
let closed: string;

/** A ready asset of 6 s with a still, a sheet and a poster. */
async function pictured(access: Parameters<typeof newAsset>[1] = {}): Promise<string> {
  const { assetId, playbackId } = await newAsset({ status: "ready" }, access);
  await addRung(assetId);
  const rungs = await findReadyRenditions(env.DB, assetId);
  if (rungs === "processing") throw new Error("the asset is ready");
  const own = { assetId, ...OWN };
  const names = [
    stillOrder(own, rungs, STILL)!.name,
    stillOrder(own, rungs, { seconds: 2, fit: PLAIN_FIT, format: "png" })!.name,
    sheetOrder(own, planSheet(rungs)!).name,
  ];
  for (const name of names)
    await env.MEDIA.put(imageKey(assetId, name), name, { httpMetadata: { contentType: "image/jpeg" } });
  await env.MEDIA.put(imageKey(assetId, POSTER_NAME), JSON.stringify({ seconds: 2 }));
  return playbackId;
}

beforeAll(async () => {
  keyId = await addSigningKey("w");
  [open, closed] = await Promise.all([pictured(), pictured({ accessPolicy: "private" })]);
});

describe("a picture that has been made", () => {
  test("is cached forever, under one name for all equivalent addresses", async () => {
    const answers = await Promise.all(
      [STILL_PATH, "/thumbnail.jpg?width=321&time=3.01&fit_mode=preserve"].map((path) => get(`/${open}${path}`)),
    );
    for (const answer of answers)
      expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
        200,
        "image/jpeg",
        "public, max-age=31536000, immutable",
      ]);
    const [first, second] = await Promise.all(answers.map((answer) => answer.text()));
    expect(second).toBe(first);
  });

  test("is not sent again to a client that has it, nor to a HEAD", async () => {
    const first = await get(`/${open}${STILL_PATH}`);
    const etag = first.headers.get("etag")!;
    const size = (await first.arrayBuffer()).byteLength;
    expect((await get(`/${open}${STILL_PATH}`, { "if-none-match": etag })).status).toBe(304);
    const head = await get(`/${open}${STILL_PATH}`, {}, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, String(size), ""]);
  });

  test("without a time is the poster", async () => {
    expect(await (await get(`/${open}/thumbnail.png`)).text()).toMatch(/^v720\.f50\./);
  });
});

test("a picture that cannot be made at the moment is 503, and tried again", async () => {
  const answer = await get(`/${open}/thumbnail.webp?time=1`);
  expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("cache-control")]).toEqual([
    503,
    "2",
    "no-store",
  ]);
});

test("a picture of a source whose server does not answer is 503 with Retry-After, as its segments are", async () => {
  const { assetId, playbackId } = await newAsset();
  await addPassthrough(assetId, [[{ offset: 100, length: 50 }]]);
  for (const path of ["/thumbnail.jpg?time=1", "/clip.gif?start=0&end=3"]) {
    const answer = await get(`/${playbackId}${path}`);
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "2"]);
  }
});

describe("media of many bytes per second", () => {
  const MIB = 1 << 20;
  /** An asset that is being prepared, of four segments of the source: none of them is there to be read. */
  async function heavy(mib: number): Promise<string> {
    const { assetId, playbackId } = await newAsset();
    const bytes = [mib, mib, mib, mib].map((n) => n * MIB);
    const segments = { durationTicks: [100, 100, 100, 100], bytes, keyframes: [] };
    await addRung(assetId, "source-v", { origin: "passthrough", segments });
    return playbackId;
  }
  const refusal = async (path: string) => {
    const answer = await get(path);
    return [answer.status, (await answer.json<{ error: { fields?: { field: string }[] } }>()).error.fields?.[0]?.field];
  };

  test("an animation of too much of it is 422 and names `end`; a shorter one is tried", async () => {
    const id = await heavy(16);
    expect(await refusal(`/${id}/clip.gif?start=0&end=10`)).toEqual([422, "end"]);
    expect((await get(`/${id}/clip.gif?start=0&end=8`)).status).not.toBe(422);
  });

  test("a thumbnail in a segment of too much is 422 and names `time`", async () => {
    expect(await refusal(`/${await heavy(33)}/thumbnail.jpg?time=3`)).toEqual([422, "time"]);
  });
});

describe("pictures of a private asset", () => {
  const PATHS = [STILL_PATH, "/thumbnail.png", "/clip.gif", "/spritesheet.jpg", "/spritesheet.json"];
  test.each([...PATHS, "/advanced-spritesheet.json", "/storyboard.vtt", "/images.m3u8"])(
    "%s needs a token",
    async (path) => {
      expect((await get(`/${closed}${path}`)).status).toBe(401);
      const token = await signToken(keyId, crypto.randomUUID());
      expect((await get(`/${closed}${path}${path.includes("?") ? "&" : "?"}token=${token}`)).status).toBe(401);
    },
  );

  test("are for their viewer's own cache, and the sheet's address in the JSON works without the token", async () => {
    const token = await signToken(keyId, closed);
    const still = await get(`/${closed}${STILL_PATH}&token=${token}`);
    expect([still.status, still.headers.get("cache-control")]).toEqual([200, "private, max-age=3600"]);
    const { url } = await (await get(`/${closed}/spritesheet.json?token=${token}`)).json<{ url: string }>();
    expect(url).not.toContain("token");
    const sheet = await get(new URL(url).pathname);
    expect([sheet.status, sheet.headers.get("cache-control")]).toEqual([200, "public, max-age=3600, s-maxage=5"]);
    expect((await get(`/${closed}/spritesheet.jpg`)).status).toBe(401);
  });
});

describe("there is no picture", () => {
  test("of an unknown playback ID, of sound alone, and of a media that has failed", async () => {
    const { assetId, playbackId } = await newAsset({ status: "ready" });
    await addRung(assetId, "a1", { kind: "audio", codec: "mp4a.40.2", widthPx: null, heightPx: null });
    const failed = await newAsset({ status: "errored", errorCode: "source_damaged" });
    for (const id of [crypto.randomUUID(), playbackId, failed.playbackId])
      for (const path of ["/thumbnail.jpg", "/spritesheet.json", "/clip.gif"])
        expect([path, (await get(`/${id}${path}`)).status]).toEqual([path, 404]);
  });

  test("of a media with nothing to play yet, and no sheet before it is ready: both are 400", async () => {
    const nothing = await newAsset();
    const processing = await newAsset();
    await addRung(processing.assetId);
    for (const path of [`/${nothing.playbackId}/thumbnail.jpg`, `/${processing.playbackId}/spritesheet.json`]) {
      const answer = await get(path);
      const { error } = await answer.json<{ error: { message: string } }>();
      expect([answer.status, error.message]).toEqual([400, expect.stringContaining("ready")]);
    }
  });

  test("with a format or a name that is not offered", async () => {
    for (const path of ["/thumbnail.gif", "/thumbnail.jpeg", "/clip.mp4", "/spritesheet.png", "/poster.jpg"])
      expect([path, (await get(`/${open}${path}`)).status]).toEqual([path, 404]);
  });
});

test("a time of a broadcast after what has been broadcast is 422 and names `time`; one in the segment that is not whole yet is 400", async () => {
  const stream = await newStream(await newWorkspace());
  await broadcast(stream, 4); // 8 s
  await settle(stream);
  const thumbnailAt = async (time: number) => {
    const answer = await get(`/${stream.playbackIds[0]!.id}/thumbnail.jpg?time=${time}`);
    const { error } = await answer.json<{ error: { message: string; fields?: { field: string }[] } }>();
    return [time, answer.status, error.fields?.map(({ field }) => field) ?? error.message];
  };
  expect(await thumbnailAt(8.5)).toEqual([8.5, 400, expect.stringContaining("ready")]);
  expect(await thumbnailAt(10.5)).toEqual([10.5, 422, ["time"]]);
  expect(await thumbnailAt(9999)).toEqual([9999, 422, ["time"]]);
});
