/** Captions of a broadcast: what the picture's parts bring, and what viewers get. */
import {
  createMessageBatch,
  env,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import type { PartCaptions } from "../../../protocol/live.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { consumeClips, originOf as originCalls } from "../../../src/live/index.ts";
import { at, eventsOf, FACTS, finish, newStream, settle } from "./live-helpers.ts";
import { bring, broadcast, get, objectsOf, textOf } from "./recording-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const HEADER = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n";
const PART_MS = 500;
const timeOf = (seconds: number) => `00:00:${seconds.toFixed(3).padStart(6, "0")}`;
/** HELLO during parts that begin at these times, in seconds. A whole segment has the cues of its parts. */
const hello = (...starts: number[]): string =>
  HEADER + starts.map((start) => `${timeOf(start)} --> ${timeOf(start + PART_MS / 1000)}\nHELLO\n\n`).join("");

/** `text` is shown during all of these parts of a segment. */
const shows =
  (msn: number, text: string, parts: number[], language?: string) =>
  (part: number): PartCaptions => {
    const startMs = msn * 2000 + part * PART_MS;
    const cues = [{ startMs, endMs: startMs + PART_MS, settings: "", text }];
    return parts.includes(part) ? [{ channel: "cc1", ...(language === undefined ? {} : { language }), cues }] : [];
  };

async function begun(segments: number, settings: object = {}, facts = FACTS) {
  const stream = await newStream(workspace, settings);
  const broadcaster = await broadcast(stream, segments, facts);
  await settle(stream);
  const playbackId = stream.playbackIds[0]!.id;
  return { stream, broadcaster, playbackId, base: `/${playbackId}/${broadcaster.sessionId}` };
}

const originOf = (sessionId: string) => env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(sessionId));
/** The tables of a session's origin and their rows of captions. */
const captionRows = (sessionId: string) =>
  runInDurableObject(originOf(sessionId), (_, { storage }) => {
    const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'captions'").toArray().length;
    return tables === 0 ? null : storage.sql.exec("SELECT channel, msn FROM captions ORDER BY msn").toArray();
  });
const linesOf = (text: string, ...tags: string[]) =>
  text.split("\n").filter((line) => tags.some((tag) => line.startsWith(`#EXT-X-${tag}`) || line.startsWith(`#${tag}`)));

test("a broadcast without captions lists and stores none", async () => {
  const { broadcaster, playbackId, base } = await begun(2);
  expect(await textOf(`/${playbackId}.m3u8`)).not.toContain("SUBTITLES");
  expect((await get(`${base}/cc1.m3u8`)).status).toBe(404);
  expect((await get(`${base}/cc1/0.vtt`)).status).toBe(404);
  expect(await captionRows(broadcaster.sessionId)).toBeNull();
});

test("captions are offered once they have shown text, with the segments and parts of the picture", async () => {
  const { stream, broadcaster, playbackId, base } = await begun(2);
  await bring(broadcaster, 2, { captions: shows(2, "HELLO", [1, 2], "spa") });
  await bring(broadcaster, 3, { parts: 2 });
  expect(await textOf(`${base}/cc1/2.vtt`)).toBe(hello(4.5, 5));
  const limited = await workspace.request("POST", at(stream, "/playback-ids"), { resolution: "480p" });
  const { data } = await limited.json<{ data: { id: string } }>();
  expect((await get(`/${data.id}/${broadcaster.sessionId}/cc1/2.vtt`)).status).toBe(200); // a resolution limits the picture alone
  const [picture, captions] = await Promise.all(["v720", "cc1"].map((name) => textOf(`${base}/${name}.m3u8`)));
  const times = [
    "MEDIA-SEQUENCE",
    "DISCONTINUITY",
    "TARGETDURATION",
    "SERVER-CONTROL",
    "PART-INF",
    "PROGRAM",
    "EXTINF",
  ];
  expect(linesOf(captions!, ...times)).toEqual(linesOf(picture!, ...times));
  const partsOf = (text: string) => linesOf(text, "PART:").map((line) => line.replace(/,INDEPENDENT=YES/, ""));
  const renamed = picture!.replaceAll("v720/", "cc1/").replaceAll(".m4s", ".vtt");
  expect(partsOf(captions!)).toEqual(partsOf(renamed));
  expect(linesOf(captions!, "PART:").every((line) => line.endsWith(",INDEPENDENT=YES"))).toBe(true);
  expect(captions).not.toContain("#EXT-X-MAP");
  expect(linesOf(captions!, "PRELOAD-HINT")).toEqual(['#EXT-X-PRELOAD-HINT:TYPE=PART,URI="cc1/3.2.vtt"']);
  expect(picture).toContain('#EXT-X-RENDITION-REPORT:URI="cc1.m3u8",LAST-MSN=4,LAST-PART=1');
  const offered = () => textOf(`/${playbackId}.m3u8`); // an isolate caches the offer for a second
  await expect
    .poll(offered, { timeout: 5000 })
    .toMatch(/TYPE=SUBTITLES,.*NAME="Spanish",LANGUAGE="es",.*URI="[^"]*\/cc1\.m3u8"/);
  const mpd = await textOf(`/${playbackId}.mpd`);
  expect(mpd).toContain('<Representation id="cc1" codecs="wvtt"');
  const [init, fragment] = await Promise.all(["init-0.mp4", "2.m4s"].map((file) => textOf(`${base}/cc1/${file}`)));
  expect([init!.includes("wvtt"), fragment!.includes("paylHELLO")]).toEqual([true, true]);
});

