/** Subtitle tracks by URL: the operations, the machine, the events, and what players get. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { captionsPrefix } from "../../../../src/platform/storage/keys.ts";
import { forgetPlayback } from "../../../../src/playback/index.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { addRung, get, newAsset } from "../../playback/playable.ts";
import { addSigningKey, signToken } from "../../playback/tokens.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";
import { call, FILM } from "../uploads/upload-helpers.ts";

const SRT =
  "1\n00:00:01,000 --> 00:00:02,500\n<i>Ciao</i> & <script>x</script>\n\n2\n00:00:03,000 --> 00:00:05,000\nuno\n";

let server: RemoteServer;
let workspace: TestWorkspace;
beforeAll(async () => {
  [server, workspace] = [await openSourceServer(), await newWorkspace()];
});

interface TrackFields {
  id: string;
  type: string;
  url?: string;
  status?: string;
  error?: { code: string };
  captions?: object;
}

async function readyAsset(access: Parameters<typeof newAsset>[1] = {}) {
  const made = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done" }, access);
  await addRung(made.assetId); // 6 s
  return made;
}
const fileAt = async (text: string, path = `/${crypto.randomUUID()}.srt`) =>
  await server.add(path, { kind: "content", text, contentType: "application/octet-stream" });
const italian = (url: string, more: object = {}) => ({
  tracks: { url, type: "subtitle", languageCode: "it", languageName: "Italian", ...more },
});
const add = (assetId: string, body: unknown) => workspace.request("POST", `/v1/on-demand/${assetId}/tracks`, body);
const tracksOf = async (assetId: string) => {
  const answer = await workspace.request("GET", `/v1/on-demand/${assetId}`);
  return (await answer.json<{ data: { tracks: TrackFields[]; subtitleAvailable: boolean } }>()).data;
};
async function added(assetId: string, body: unknown): Promise<TrackFields> {
  const answer = await add(assetId, body);
  expect(answer.status).toBe(201);
  const { id } = (await answer.json<{ data: TrackFields }>()).data;
  const read = async () => (await tracksOf(assetId)).tracks.find((track) => track.id === id)!;
  return await until(read, ({ status }) => status !== "preparing");
}
const text = async (path: string) => await (await get(path)).text();
const typesOf = async (assetId: string) => (await eventsOf(assetId)).map(({ videoType }) => videoType);

test("a subtitle file is added to a ready media, announced, and played over HLS and DASH", async () => {
  const { assetId, playbackId } = await readyAsset();
  const url = await fileAt(SRT);
  const track = await added(assetId, italian(url, { title: "Italiano", closedCaptions: true }));
  expect(track).toMatchObject({
    type: "subtitle",
    status: "available",
    languageCode: "it",
    languageName: "Italian",
    title: "Italiano",
    closedCaptions: true,
    captions: { format: "srt", encoding: "utf-8", cueCount: 2, skippedCues: 0 },
  });
  expect((await tracksOf(assetId)).subtitleAvailable).toBe(true);
  expect(await typesOf(assetId)).toEqual([
    "video.media.track.created",
    "video.media.track.ready",
    "video.media.updated",
  ]);

  forgetPlayback(playbackId);
  const multivariant = await text(`/${playbackId}.m3u8`);
  expect(multivariant).toContain(
    `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="text",NAME="Italiano",LANGUAGE="it",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound",URI="${playbackId}/text/${track.id}.m3u8"`,
  );
  expect(multivariant).toMatch(/#EXT-X-STREAM-INF:.*SUBTITLES="text"/);
  const playlist = await text(`/${playbackId}/text/${track.id}.m3u8`);
  expect(playlist.match(/#EXTINF:.*\n.*/g)).toEqual([
    `#EXTINF:4.000000,\n${track.id}/0.vtt`,
    `#EXTINF:2.000000,\n${track.id}/1.vtt`,
  ]);
  expect(playlist).toContain("#EXT-X-ENDLIST");
  const header = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n";
  const crossing = "00:00:03.000 --> 00:00:05.000\nuno\n\n";
  const segment = await get(`/${playbackId}/text/${track.id}/0.vtt`);
  expect([segment.headers.get("content-type"), segment.headers.get("cache-control")]).toEqual([
    "text/vtt; charset=utf-8",
    "public, max-age=31536000, immutable",
  ]);
  expect(await segment.text()).toBe(`${header}00:00:01.000 --> 00:00:02.500\n<i>Ciao</i> &amp; x\n\n${crossing}`);
  expect(await text(`/${playbackId}/text/${track.id}/1.vtt`)).toBe(header + crossing);
  expect(await text(`/${playbackId}/text/${track.id}/2.vtt`)).toBe(header);

  const mpd = await text(`/${playbackId}.mpd`);
  expect(mpd).toContain(`contentType="text" mimeType="text/vtt" lang="it"`);
  expect(mpd).toContain(`<BaseURL>../${playbackId}/text/${track.id}.vtt</BaseURL>`);
  expect(mpd).toMatch(/<Label>Italiano<\/Label><Accessibility [^>]*value="2"\/><Role [^>]*value="caption"\/>/);
  expect(await text(`/${playbackId}/text/${track.id}.vtt`)).toMatch(/^WEBVTT\n\n00:00:01\.000 --> /);
  expect(await text(`/${playbackId}/text/${track.id}.srt`)).toMatch(
    /^1\n00:00:01,000 --> 00:00:02,500\n<i>Ciao<\/i> & x\n/,
  );
  expect(await text(`/${playbackId}/text/${track.id}.txt`)).toBe("Ciao & x\nuno\n");
  const range = await get(`/${playbackId}/text/${track.id}.txt`, { range: "bytes=0-3" });
  expect([range.status, await range.text()]).toEqual([206, "Ciao"]);
});

