/** An asset's image maker: each picture is made once, and not too many of a playback ID. The encoder is an HTTP server with fixed answers. */
import { env, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ImageMaker } from "../../../../durable-objects/image-maker.ts";
import { changePicture } from "../../../../src/library/images/change-picture.ts";
import type { ImageAnswer, ImageOrder } from "../../../../src/library/images/image-calls.ts";
import { choosePoster, makeImage } from "../../../../src/library/images/make-image.ts";
import { stillOrder } from "../../../../src/library/images/orders.ts";
import { ImageMakerComponents } from "../../../../src/library/images/components.ts";
import { runImageTimers } from "../../../../src/library/images/timers.ts";
import { forgetAsset } from "../../../../src/library/assets/repository.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { usageOf } from "../../../../src/tenancy/limits/repository.ts";
import { newWorkspace } from "../../workspace.ts";
import { prepareDue, prepareSoon } from "../../../../src/library/images/prepare-images.ts";
import { PLAIN_FIT } from "../../../../src/media/images/sizes.ts";
import { imageKey, liveThumbnailKey, renditionKey } from "../../../../src/platform/storage/keys.ts";
import { ladderRung } from "../../../pure/media/images/rungs.ts";
import { addPassthrough, addRung, newAsset } from "../../playback/playable.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";

const JPEG = "jpeg of the encoder";
const RUNG = ladderRung({ gops: 10 });
const PLAYBACK_ID = "p";
const IMAGES = "/images";

let encoder: RemoteServer;
let assetId: string;
let nowMs: number;

beforeEach(async () => {
  encoder = await openSourceServer();
  await encoder.add(IMAGES, {
    kind: "status",
    status: 200,
    headers: { "content-type": "image/jpeg" },
    body: JPEG,
  });
  assetId = crypto.randomUUID();
  nowMs = Date.now(); // the alarm is a real one
  await env.MEDIA.put(renditionKey(assetId, RUNG.name, "init.mp4"), new Uint8Array(700));
  for (const n of [0, 1, 2, 3, 4])
    await env.MEDIA.put(renditionKey(assetId, RUNG.name, `${n}.m4s`), new Uint8Array(RUNG.segments.bytes[n]!));
});

afterEach(() => encoder.stop());

/** Runs in the asset's image maker, whose encoder is the server and whose clock is the test's. */
function within<T>(use: (machine: ImageMakerComponents) => Promise<T>): Promise<T> {
  const stub = env.IMAGE_MAKER.get(env.IMAGE_MAKER.idFromName(assetId));
  return runInDurableObject(stub, (_: ImageMaker, ctx) =>
    use(new ImageMakerComponents(ctx, { ...env, ENCODER_URL: encoder.origin }, () => nowMs)),
  );
}

function still(seconds: number, format: "jpg" | "png" = "jpg"): ImageOrder {
  const order = stillOrder({ assetId, workspaceId: "w", playbackId: PLAYBACK_ID }, [RUNG], {
    seconds,
    fit: PLAIN_FIT,
    format,
  });
  return order!;
}
/** The maker answers before it has stored. */
const stored = (machine: ImageMakerComponents) => vi.waitFor(() => expect(machine.underWay.size).toBe(0));
const kindOf = ({ kind }: ImageAnswer) => kind;
const textOf = (answer: ImageAnswer) => ("bytes" in answer ? new TextDecoder().decode(answer.bytes) : answer.kind);
const asked = async () => (await encoder.requests(IMAGES)).length;

