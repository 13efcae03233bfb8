import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { muxSource } from "../../../src/imports/sources/mux.ts";
import type { Source } from "../../../src/imports/sources/source.ts";
import { MUX_READ_TOKEN, MUX_TOKEN, startMuxStandIn, type MuxStandIn } from "../../support/imports/mux-stand-in.ts";
import { plainHttp } from "../../support/imports/plain-http.ts";
import type { StandInVideo } from "../../support/imports/stand-in-library.ts";
import { CLIP, CLIP_BYTES, failureOf, listAll, resolved } from "./suite-kit.ts";

const HOUR_MS = 3_600_000;
const CAPTION = { languageCode: "en", name: "English", text: "WEBVTT\n" };
const file = (name: string, height: number | undefined, status?: string) => ({
  name,
  status,
  height,
  filesize: "5000",
});

let standIn: MuxStandIn;
let source: Source;

beforeEach(async () => {
  standIn = await startMuxStandIn();
  source = openWith(MUX_TOKEN);
});
afterEach(() => standIn.close());

function openWith(credentials: typeof MUX_TOKEN): Source {
  return muxSource.open({ options: {}, credentials, nowMs: Date.now }, plainHttp(standIn.url));
}

async function listOne(over: Partial<StandInVideo>) {
  standIn.addMany(1, CLIP, () => over);
  const [video] = (await listAll(source)).videos;
  if (video === undefined) throw new Error("the list is empty");
  return video;
}

describe("files of a token that may only read", () => {
  const both = {
    static_renditions: {
      files: [file("720p.mp4", 720, "ready"), file("1080p.mp4", 1080, "preparing"), file("480p.mp4", 480, "ready")],
    },
  };

  test("are the best static rendition that is ready, for public assets", async () => {
    const video = await listOne({ own: both });
    const { resolution } = await resolved(openWith(MUX_READ_TOKEN), video);
    expect(new URL(resolution.url).pathname).toMatch(/\/720p\.mp4$/);
    expect(resolution).toMatchObject({ expiresAtMs: null, bytes: 5000 });
    expect(new Uint8Array(await (await fetch(resolution.url)).arrayBuffer())).toEqual(CLIP_BYTES);
  });

  test("are highest.mp4 where there is one", async () => {
    const files = [
      file("720p.mp4", 720, "ready"),
      file("highest.mp4", undefined, "ready"),
      file("audio.m4a", undefined, "ready"),
    ];
    const video = await listOne({ own: { static_renditions: { files } } });
    const { resolution } = await resolved(openWith(MUX_READ_TOKEN), video);
    expect(new URL(resolution.url).pathname).toMatch(/\/highest\.mp4$/);
  });

  test("are those of the older mp4_support, which have one status together", async () => {
    const files = [file("low.mp4", undefined), file("high.mp4", undefined), file("medium.mp4", undefined)];
    const video = await listOne({ own: { static_renditions: { status: "ready", files } } });
    const { resolution } = await resolved(openWith(MUX_READ_TOKEN), video);
    expect(new URL(resolution.url).pathname).toMatch(/\/high\.mp4$/);
    expect((await fetch(resolution.url)).status).toBe(200);
  });

  test.each([
    ["signed assets", { policy: "private" as const, own: both }],
    ["assets with sound alone", { own: { static_renditions: { files: [file("audio.m4a", undefined, "ready")] } } }],
    ["assets without renditions", {}],
  ])("do not exist for %s, and the missing permission is named", async (_, over) => {
    const video = await listOne(over);
    const failure = await failureOf(resolved(openWith(MUX_READ_TOKEN), video));
    expect(failure.code).toBe("permission_missing");
    expect(failure.message).toContain("Mux Video Write");
  });

  test("are masters that somebody else has switched on", async () => {
    const [id = ""] = standIn.addMany(1, CLIP);
    standIn.switchMaster(id, "temporary");
    const [video] = (await listAll(source)).videos;
    if (video === undefined) throw new Error("the list is empty");
    const { resolution } = await resolved(openWith(MUX_READ_TOKEN), video);
    expect((await fetch(resolution.url)).status).toBe(200);
  });
});

describe("master access", () => {
  test("is preferred to a static rendition", async () => {
    const video = await listOne({ own: { static_renditions: { files: [file("highest.mp4", 1080, "ready")] } } });
    const { resolution } = await resolved(source, video);
    expect(new URL(resolution.url).pathname).toMatch(/\/master\.mp4$/);
    expect(resolution.expiresAtMs).toBeGreaterThan(Date.now() + 22 * HOUR_MS);
    expect(resolution.expiresAtMs).toBeLessThan(Date.now() + 24 * HOUR_MS);
  });

  test("that was on before the migration stays on, and its end is taken as near", async () => {
    const [id = ""] = standIn.addMany(1, CLIP);
    standIn.switchMaster(id, "temporary");
    await (
      await fetch(`${standIn.url}/video/v1/assets/${id}`, { headers: { authorization: basicOf(MUX_TOKEN) } })
    ).text();
    await (
      await fetch(`${standIn.url}/video/v1/assets/${id}`, { headers: { authorization: basicOf(MUX_TOKEN) } })
    ).text();
    const [video] = (await listAll(source)).videos;
    if (video === undefined) throw new Error("the list is empty");
    const { resolution, waits } = await resolved(source, video);

    expect(waits).toEqual([]);
    expect(resolution.expiresAtMs).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    await source.release(video);
    expect(standIn.switched()).toEqual([id]);
  });

  test("whose day has ended is switched on again", async () => {
    const video = await listOne({});
    const first = await resolved(source, video);
    standIn.switchMaster(video.id, "none");
    expect((await fetch(first.resolution.url)).status).toBe(403);
    const second = await resolved(source, video);
    expect((await fetch(second.resolution.url)).status).toBe(200);
  });

  test("that Mux cannot give leaves the static rendition, or no file", async () => {
    const failed = { master_access: "temporary", master: { status: "errored" } };
    const video = await listOne({ own: { ...failed, static_renditions: { files: [file("720p.mp4", 720, "ready")] } } });
    expect(new URL((await resolved(source, video)).resolution.url).pathname).toMatch(/\/720p\.mp4$/);
    standIn.remove(video.id);
    const other = await listOne({ own: failed });
    expect((await failureOf(resolved(source, other))).code).toBe("no_file");
  });

  test("is not asked for twice while it is being prepared", async () => {
    const video = await listOne({});
    await source.resolve(video, null);
    await source.resolve(video, null);
    expect(standIn.calls.filter(({ method }) => method === "PUT")).toHaveLength(1);
  });
});

