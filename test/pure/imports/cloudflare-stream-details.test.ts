import { afterEach, describe, expect, test } from "vitest";
import { cloudflareStreamSource } from "../../../src/imports/sources/cloudflare-stream.ts";
import { microsecondsOf } from "../../../src/imports/sources/cloudflare-pages.ts";
import type { ListedVideo, Source } from "../../../src/imports/sources/source.ts";
import {
  CLOUDFLARE_ACCOUNT,
  CLOUDFLARE_ACCOUNT_TOKEN,
  CLOUDFLARE_READ_TOKEN,
  CLOUDFLARE_TOKEN,
  startCloudflareStandIn,
  type CloudflareOptions,
} from "../../support/imports/cloudflare-stream-stand-in.ts";
import { plainHttp } from "../../support/imports/plain-http.ts";
import type { StandIn } from "../../support/imports/stand-in.ts";
import type { StandInVideo } from "../../support/imports/stand-in-library.ts";
import { CLIP, failureOf, listAll, resolved } from "./suite-kit.ts";

const opened: StandIn[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((standIn) => standIn.close()));
});

async function open(options: CloudflareOptions = {}): Promise<{ standIn: StandIn; source: Source }> {
  const standIn = await startCloudflareStandIn(options);
  opened.push(standIn);
  return { standIn, source: openWith(standIn, CLOUDFLARE_TOKEN) };
}

function openWith(standIn: StandIn, apiToken: string, accountId = CLOUDFLARE_ACCOUNT): Source {
  const http = plainHttp(`${standIn.url}${cloudflareStreamSource.basePath}`);
  return cloudflareStreamSource.open({ options: {}, credentials: { apiToken, accountId }, nowMs: Date.now }, http);
}

async function listOne(
  { standIn, source }: { standIn: StandIn; source: Source },
  over: Partial<StandInVideo>,
): Promise<ListedVideo> {
  standIn.addMany(1, CLIP, () => over);
  const [video] = (await listAll(source)).videos;
  if (video === undefined) throw new Error("the list is empty");
  return video;
}

/** As the owner does it. */
const changeDownloads = (standIn: StandIn, { id }: ListedVideo, method: string, kind = "") =>
  fetch(`${standIn.url}/client/v4/accounts/${CLOUDFLARE_ACCOUNT}/stream/${id}/downloads${kind}`, {
    method,
    headers: { authorization: `Bearer ${CLOUDFLARE_TOKEN}` },
  });

async function downloadsOf(standIn: StandIn, video: ListedVideo): Promise<string[]> {
  const answer = await (await changeDownloads(standIn, video, "GET")).json();
  return Object.keys((answer as { result: object }).result);
}

const idsOf = (videos: ListedVideo[]) => videos.map(({ id }) => id).toSorted();

describe("videos of one time at the border of a page", () => {
  test.each([true, false])(
    "are all listed once, whether a video of exactly the end is in the list (%s) or not",
    async (includesEnd) => {
      const { standIn, source } = await open({ pageSize: 4, includesEnd });
      // Three share a microsecond at the border of the first page, with more of the same second around them than a page holds.
      const micros = [900_001, 900_000, 600_000, 500_000, 500_000, 500_000, 400_000, 399_999, 399_998, 1];
      const ids = micros.flatMap((micro) =>
        standIn.addMany(1, CLIP, () => ({
          own: { created: `2025-03-04T05:06:07.${String(micro).padStart(6, "0")}Z` },
        })),
      );
      const others = standIn.addMany(7, CLIP);
      const { videos } = await listAll(source);
      expect(idsOf(videos)).toEqual([...ids, ...others].toSorted());
    },
  );

  test("1,500 within a second are read by the millisecond", async () => {
    const { standIn, source } = await open();
    const ids = standIn.addMany(1500, CLIP, (number) => ({
      createdAtMs: Date.UTC(2025, 2, 4, 5, 6, 7, Math.floor(number / 2)),
    }));
    const { videos, pages } = await listAll(source);
    expect(idsOf(videos)).toEqual(ids.toSorted());
    expect(pages).toBeLessThan(6);
  });

  test("more of one time than a call answers are refused in plain words, with those before listed", async () => {
    const { standIn, source } = await open();
    standIn.addMany(1100, CLIP, () => ({ createdAtMs: Date.UTC(2025, 2, 4) }));
    const first = await source.listPage(null, {});
    expect(first.videos).toHaveLength(1000);
    const failure = await failureOf(source.listPage(first.next, {}));
    expect(failure.code).toBe("source_unreadable");
    expect(failure.message).toContain("share one time of creation");
    expect(failure.retryAfterMs).toBeNull();
  });

  test("an answer that holds fewer than the documents say loses none of one time: it is refused", async () => {
    const { standIn, source } = await open({ pageSize: 4 });
    standIn.addMany(3, CLIP);
    standIn.addMany(6, CLIP, () => ({ createdAtMs: Date.UTC(2026, 2, 4) }));
    const failure = await failureOf(listAll(source));
    expect(failure.message).toContain("share one time of creation");
  });

  test("times are compared by the microsecond", () => {
    expect(microsecondsOf("2025-03-04T05:06:07.11435Z") - microsecondsOf("2025-03-04T05:06:07Z")).toBe(114_350);
    expect(microsecondsOf("2025-03-04T05:06:07.123456Z") - microsecondsOf("2025-03-04T05:06:07.123455Z")).toBe(1);
  });
});