test("an added track changes no playlist that was complete", async () => {
  const { assetId, playbackId } = await readyAsset();
  const media = await text(`/${playbackId}/v720.m3u8`);
  const multivariant = await text(`/${playbackId}.m3u8`);
  await added(assetId, italian(await fileAt(SRT)));
  forgetPlayback(playbackId);
  expect(await text(`/${playbackId}/v720.m3u8`)).toBe(media);
  const rest = (await text(`/${playbackId}.m3u8`)).split("\n").filter((row) => !row.includes("SUBTITLES"));
  expect(rest).toEqual(multivariant.split("\n").filter((row) => !row.startsWith("#EXT-X-STREAM-INF")));
});

test("labels are changed, with events; the file stays", async () => {
  const { assetId, playbackId } = await readyAsset();
  const url = await fileAt(SRT);
  const { id } = await added(assetId, italian(url));
  const path = `/v1/on-demand/${assetId}/tracks/${id}`;
  const body = { languageCode: "fr", languageName: "French", title: "Sourds", url: "https://old.test/client.srt" };
  const answer = await workspace.request("PATCH", path, body);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { success: true, data: { id, type: "subtitle", url, languageCode: "fr", languageName: "French", title: "Sourds" } },
  ]);
  expect((await typesOf(assetId)).slice(3)).toEqual([
    "video.media.track.updated",
    "video.media.track.ready",
    "video.media.updated",
  ]);
  forgetPlayback(playbackId);
  expect(await text(`/${playbackId}.m3u8`)).toContain(`NAME="Sourds",LANGUAGE="fr"`);

  const cleared = await workspace.request("PATCH", path, { languageCode: "fr", languageName: "French", title: " " });
  expect(Object.keys((await cleared.json<{ data: object }>()).data)).not.toContain("title");
  forgetPlayback(playbackId);
  expect(await text(`/${playbackId}.m3u8`)).toContain(`NAME="French",LANGUAGE="fr"`);
});