describe("what an asset has", () => {
  test("playback IDs of several policies: the strictest counts", async () => {
    const ids = (...policies: string[]) => ({
      own: { playback_ids: policies.map((policy, index) => ({ id: `p${index}`, policy })) },
    });
    expect((await listOne(ids("public", "public"))).policy).toBe("public");
    standIn.remove("asset000001");
    expect((await listOne(ids("public", "signed"))).policy).toBe("private");
    standIn.remove("asset000002");
    expect((await listOne(ids("signed", "drm"))).policy).toBe("drm");
    standIn.remove("asset000003");
    expect((await listOne(ids("public", "a-later-policy"))).policy).toBe("private");
    standIn.remove("asset000004");
    const none = await listOne(ids());
    expect(none).toMatchObject({ policy: "private", playbackIds: [] });
  });

  test("names and values of its owner", async () => {
    const own = { passthrough: "sku-17", meta: { title: "T", creator_id: "c", external_id: "e-9" } };
    const video = await listOne({ own });
    expect(video).toMatchObject({
      title: "T",
      creatorId: "c",
      metadata: { passthrough: "sku-17", external_id: "e-9" },
    });
  });

  test.each([
    ["preparing", "video_not_ready"],
    ["live", "video_not_ready"],
    ["errored", "no_file"],
  ] as const)("an obstacle while it is %s", async (state, code) => {
    const video = await listOne({ state });
    expect(video.obstacle?.code).toBe(code);
  });

  test("captions of signed assets, which need a key, are named as left", async () => {
    const video = await listOne({ policy: "private", captions: [CAPTION] });
    expect(video.captions).toEqual([]);
    expect(video.left.join()).toContain('captions "en"');
  });

  test("captions of a stream that were improved after it: the better ones alone", async () => {
    const track = (id: string, source: string) => ({
      type: "text",
      id,
      status: "ready",
      text_type: "subtitles",
      language_code: "en",
      text_source: source,
    });
    const tracks = [
      track("t1", "generated_live"),
      track("t2", "generated_live_final"),
      { ...track("t3", "uploaded"), status: "preparing" },
    ];
    const video = await listOne({ own: { tracks } });
    expect(video.captions?.map(({ url }) => url?.split("/").at(-1))).toEqual(["t2.vtt"]);
  });

  test("chapters, which are no captions", async () => {
    const chapters = [
      { startMs: 0, title: "Opening" },
      { startMs: 61_500, title: "Ends & odds" },
    ];
    const video = await listOne({ chapters });
    expect(video).toMatchObject({ chapters, captions: [] });
    expect(await source.describe(video.id)).toMatchObject({ chapters });

    standIn.plant({ kind: "status", status: 500, on: /\/chapters\// });
    const [without] = (await listAll(source)).videos;
    expect(without).toMatchObject({ chapters: [] });
    expect(without?.left.join()).toContain("chapters");
  });

  test("several sounds, and a size from the tier where no track says it", async () => {
    const video = await listOne({ audioTracks: 2 });
    expect(video).toMatchObject({ audioTracks: 2, widthPx: CLIP.widthPx });
    expect(video.left.join()).toContain("fr");
    standIn.remove(video.id);
    expect(await listOne({ own: { tracks: [], resolution_tier: "1080p" } })).toMatchObject({
      widthPx: 1920,
      heightPx: 1080,
    });
  });
});

test("a page that leads to itself is refused", async () => {
  standIn.addMany(3, CLIP);
  standIn.lists.circles = true;
  const { next } = await source.listPage(null, {});
  const failure = await failureOf(source.listPage(next, {}));
  expect(failure.code).toBe("source_unreadable");
});

test("Mux's limits are kept by its stand-in", async () => {
  const limited = await startMuxStandIn({ limit: { windowMs: 60_000, reads: 2, writes: 1 } });
  try {
    const hasty = muxSource.open({ options: {}, credentials: MUX_TOKEN, nowMs: Date.now }, plainHttp(limited.url));
    await hasty.listPage(null, {});
    await hasty.listPage(null, {});
    const failure = await failureOf(hasty.listPage(null, {}));
    expect(failure.code).toBe("source_rate_limited");
    expect(failure.retryAfterMs).toBeGreaterThan(50_000);
  } finally {
    await limited.close();
  }
});

const basicOf = ({ tokenId, tokenSecret }: typeof MUX_TOKEN) => `Basic ${btoa(`${tokenId}:${tokenSecret}`)}`;