test("a list that ignores the end of the time is refused", async () => {
  const { standIn, source } = await open({ pageSize: 4 });
  standIn.addMany(10, CLIP);
  standIn.lists.circles = true;
  let cursor = (await source.listPage(null, {})).next;
  cursor = (await source.listPage(cursor, {})).next;
  cursor = (await source.listPage(cursor, {})).next;
  expect((await failureOf(source.listPage(cursor, {}))).message).toContain("does not advance");
});

test("a range of creation is asked of Cloudflare", async () => {
  const { standIn, source } = await open();
  const ids = standIn.addMany(30, CLIP);
  const timeOf = (index: number) => standIn.videos.get(ids[index] ?? "")?.createdAtMs ?? 0;
  const { videos } = await listAll(source, { createdAfterMs: timeOf(10), createdBeforeMs: timeOf(20) });
  expect(idsOf(videos)).toEqual(expect.arrayContaining(ids.slice(10, 20)));
  expect(videos.length).toBeLessThanOrEqual(11);
});

describe("checks", () => {
  test("a token of the account, which the user's verification does not know", async () => {
    const { standIn } = await open();
    expect(await openWith(standIn, CLOUDFLARE_ACCOUNT_TOKEN).check()).toMatchObject({
      account: CLOUDFLARE_ACCOUNT,
      missing: [],
    });
  });

  test("credentials with characters that no header can have are refused before anything is sent", () => {
    const { credentials } = cloudflareStreamSource;
    expect(credentials?.safeParse({ apiToken: "tok\u00e9n", accountId: CLOUDFLARE_ACCOUNT }).success).toBe(false);
    expect(credentials?.safeParse({ apiToken: CLOUDFLARE_TOKEN, accountId: CLOUDFLARE_ACCOUNT }).success).toBe(true);
  });

  test("a token that cannot be one", async () => {
    const { standIn } = await open();
    expect((await failureOf(openWith(standIn, "too short").check())).code).toBe("credentials_invalid");
  });

  test("a token for another account", async () => {
    const { standIn } = await open();
    const check = await openWith(standIn, CLOUDFLARE_TOKEN, "f".repeat(32)).check();
    expect(check.missing).toEqual([expect.objectContaining({ permission: "Stream Read", isRequired: true })]);
  });

  test("a verification that lacks the status", async () => {
    const { standIn, source } = await open();
    standIn.plant({ kind: "rename", from: "status", to: "state", on: /verify/ });
    expect((await failureOf(source.check())).message).toContain("result.status");
  });
});