test("service 1 that has been listed before CC1 goes on for the players that chose it, and is not listed any more", async () => {
  const { broadcaster, playbackId, base } = await begun(2);
  const both = (msn: number, channels: string[]) => (part: number) =>
    channels.flatMap((channel) =>
      shows(msn, "HELLO", [0, 1, 2, 3])(part).map((captions): PartCaptions[number] => ({ ...captions, channel })),
    );
  const listed = async () =>
    [...(await textOf(`/${playbackId}.m3u8`)).matchAll(/NAME="(CC1|SERVICE1)"/g)].map(([, name]) => name);
  await bring(broadcaster, 2, { captions: both(2, ["service1"]) });
  expect(await listed()).toEqual(["SERVICE1"]);
  await bring(broadcaster, 3, { captions: both(3, ["cc1", "service1"]) });
  await new Promise((done) => setTimeout(done, 1050)); // an isolate caches the list for a second
  expect(await listed()).toEqual(["CC1"]);
  for (const channel of ["cc1", "service1"])
    expect(await textOf(`${base}/${channel}/3.vtt`)).toBe(hello(6, 6.5, 7, 7.5));
});

test("service 1 that comes with CC1 is not stored", async () => {
  const { broadcaster } = await begun(2);
  const captions = (part: number): PartCaptions =>
    ["service1", "cc1"].flatMap((channel) => shows(2, "HELLO", [1])(part).map((one) => ({ ...one, channel })));
  await bring(broadcaster, 2, { captions });
  expect(await captionRows(broadcaster.sessionId)).toEqual([{ channel: "cc1", msn: 2 }]);
});

test("what nobody says costs nothing: a segment without text is empty, and has no row", async () => {
  const { broadcaster, base } = await begun(1);
  const { sessionId } = broadcaster;
  await bring(broadcaster, 1, { captions: shows(1, "HELLO", [0]) });
  await bring(broadcaster, 2);
  expect(await textOf(`${base}/cc1/0.vtt`)).toBe(HEADER); // from before the captions
  expect(await textOf(`${base}/cc1/2.vtt`)).toBe(HEADER);
  expect(await textOf(`${base}/cc1/1.3.vtt`)).toBe(HEADER);
  expect(await captionRows(sessionId)).toEqual([{ channel: "cc1", msn: 1 }]);
  expect((await objectsOf(sessionId)).filter((key) => key.startsWith("cc1"))).toEqual([]);
  const { headers } = await get(`${base}/cc1/1.vtt`);
  expect([headers.get("content-type"), headers.get("cache-control")]).toEqual([
    "text/vtt; charset=utf-8",
    "public, max-age=31536000, immutable",
  ]);
  expect((await get(`${base}/cc1/4.vtt`)).status).toBe(404); // the next one is waited for
});