describe("a picture", () => {
  test("is made once for all who ask at the same time, and kept", async () => {
    const answers = await within(async (machine) => {
      const made = await Promise.all(Array.from({ length: 5 }, () => makeImage(machine, still(3))));
      await stored(machine);
      return made;
    });
    expect(answers.map(textOf)).toEqual([JPEG, JPEG, JPEG, JPEG, JPEG]);
    expect(await asked()).toBe(1);
    const kept = await env.MEDIA.get(imageKey(assetId, still(3).name));
    expect([await kept?.text(), kept?.httpMetadata?.contentType]).toEqual([JPEG, "image/jpeg"]);
    expect(textOf(await within((machine) => makeImage(machine, still(3))))).toBe(JPEG);
    expect(await asked()).toBe(1);
  });

  test("has the same name for all times of its frame", () => {
    expect(still(3.01).name).toBe(still(3).name);
    expect(still(3.04).name).not.toBe(still(3).name);
  });

  test("of media that is gone is unreadable, and without an encoder unavailable", async () => {
    await env.MEDIA.delete(renditionKey(assetId, RUNG.name, "0.m4s"));
    expect(kindOf(await within((machine) => makeImage(machine, still(3))))).toBe("unreadable");
    await encoder.add(IMAGES, { kind: "status", status: 429 });
    expect(kindOf(await within((machine) => makeImage(machine, still(5))))).toBe("unavailable");
  });

  test("of media that is damaged is made of another rung", async () => {
    const { work, places, ...order } = still(3);
    const damaged = { ...order, work, places: places.map((place) => ({ ...place, segment: 99 })) };
    expect(textOf(await within((machine) => makeImage(machine, { ...damaged, instead: { work, places } })))).toBe(JPEG);
    const kept = await vi.waitFor(async () => (await env.MEDIA.get(imageKey(assetId, order.name)))!.text());
    expect([kept, await asked()]).toEqual([JPEG, 1]);
  });

  test("of a source whose server fails is unavailable, and no encoder is asked", async () => {
    await encoder.add("/film.mp4", { kind: "status", status: 503 });
    await newAsset({ id: assetId, sourceUrl: `${encoder.origin}/film.mp4` });
    await addPassthrough(assetId, [[{ offset: 100, length: 50 }]]);
    const order = still(3);
    const places = order.places.map((place) => ({ ...place, isPassthrough: true, rendition: "source-v", segment: 0 }));
    expect(kindOf(await within((machine) => makeImage(machine, { ...order, places })))).toBe("unavailable");
    expect([(await encoder.requests("/film.mp4")).length > 0, await asked()]).toEqual([true, 0]);
  });

  test("of more media than is read for one is not made", async () => {
    const order = still(3);
    const large = { ...order, places: order.places.map((place) => ({ ...place, bytes: (32 << 20) + 1 })) };
    expect(kindOf(await within((machine) => makeImage(machine, large)))).toBe("unreadable");
    expect(await asked()).toBe(0);
  });
});

test("beyond the bound the nearest picture of the playback ID is the answer, and after a minute a new one is made again", async () => {
  await within(async (machine) => {
    await makeImage(machine, still(4));
    await makeImage(machine, still(8));
    await stored(machine);
    for (let spent = 2; spent < 120; spent += 1) machine.made.spend(PLAYBACK_ID, 1, nowMs);
    const [beyond, other] = [await makeImage(machine, still(5)), await makeImage(machine, still(5, "png"))];
    expect([kindOf(beyond), kindOf(other)]).toEqual(["nearest", "nearest"]);
    expect(machine.kept.nearest(PLAYBACK_ID, 5, "jpg")).toBe(still(4).name);
    expect(machine.kept.nearest(PLAYBACK_ID, 7, "jpg")).toBe(still(8).name);
    expect(await makeImage(machine, { ...still(5), playbackId: "another" })).toMatchObject({ kind: "made" });
    const large = { ...still(6), nearSeconds: null };
    expect(await makeImage(machine, large)).toEqual({ kind: "too many", retryAfterSeconds: 60 });
    nowMs += 60_000;
    expect(kindOf(await makeImage(machine, still(6)))).toBe("made");
  });
});

test("beyond the bound no media is read", async () => {
  await within(async (machine) => {
    machine.made.spend(PLAYBACK_ID, 120, nowMs);
    const get = vi.spyOn(env.MEDIA, "get");
    const beyond = new ImageMakerComponents(machine.ctx, { ...machine.env, MEDIA: env.MEDIA }, () => nowMs);
    expect(kindOf(await makeImage(beyond, still(5)))).toBe("too many");
    expect(get.mock.calls.map(([key]) => key)).toEqual([imageKey(assetId, still(5).name)]);
    get.mockRestore();
  });
});

describe("a picture that cannot be made", () => {
  test.each([
    [422, "unreadable"],
    [500, "unavailable"],
  ] as const)("because the encoder answered %s is not tried again for ten minutes", async (status, kind) => {
    await encoder.add(IMAGES, { kind: "status", status });
    await within(async (machine) => {
      for (let n = 0; n < 3; n += 1) expect(kindOf(await makeImage(machine, still(3)))).toBe(kind);
      expect(await asked()).toBe(1);
      nowMs += 600_000;
      expect(kindOf(await makeImage(machine, still(3)))).toBe(kind);
      expect(await asked()).toBe(2);
    });
  });

  test("because the encoder is busy is tried again at once", async () => {
    await encoder.add(IMAGES, { kind: "status", status: 429 });
    await within(async (machine) => {
      for (let n = 0; n < 2; n += 1) expect(kindOf(await makeImage(machine, still(3)))).toBe("unavailable");
      expect(await asked()).toBe(2);
    });
  });
});