test("a deleted track is gone from manifests, addresses and the store", async () => {
  const { assetId, playbackId } = await readyAsset();
  const { id } = await added(assetId, italian(await fileAt(SRT)));
  const path = `/v1/on-demand/${assetId}/tracks/${id}`;
  expect(await (await workspace.request("DELETE", path)).json()).toEqual({ success: true });
  expect((await workspace.request("DELETE", path)).status).toBe(404);
  expect((await typesOf(assetId)).slice(3)).toEqual(["video.media.track.deleted", "video.media.updated"]);
  expect(await text(`/${playbackId}.m3u8`)).not.toContain("SUBTITLES");
  for (const file of [`${id}.m3u8`, `${id}.vtt`, `${id}/0.vtt`])
    expect((await get(`/${playbackId}/text/${file}`)).status).toBe(404);
  await until(
    async () => (await env.MEDIA.list({ prefix: captionsPrefix(assetId, id) })).objects,
    (objects) => objects.length === 0,
  );
});

describe("a track that cannot be used", () => {
  test.each([
    ["is no captions", "hello", "captions_unknown_format"],
    ["has none", "WEBVTT\n", "captions_empty"],
    ["has a caption without an end", `1\n00:00:01,000 --> 00:00:02,000\n${"x".repeat(1_000_000)}`, "captions_too_long"],
  ])("says that its file %s", async (_, content, code) => {
    const { assetId } = await readyAsset();
    expect(await added(assetId, italian(await fileAt(content)))).toMatchObject({ status: "failed", error: { code } });
    const types = await typesOf(assetId);
    expect(types.slice(1)).toEqual(["video.media.track.failed", "video.media.updated"]);
  });

  test("says that there is no file, and leaves its name to the next one", async () => {
    const { assetId } = await readyAsset();
    const failed = await added(assetId, italian(`${server.origin}/none.srt`));
    expect(failed).toMatchObject({ status: "failed", error: { code: "source_not_found", fault: "source" } });
    expect(await added(assetId, italian(await fileAt(SRT)))).toMatchObject({ status: "available" });
  });
});

test("a name that another track of the type has, and one that is not of letters, are refused", async () => {
  const { assetId } = await readyAsset();
  const url = await fileAt(SRT);
  await added(assetId, italian(url));
  const again = await add(assetId, italian(url, { languageName: "italian" }));
  expect([again.status, await again.json()]).toMatchObject([400, { error: { message: "duplicate language name" } }]);
  for (const [field, value] of [
    ["languageName", "Español"],
    ["languageCode", "not a language"],
    ["languageCode", "german"],
    ["url", "ftp://files.test/a.srt"],
    ["type", "video"],
    ["title", ""],
    ["title", " \u00a0"],
  ] as const) {
    const answer = await add(assetId, italian(url, { [field]: value }));
    const { error } = await answer.json<{ error: { fields: { field: string }[] } }>();
    expect([answer.status, error.fields.map((one) => one.field)]).toEqual([422, [`tracks.${field}`]]);
  }
  const native = await add(assetId, italian(url, { languageName: "Español" }));
  expect(await native.text()).toContain("must be words of the letters A to Z, such as `Italian`");
  expect((await add(assetId, { url, type: "subtitle", languageCode: "it", languageName: "Latin" })).status).toBe(422);
});

test("a track plays from when it is ready, also where the media without it is remembered", async () => {
  const { assetId, playbackId } = await readyAsset();
  forgetPlayback(playbackId);
  const url = await fileAt(SRT);
  const response = await add(assetId, italian(url));
  const { id } = (await response.json<{ data: TrackFields }>()).data;
  await get(`/${playbackId}.m3u8`);
  await until(
    () => tracksOf(assetId),
    ({ tracks }) => tracks.some((track) => track.id === id && track.status === "available"),
  );
  for (const file of [".m3u8", ".vtt", "/0.vtt"])
    expect([file, (await get(`/${playbackId}/text/${id}${file}`)).status]).toEqual([file, 200]);
});