test("every rung brings the captions, and they count once; a segment that is complete never changes", async () => {
  const facts = { ...FACTS, renditions: [...FACTS.renditions, { ...FACTS.renditions[0]!, name: "v360" }] };
  const { broadcaster, base } = await begun(0, {}, facts);
  await bring(broadcaster, 0, { rendition: "v360", captions: shows(0, "HELLO", [0, 1]), parts: 2 });
  await bring(broadcaster, 0, { captions: shows(0, "HELLO", [0, 1]) });
  const whole = hello(0, 0.5);
  expect(await textOf(`${base}/cc1/0.vtt`)).toBe(whole);
  await bring(broadcaster, 0, { rendition: "v360", captions: shows(0, "LATE", [2, 3]) });
  await evictDurableObject(originOf(broadcaster.sessionId));
  expect(await textOf(`${base}/cc1/0.vtt?again`)).toBe(whole);
  expect(await textOf(`${base}/cc1/0.1.vtt`)).toBe(hello(0.5));
});

test("a blocking playlist request, and a request of the hinted part, are answered when the picture's part is there", async () => {
  const { broadcaster, base } = await begun(1);
  await bring(broadcaster, 1, { captions: shows(1, "HELLO", [0]) });
  const playlist = textOf(`${base}/cc1.m3u8?_HLS_msn=3&_HLS_part=0`);
  const hinted = textOf(`${base}/cc1/2.0.vtt`);
  await bring(broadcaster, 2, { parts: 1, captions: shows(2, "AGAIN", [0]) });
  expect(await playlist).toContain("cc1/2.0.vtt");
  expect(await hinted).toBe(`${HEADER}00:00:04.000 --> 00:00:04.500\nAGAIN\n\n`);
  expect((await get(`${base}/cc1.m3u8?_HLS_msn=9`)).status).toBe(400);
});

/** The captions of fragments, and "vtte" for a sample without one. */
const textsIn = (fragments: string) => fragments.match(/FIRST|SECOND|vtte/g);

test("in DASH, the segment in progress grows with the parts of the picture, and a later request gets the whole", async () => {
  const { broadcaster, playbackId, base } = await begun(1);
  await bring(broadcaster, 1, { captions: shows(1, "HELLO", [0]) });
  await bring(broadcaster, 2, { parts: 1, captions: shows(2, "FIRST", [0]) });
  const mpd = await textOf(`/${playbackId}.mpd`);
  const set = /<AdaptationSet id="\d+" contentType="text".*?<\/AdaptationSet>/s.exec(mpd)![0];
  expect(set).toContain('<S t="0" d="240000" r="2"/>');
  const growing = await get(`${base}/cc1/2.m4s`);
  const reader = growing.body!.getReader();
  const next = async () => {
    const { value, done } = await reader.read();
    return done ? "end" : textsIn(new TextDecoder().decode(value));
  };
  expect(await next()).toEqual(["FIRST"]);
  const rest = bring(broadcaster, 2, { captions: shows(2, "SECOND", [1]) });
  expect([await next(), await next(), await next(), await next()]).toEqual([["SECOND"], ["vtte"], ["vtte"], "end"]);
  await rest;
  const whole = await textOf(`${base}/cc1/2.m4s?later`);
  expect(textsIn(whole)).toEqual(["FIRST", "SECOND", "vtte"]);
  expect(whole.match(/moof/g)).toHaveLength(1);
});

test("after a discontinuity the captions keep the clock and the sequence numbers of the picture", async () => {
  const { broadcaster, base } = await begun(1, { enableDvrMode: true });
  await bring(broadcaster, 1, { captions: shows(1, "HELLO", [0]) });
  const later = { init: 1, isDiscontinuous: true, atSeconds: 10 };
  await bring(broadcaster, 2, { ...later, captions: shows(5, "AFTER", [0]) });
  const playlists = ["v720", "cc1"].map((name) => textOf(`${base}/${name}.m3u8?dvrMode=true`));
  const [picture, captions] = await Promise.all(playlists);
  expect(linesOf(captions!, "DISCONTINUITY", "MEDIA-SEQUENCE", "PROGRAM")).toEqual(
    linesOf(picture!, "DISCONTINUITY", "MEDIA-SEQUENCE", "PROGRAM"),
  );
  expect(linesOf(captions!, "DISCONTINUITY")).toEqual(["#EXT-X-DISCONTINUITY"]);
  expect(await textOf(`${base}/cc1/2.vtt`)).toBe(`${HEADER}00:00:10.000 --> 00:00:10.500\nAFTER\n\n`);
});