describe("stored pictures", () => {
  const DAY_MS = 24 * 3_600_000;
  const has = async (seconds: number) => (await env.MEDIA.head(imageKey(assetId, still(seconds).name))) !== null;
  const storedOf = async (workspaceId: string) => (await usageOf(openDatabase(env.DB), workspaceId)).storedBytes;

  test("are deleted after 30 days, and made again when they are asked for", async () => {
    await within(async (machine) => {
      await makeImage(machine, still(3));
      await stored(machine);
      nowMs += 29 * DAY_MS;
      await makeImage(machine, still(5));
      await stored(machine);
      await runImageTimers(machine);
      expect([await has(3), await has(5)]).toEqual([true, true]);
      nowMs += DAY_MS;
      expect(await runImageTimers(machine)).toBe(false);
      expect([await has(3), await has(5)]).toEqual([false, true]);
      nowMs += 29 * DAY_MS;
      await runImageTimers(machine);
      nowMs += 1;
      expect(await runImageTimers(machine)).toBe(true); // the maker has nothing to keep
      expect(await has(5)).toBe(false);
      expect(kindOf(await makeImage(machine, still(3)))).toBe("made");
    });
  });

  test("that the platform made itself do not expire", async () => {
    await within(async (machine) => {
      await makeImage(machine, { ...still(3), playbackId: null });
      await stored(machine);
      nowMs += 400 * DAY_MS;
      await runImageTimers(machine);
      expect(await has(3)).toBe(true);
    });
  });

  test("are found by their time without reading the others", async () => {
    await within(async ({ ctx: { storage }, kept }) => {
      const add = (playbackId: string, seconds: number, extension: string) =>
        kept.add({ name: `${playbackId}-${seconds}.${extension}`, playbackId, seconds, bytes: 1 }, nowMs);
      for (let seconds = 0; seconds < 500; seconds += 1) add(PLAYBACK_ID, seconds, "jpg");
      add(PLAYBACK_ID, 100.5, "png");
      add("other", 250, "png");
      const read = (find: () => string | null) => {
        const exec = vi.spyOn(storage.sql, "exec");
        const name = find();
        const rows = exec.mock.results.reduce((sum, { value }) => sum + (value as SqlStorageCursor<never>).rowsRead, 0);
        exec.mockRestore();
        return { name, isShort: rows < 20 };
      };
      const nearest = (seconds: number) => read(() => kept.nearest(PLAYBACK_ID, seconds, "jpg"));
      expect(nearest(250.2)).toEqual({ name: `${PLAYBACK_ID}-250.jpg`, isShort: true });
      expect(nearest(250.7)).toEqual({ name: `${PLAYBACK_ID}-251.jpg`, isShort: true });
      expect(nearest(9000)).toEqual({ name: `${PLAYBACK_ID}-499.jpg`, isShort: true });
      expect(kept.nearest(PLAYBACK_ID, 400, "png")).toBe(`${PLAYBACK_ID}-100.5.png`);
      expect(kept.nearest(PLAYBACK_ID, 100.4, "webp")).toBe(`${PLAYBACK_ID}-100.5.png`);
      expect(kept.nearest("none", 1, "jpg")).toBeNull();
      const select =
        "EXPLAIN QUERY PLAN SELECT name FROM kept WHERE playback_id = ? AND at_seconds > ? ORDER BY at_seconds";
      const [plan] = storage.sql.exec<{ detail: string }>(select, PLAYBACK_ID, 1).toArray();
      expect(plan!.detail).toContain("USING COVERING INDEX kept_by_time");
    });
  });

  test("beyond 256 MiB of a media, the oldest are deleted", async () => {
    await within(async (machine) => {
      const add = (name: string, mib: number) =>
        machine.kept.add({ name, playbackId: PLAYBACK_ID, seconds: 1, bytes: mib << 20 }, nowMs++);
      add("first", 100);
      add("second", 100);
      add("third", 50);
      expect(machine.kept.due(nowMs)).toEqual([]);
      add("fourth", 50);
      expect(machine.kept.due(nowMs)).toEqual(["first"]);
      add("fifth", 150);
      expect(machine.kept.due(nowMs)).toEqual(["first", "second"]);
    });
  });

  test("are counted as storage of the workspace, with one write for all of ten minutes, until the media is purged", async () => {
    const { id: workspaceId } = await newWorkspace();
    await newAsset({ id: assetId, workspaceId });
    await within(async (machine) => {
      for (const seconds of [3, 5]) await makeImage(machine, still(seconds));
      await stored(machine);
      await runImageTimers(machine);
      expect(await storedOf(workspaceId)).toBe(0);
      nowMs += 600_000;
      await runImageTimers(machine);
      expect(await storedOf(workspaceId)).toBe(2 * JPEG.length);
      nowMs += 30 * DAY_MS;
      await runImageTimers(machine);
      nowMs += 600_000;
      await runImageTimers(machine);
      expect(await storedOf(workspaceId)).toBe(0);
      await makeImage(machine, still(3));
      await stored(machine);
      nowMs += 600_000;
      await runImageTimers(machine);
    });
    await forgetAsset(openDatabase(env.DB), assetId, new Date());
    expect(await storedOf(workspaceId)).toBe(0);
  });
});