describe("files", () => {
  test("of a token that may only read: downloads that exist, else the missing permission is named", async () => {
    const { standIn, source } = await open();
    const video = await listOne({ standIn, source }, {});
    const reader = openWith(standIn, CLOUDFLARE_READ_TOKEN);
    const failure = await failureOf(resolved(reader, video));
    expect(failure.code).toBe("permission_missing");
    expect(failure.message).toContain("Stream Write");
    await resolved(source, video);
    expect((await resolved(reader, video)).resolution.status).toBe("ready");
  });

  test("of a private video have a token that ends within a day in place of its ID", async () => {
    const { standIn, source } = await open();
    const video = await listOne({ standIn, source }, { policy: "private" });
    const { resolution } = await resolved(source, video);
    expect(resolution.url).not.toContain(video.id);
    expect(resolution.expiresAtMs).toBeLessThan(Date.now() + 86_400_000);
    expect(resolution.expiresAtMs).toBeGreaterThan(Date.now() + 20 * 3_600_000);
    expect((await fetch(`${standIn.url}/${video.id}/downloads/default.mp4`)).status).toBe(401);
  });

  test("that were ordered are deleted alone: the owner's download of the sound stays", async () => {
    const { standIn, source } = await open();
    const video = await listOne({ standIn, source }, {});
    await changeDownloads(standIn, video, "POST", "/audio");
    const { state } = await resolved(source, video);
    await source.release({ ...video, ref: { ...video.ref, ...state } });
    expect(standIn.switched()).toEqual([]);
    expect(await downloadsOf(standIn, video)).toEqual(["audio"]);
  });

  test("are deleted together where downloads have no kinds, and not if there are others by then", async () => {
    const { standIn, source } = await open({ hasDownloadTypes: false });
    const video = await listOne({ standIn, source }, {});
    const { state } = await resolved(source, video);
    const ordered = { ...video, ref: { ...video.ref, ...state } };
    standIn.plant({ kind: "extraFields", on: /^GET .*\/downloads$/ });
    const failure = await failureOf(source.release(ordered));
    expect([failure.code, failure.retryAfterMs]).toEqual(["no_file", null]);
    expect(standIn.switched()).toEqual([video.id]);
    standIn.heal();
    await source.release(ordered);
    expect(standIn.switched()).toEqual([]);
  });

  test("are ordered once", async () => {
    const { standIn, source } = await open();
    const video = await listOne({ standIn, source }, {});
    await resolved(source, video);
    await resolved(source, video);
    expect(standIn.calls.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("what a video has", () => {
  test("names and values of its owner", async () => {
    const meta = { name: "Title", sku: "17", nested: { a: [1] }, none: null };
    const video = await listOne(await open(), { own: { meta } });
    expect(video).toMatchObject({ title: "Title", metadata: { sku: "17", nested: '{"a":[1]}' } });
    expect(Object.keys(video.metadata).toSorted()).toEqual(["nested", "sku"]);
  });

  test("origins that may show it, and a list of which they cannot be read is refused", async () => {
    const both = await open();
    const video = await listOne(both, { own: { allowedOrigins: ["example.com", "*.example.org"] } });
    expect(video).toMatchObject({ policy: "public", origins: ["example.com", "*.example.org"] });
    both.standIn.addMany(1, CLIP, () => ({ own: { allowedOrigins: "example.com" } }));
    expect((await failureOf(listAll(both.source))).code).toBe("source_unreadable");
  });

  test("settings that stay behind", async () => {
    const own = {
      thumbnailTimestampPct: 0.5,
      watermark: { uid: "w1" },
      scheduledDeletion: "2027-01-01T00:00:00Z",
      clippedFrom: "c".repeat(32),
      publicDetails: { title: null, share_link: "https://example.com" },
    };
    const { left } = await listOne(await open(), { own });
    for (const words of ["thumbnail", "watermark", "2027-01-01", "clip", "public page"]) {
      expect(left.join("; ")).toContain(words);
    }
  });

  test.each([
    ["preparing", "video_not_ready"],
    ["live", "video_not_ready"],
    ["errored", "no_file"],
  ] as const)("an obstacle while it is %s, and no size yet", async (state, code) => {
    const video = await listOne(await open(), { state });
    expect(video).toMatchObject({ obstacle: { code }, durationMs: null, widthPx: null });
  });

  test("sounds beside the first, which describe counts", async () => {
    const both = await open();
    const video = await listOne(both, { audioTracks: 3 });
    expect(video.audioTracks).toBeNull();
    const described = await both.source.describe(video.id);
    expect(described).toMatchObject({ audioTracks: 3 });
    expect(described?.left.join()).toContain("2 additional audio tracks");
  });

  test("sounds beside the first, which are counted with the file, once", async () => {
    const { standIn, source } = await open();
    const video = await listOne({ standIn, source }, { audioTracks: 3 });
    expect((await resolved(source, video)).resolution.audioTracks).toBe(3);
    expect(standIn.calls.filter(({ path }) => path.endsWith("/audio"))).toHaveLength(1);
    standIn.plant({ kind: "status", status: 404, on: /\/audio$/ });
    expect((await resolved(source, video)).resolution.audioTracks).toBeUndefined();
  });

  test("captions that are no WebVTT are refused", async () => {
    const both = await open();
    const video = await listOne(both, { captions: [{ languageCode: "en", name: "English", text: "<html>" }] });
    expect((await failureOf(both.source.captions(video))).code).toBe("source_unreadable");
  });
});