interface Media {
  id: string;
  playbackIds: { id: string }[];
  tracks: { id: string; type: string }[];
  [field: string]: unknown;
}
const mediaOf = async (id: string) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<{ data: Media }>()).data;
const subtitlesOf = ({ tracks }: Media) => tracks.filter(({ type }) => type === "subtitle");
const trackText = async ({ playbackIds, tracks }: Media, file = "vtt") =>
  await textOf(`/${playbackIds[0]!.id}/text/${subtitlesOf({ tracks } as Media)[0]!.id}.${file}`);
/** A message of the queue of clips, which is handled at once. */
async function copy(mediaId: string) {
  const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body: { mediaId, from: 0 } };
  await consumeClips(env, createMessageBatch("sluice-clips", [message]));
}

test("the recording has the captions as a track from its first player on, with times that follow the picture across a discontinuity", async () => {
  const { stream, broadcaster } = await begun(1);
  await bring(broadcaster, 1, { captions: shows(1, "HELLO", [2, 3], "spa") });
  // Two segments of the session are 4 s; the next one begins at 10 s of its timeline.
  await bring(broadcaster, 2, {
    init: 1,
    isDiscontinuous: true,
    atSeconds: 10,
    captions: shows(5, "AFTER", [1], "spa"),
  });
  await finish(workspace, stream);
  const media = await mediaOf(broadcaster.sessionId);
  expect(subtitlesOf(media)).toMatchObject([
    {
      status: "available",
      languageCode: "es",
      languageName: "Spanish",
      closedCaptions: true,
      captions: { cueCount: 2, skippedCues: 0 },
    },
  ]);
  expect(media["subtitleAvailable"]).toBe(true);
  const cues = ["00:00:03.000 --> 00:00:04.000\nHELLO", "00:00:04.500 --> 00:00:05.000\nAFTER"];
  expect(await trackText(media)).toBe(`WEBVTT\n\n${cues.join("\n\n")}\n\n`);
  expect(await trackText(media, "srt")).toContain("00:00:04,500 --> 00:00:05,000\nAFTER");
  expect(await trackText(media, "txt")).toBe("HELLO\nAFTER\n");
  const own = media.playbackIds[0]!.id;
  const trackId = subtitlesOf(media)[0]!.id;
  expect(await textOf(`/${own}.m3u8`)).toMatch(/TYPE=SUBTITLES,.*NAME="Spanish",LANGUAGE="es"/);
  expect(await textOf(`/${own}/text/${trackId}.m3u8`)).toContain("#EXT-X-DISCONTINUITY");
  // The third span, because the sound ends before. At 4 s of the recording, the media time is 10 s.
  expect(await textOf(`/${own}/text/${trackId}/1-2.vtt`)).toBe(
    `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:04.000\n\n${cues[1]}\n\n`,
  );
  expect(await textOf(`/${own}.mpd`)).toContain(`media="text/${trackId}/$Number$.vtt"`);
  const types = (await eventsOf(broadcaster.sessionId)).map(({ type }) => type);
  expect(types).toEqual([
    "video.media.live_stream.created",
    "video.media.track.created",
    "video.media.track.ready",
    "video.media.updated",
    "asset.ready",
    "live_stream.recording.ready",
  ]);
});

test("a page of teletext is a channel of its own, and a track that is not for viewers who do not hear", async () => {
  const { stream, broadcaster, playbackId, base } = await begun(1);
  const cues = [{ startMs: 2000, endMs: 2500, settings: "line:10%", text: "<c.yellow>Hallo</c>" }];
  const page = { channel: "teletext888", language: "ger", isSubtitle: true as const, cues };
  for (const rendition of ["v720", "a1"])
    await bring(broadcaster, 1, { rendition, captions: (part) => (part === 0 && rendition === "v720" ? [page] : []) });
  const text = "00:00:02.000 --> 00:00:02.500 line:10%\n<c.yellow>Hallo</c>\n\n";
  expect(await textOf(`${base}/teletext888/1.vtt`)).toBe(`${HEADER}${text}`);
  expect((await get(`${base}/teletext888/1.m4s`)).status).toBe(200);
  expect(await textOf(`/${playbackId}.m3u8`)).toMatch(/NAME="German",LANGUAGE="de",(?!.*CHARACTERISTICS)/);
  await finish(workspace, stream);
  const media = await mediaOf(broadcaster.sessionId);
  const [track, ...others] = subtitlesOf(media);
  expect([others, track]).toEqual([[], expect.objectContaining({ languageCode: "de", languageName: "German" })]);
  expect(track).not.toHaveProperty("closedCaptions");
  expect(await trackText(media)).toBe(`WEBVTT\n\n${text}`);
});