test("the poster is chosen once", async () => {
  const choice = JSON.stringify({ best: 1, scores: [0.1, 0.9, 0.5] });
  await encoder.add(IMAGES, { kind: "status", status: 200, body: choice });
  const places = [0, 2, 4].map((seconds) => still(seconds).places[0]!);
  const plan = { seconds: [0, 2, 4], places };
  expect(await within((machine) => choosePoster(machine, assetId, plan))).toBe(2);
  await encoder.add(IMAGES, { kind: "status", status: 500 });
  expect(await within((machine) => choosePoster(machine, assetId, plan))).toBe(2);
});

describe("preparation", () => {
  test("waits for the asset to be ready, and is tried again while no encoder answers", async () => {
    const { assetId: processing } = await newAsset({ id: assetId });
    await addRung(processing, RUNG.name, { ...RUNG, name: RUNG.name });
    const pending = (machine: ImageMakerComponents) => machine.ctx.storage.kv.get("prepare");
    await within(async (machine) => {
      prepareSoon(machine, processing);
      await prepareDue(machine);
      expect(pending(machine)).toMatchObject({ tries: 1 });
      const dueMs = machine.timers.dueOf("prepare");
      machine.keepForNow(processing); // as after a picture that a viewer asked for
      expect(machine.timers.dueOf("prepare")).toBe(dueMs);
      expect(await machine.ctx.storage.getAlarm()).toBe(dueMs);
    });
    expect(await asked()).toBe(0);
  });
});

test("a thumbnail of a broadcast that an encoder failed to change is not tried again until the next one", async () => {
  const header = [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 1, 0x68, 2, 0x80, 3];
  const order = {
    sessionId: assetId,
    workspaceId: "w",
    playbackId: PLAYBACK_ID,
    format: "avif",
    fit: { ...PLAIN_FIT, widthPx: 320 },
  } as const;
  await within(async (machine) => {
    await env.MEDIA.put(liveThumbnailKey(assetId), Uint8Array.from(header));
    await encoder.add(IMAGES, { kind: "status", status: 500 });
    for (let n = 0; n < 3; n += 1) expect(kindOf(await changePicture(machine, order))).toBe("unavailable");
    expect(await asked()).toBe(1);
  });
});

test("the thumbnail of a broadcast is changed once for each size, until the next one is there", async () => {
  const header = [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 1, 0x68, 2, 0x80, 3];
  const order = {
    sessionId: assetId,
    workspaceId: "w",
    playbackId: PLAYBACK_ID,
    format: "webp",
    fit: { ...PLAIN_FIT, widthPx: 320 },
  } as const;
  await within(async (machine) => {
    expect(kindOf(await changePicture(machine, order))).toBe("unreadable"); // there is none yet
    await env.MEDIA.put(liveThumbnailKey(assetId), Uint8Array.from(header));
    for (let n = 0; n < 3; n += 1) expect(textOf(await changePicture(machine, order))).toBe(JPEG);
    expect(await asked()).toBe(1);
    await env.MEDIA.put(liveThumbnailKey(assetId), Uint8Array.from([...header, 0]));
    await changePicture(machine, order);
    expect(await asked()).toBe(2);
  });
});