test("subtitles of a private media need what the media needs", async () => {
  const { assetId, playbackId } = await readyAsset({ accessPolicy: "private", workspaceId: workspace.id });
  const { id } = await added(assetId, italian(await fileAt(SRT)));
  const token = await signToken(await addSigningKey(workspace.id), playbackId);
  for (const file of [`${id}.m3u8`, `${id}.vtt`, `${id}/0.vtt`])
    expect((await get(`/${playbackId}/text/${file}`)).status).toBe(401);
  forgetPlayback(playbackId);
  const multivariant = await text(`/${playbackId}.m3u8?token=${token}`);
  const [, uri = ""] = /URI="([^"]+\/text\/[^"]+)"/.exec(multivariant) ?? [];
  expect(uri).toMatch(/~/);
  const playlist = await text(`/${uri}`);
  const [, segment = ""] = /\n([^#\n]+\/0\.vtt)/.exec(playlist) ?? [];
  expect(await text(`/${uri.replace(/[^/]+$/, "")}${segment}`)).toContain("uno");
});

test("subtitles of the creation are announced after it, and prepared while the media is processed", async () => {
  const url = await fileAt(SRT);
  const response = await workspace.request("POST", "/v1/on-demand", {
    accessPolicy: "public",
    inputs: [
      { type: "video", url: "https://nobody.test/film.mp4" },
      { type: "subtitle", url, languageName: "Italian", languageCode: "it-IT" },
      { type: "subtitle", url, languageName: "German", languageCode: "de-DE" },
    ],
  });
  expect(response.status).toBe(201);
  const { data } = await response.json<{ data: { id: string; inputs: unknown } }>();
  expect(data.inputs).toEqual([
    { type: "video", url: "https://nobody.test/film.mp4" },
    { type: "subtitle", url },
    { type: "subtitle", url },
  ]);
  const media = await until(
    () => tracksOf(data.id),
    ({ tracks }) => tracks.every(({ status }) => status === "available"),
  );
  expect(media.tracks).toHaveLength(2);
  expect(await typesOf(data.id)).toEqual([
    "video.media.created",
    "video.media.track.created",
    "video.media.track.created",
    "video.media.track.ready",
    "video.media.updated",
    "video.media.track.ready",
    "video.media.updated",
  ]);
});

describe("tracks of an upload", () => {
  const newUploadWith = async (inputs: object[]) =>
    await workspace.request("POST", "/v1/on-demand/upload", { corsOrigin: "*", pushMediaSettings: { inputs } });
  const german = { type: "subtitle", languageName: "German", languageCode: "de-DE" };
  const keysOf = async (assetId: string) =>
    (await env.MEDIA.list({ prefix: `assets/${assetId}/` })).objects.map(({ key }) => key);

  test("are prepared while its file is awaited, and are there when it has come", async () => {
    const response = await newUploadWith([
      { type: "video" },
      { type: "audio", swapTrackUrl: await fileAt("bytes that only an encoder reads") },
      { ...german, url: await fileAt(SRT), forced: true },
    ]);
    expect(response.status).toBe(201);
    const { data } = await response.json<{ data: { uploadId: string; url: string } }>();
    const waiting = await until(
      () => tracksOf(data.uploadId),
      ({ tracks }) => tracks.some(({ status }) => status === "available"),
    );
    expect(waiting.tracks).toMatchObject([
      { type: "audio", status: "preparing", languageName: "default" },
      { type: "subtitle", status: "available", languageName: "German", forced: true },
    ]);
    await call("PUT", data.url, {}, FILM);
    expect((await tracksOf(data.uploadId)).tracks.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["audio", "subtitle"]),
    );
    expect(await typesOf(data.uploadId)).toEqual([
      "video.media.upload",
      "video.media.track.created",
      "video.media.track.created",
      "video.media.track.ready",
      "video.media.updated",
      "video.upload.media_created",
    ]);
  });

  test("are gone with an upload that is cancelled", async () => {
    const response = await newUploadWith([{ ...german, url: await fileAt(SRT) }]);
    const { data } = await response.json<{ data: { uploadId: string } }>();
    await until(
      () => keysOf(data.uploadId),
      (keys) => keys.length > 0,
    );
    expect((await workspace.request("PUT", `/v1/on-demand/upload/${data.uploadId}/cancel`)).status).toBe(200);
    await until(
      () => keysOf(data.uploadId),
      (keys) => keys.length === 0,
    );
    const rows = env.DB.prepare("SELECT id FROM added_tracks WHERE asset_id = ?").bind(data.uploadId);
    expect((await rows.all()).results).toEqual([]);
  });

  test.each([
    [[{ ...german, url: "ftp://files.test/a.srt" }], "pushMediaSettings.inputs[0].url"],
    [
      [{ type: "video" }, { ...german, url: "https://files.test/a", languageCode: "xx" }],
      "pushMediaSettings.inputs[1].languageCode",
    ],
    [[{ type: "audio", swapTrackUrl: "file:///a.wav" }], "pushMediaSettings.inputs[0].swapTrackUrl"],
    [[{ type: "video" }, { type: "video" }], "pushMediaSettings.inputs"],
  ])("are refused as those of a creation: %j", async (inputs, field) => {
    const response = await newUploadWith(inputs);
    const { error } = await response.json<{ error: { fields: { field: string }[] } }>();
    expect([response.status, error.fields.map((one) => one.field)]).toEqual([422, [field]]);
  });
});

test("subtitles of a recording are offered, on the clock of each of its spans", async () => {
  const streamId = "a".repeat(32);
  const made = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done", streamId });
  const span = { first: 0, initVersion: 0, startTicks: 0, capturedAtMs: 1_795_000_000_000, isDiscontinuous: false };
  const spans = [span, { ...span, first: 1, startTicks: 5000, isDiscontinuous: true }];
  const segments = { durationTicks: [100, 50], bytes: [5000, 3000], keyframes: [], spans }; // 4 s, and 2 s from 200 s on
  await addRung(made.assetId, "v720", { segments });
  const { id } = await added(made.assetId, italian(await fileAt(SRT)));
  forgetPlayback(made.playbackId);
  expect(await text(`/${made.playbackId}.m3u8`)).toContain(`URI="${made.playbackId}/text/${id}.m3u8"`);
  const playlist = await text(`/${made.playbackId}/text/${id}.m3u8`);
  expect(playlist).toMatch(/0-0\.vtt\n#EXT-X-DISCONTINUITY\n#EXTINF:2\.000000,\n.*1-1\.vtt/);
  expect(await text(`/${made.playbackId}/text/${id}/0-0.vtt`)).toMatch(
    /^WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00/,
  );
  expect(await text(`/${made.playbackId}/text/${id}/1-1.vtt`)).toBe(
    "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:18000000,LOCAL:00:00:04.000\n\n00:00:03.000 --> 00:00:05.000\nuno\n\n",
  );
  expect((await get(`/${made.playbackId}/text/${id}/1-2.vtt`)).status).toBe(404);
  expect((await text(`/${made.playbackId}.mpd`)).match(/contentType="text"/g)).toHaveLength(2); // one for each Period
});

test("players that load the MPD while it grows return to one with segments of subtitles", async () => {
  const { assetId, playbackId } = await newAsset({ workspaceId: workspace.id });
  await addRung(assetId, "v270", { isWhole: false });
  const { id } = await added(assetId, italian(await fileAt(SRT)));
  forgetPlayback(playbackId);
  const growing = await text(`/${playbackId}.mpd?maxResolution=480p`);
  const [, location = ""] = /<Location>([^<]+)</.exec(growing) ?? [];
  expect(location.replaceAll("&amp;", "&")).toBe(`${playbackId}.mpd?maxResolution=480p&text=segments`);
  const segments = `media="text/${id}/$Number$.vtt"`;
  expect(growing).toContain(segments);
  await env.DB.prepare("UPDATE renditions SET is_whole = 1 WHERE asset_id = ?").bind(assetId).run();
  forgetPlayback(playbackId);
  const again = await text(`/${location.replaceAll("&amp;", "&")}`);
  expect([again.includes('type="static"'), again.includes(segments)]).toEqual([true, true]);
  expect(await text(`/${playbackId}.mpd`)).toContain(`/text/${id}.vtt</BaseURL>`);
});