test("a recording without captions has no track, and one that is deleted on air gets none", async () => {
  const silent = await begun(1);
  await finish(workspace, silent.stream);
  expect(subtitlesOf(await mediaOf(silent.broadcaster.sessionId))).toEqual([]);
  const { stream, broadcaster } = await begun(1);
  await bring(broadcaster, 1, { captions: shows(1, "HELLO", [0]) });
  await workspace.request("DELETE", `/v1/on-demand/${broadcaster.sessionId}`);
  await finish(workspace, stream);
  const types = (await eventsOf(broadcaster.sessionId)).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith("video.media.track"))).toEqual([]);
});

test("a clip has the captions of its range, on air and after the broadcast's index was deleted", async () => {
  const { stream, broadcaster } = await begun(1);
  for (const rendition of ["v720", "a1"])
    for (const msn of [1, 2, 3])
      await bring(broadcaster, msn, {
        rendition,
        ...(rendition === "v720" ? { captions: shows(msn, `#${msn}`, [1, 2, 3]) } : {}),
      });
  const clip = async (startTime: number) => {
    const body = { startTime, endTime: startTime + 3 };
    const { data } = await (await workspace.request("POST", at(stream, "/clips"), body)).json<{ data: Media }>();
    await copy(data.id);
    return await mediaOf(data.id);
  };
  const onAir = await clip(2.5);
  const cues = (...texts: string[]) =>
    `WEBVTT\n\n${texts.map((text, n) => `00:00:0${2 * n}.500 --> 00:00:0${2 * n + 2}.000\n${text}\n\n`).join("")}`;
  expect(await trackText(onAir)).toBe(cues("#1", "#2"));
  await finish(workspace, stream);
  const origin = originCalls(env, broadcaster.sessionId);
  await origin.release(0); // as some time after the session's end
  await runDurableObjectAlarm(origin as never);
  expect(await origin.captionChannels()).toBeNull();
  const later = await clip(4.5);
  expect(await trackText(later)).toBe(cues("#2", "#3"));
  expect(subtitlesOf(later)).toMatchObject([{ languageCode: "und", languageName: "CC1", closedCaptions: true }]);
});

test("hostile text reaches no player, and malformed captions are refused", async () => {
  const { broadcaster, base } = await begun(0);
  const { sessionId, token } = broadcaster;
  const text = "<img src=x onerror=alert(1)><script>alert(1)</script>A --> B\n\n00:00:00.000 --> 99:00:00.000\n<i>C";
  await bring(broadcaster, 0, { captions: shows(0, text, [0]) });
  const written = await textOf(`${base}/cc1/0.vtt`);
  expect(written).not.toMatch(/<(?!\/?i>)/);
  expect(written.match(/-->/g)).toHaveLength(1);
  const refused = async (captions: unknown, length?: number) => {
    const json = JSON.stringify(captions);
    const query = `ticks=1&at=0&independent=1&last=1&capturedAt=1&discontinuity=0&init=0&captions=${length ?? json.length}`;
    const url = `http://sluice.test/internal/live/${sessionId}/parts/v720/1/0?${query}`;
    const body = { method: "PUT", body: `${json}part`, headers: { authorization: `Bearer ${token}` } };
    return (await send(new Request(url, body))).status;
  };
  expect(await refused([{ channel: "v720", cues: [] }])).toBe(422);
  expect(
    await refused([{ channel: "cc1", cues: [{ startMs: 0, endMs: 1, settings: "", text: "x".repeat(2001) }] }]),
  ).toBe(422);
  expect(await refused([], 1)).toBe(422);
  expect(await refused([], 1e9)).toBe(422);
});
