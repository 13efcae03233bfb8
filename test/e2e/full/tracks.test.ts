/** Subtitles of the source, and added subtitles and sound, from the API to three players in Chromium, and as ffprobe lists them. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Demuxer } from "node-av/api";
import { AV_LOG_QUIET, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE } from "node-av/constants";
import { Log } from "node-av/lib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BROADCAST, PAGES } from "../../support/caption-script.ts";
import { captionedFilm } from "../../support/captioned-film.ts";
import { bufferContent } from "../../support/source-content.ts";
import { readCaptions } from "../../../src/media/captions/read-captions.ts";
import { madeFile } from "../../support/made.ts";
import { eventually } from "../../support/live-watch.ts";
import { makeSource } from "../../support/sources.ts";
import { isReady } from "../../support/platform.ts";
import { decodeSound } from "../../support/rendition.ts";
import { toneAt, tonesExpression } from "../../support/tones.ts";
import { servePlayerPage } from "../players/page-server.ts";
import { type Stage, startStage } from "../players/stage.ts";
import { openTracksPage } from "../players/open-tracks-page.ts";
import { uploadSlowly } from "../players/slow-upload.ts";
import type { TrackPlayer } from "../players/tracks-page.ts";

const run = promisify(execFile);
/** One for each cue. */
const TONES = [
  { fromSeconds: 0, hz: 440 },
  { fromSeconds: 2, hz: 880 },
];
const tones = (seconds: number) => ["-f", "lavfi", "-i", `aevalsrc='${tonesExpression(TONES)}':s=48000:d=${seconds}`];
/** On screen for the whole clip, in two cues, the second of which crosses a segment. */
const captions = (one: string, two: string) =>
  `1\n00:00:00,000 --> 00:00:02,000\n${one}\n\n2\n00:00:02,000 --> 00:00:06,000\n<i>${two}</i>\n`;

let stage: Stage;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let address: string;
let german: string;

interface TrackStatus {
  id: string;
  status: string;
}
interface TrackLabels extends TrackStatus {
  languageCode: string;
}

async function add(mediaId: string, tracks: object): Promise<string> {
  const { body } = await stage.platform.api<TrackStatus>("POST", `/v1/on-demand/${mediaId}/tracks`, { tracks });
  const { id } = body.data;
  await stage.platform.until(mediaId, ({ tracks: all }) =>
    (all as unknown as TrackStatus[]).some((track) => track.id === id && track.status === "available"),
  );
  return id;
}

beforeAll(async () => {
  Log.setLevel(AV_LOG_QUIET);
  [stage, page] = [await startStage(), await servePlayerPage("tracks-page.ts")];
  const spanish = Buffer.from(captions("Porqué", "flores")).toString("base64");
  const film = ["-i", "test/fixtures/flower.mp4", "-f", "srt", "-i", `data:text/plain;base64,${spanish}`, ...tones(5)];
  const languages = ["-metadata:s:a:0", "language=eng", "-metadata:s:s:0", "language=spa", "-disposition:s:0", "0"];
  const maps = ["-map", "0:v", "-map", "2:a", "-map", "1", "-c:v", "copy", "-c:a", "aac", "-c:s", "mov_text"];
  await stage.serve("flower.mp4", await madeFile([...film, ...maps, ...languages, "-movflags", "+faststart"], "mp4"));
  // Shorter than the picture, and no AAC: padded with silence to the media's end.
  await stage.serve("german.flac", await madeFile([...tones(3), "-c:a", "flac"], "flac"));
  const text = (words: string) => bufferContent(Buffer.from(words, "latin1"));
  stage.server.add("/it.srt", { kind: "content", content: text(captions("Perch\u00e9", "fiori")) });
  stage.server.add("/en.vtt", {
    kind: "content",
    content: text(`WEBVTT\n\n${captions("Why", "flowers").replaceAll(",", ".")}`),
  });
  const { body } = await stage.platform.api<{ id: string; playbackIds: { id: string }[] }>("POST", "/v1/on-demand", {
    accessPolicy: "public",
    inputs: [
      { type: "video", url: stage.server.url("/flower.mp4") },
      { type: "subtitle", url: stage.server.url("/en.vtt"), languageName: "English", languageCode: "en-US" },
    ],
  });
  const { id, playbackIds } = body.data;
  await stage.platform.until(id, isReady);
  await stage.platform.until(id, ({ tracks }) =>
    (tracks as unknown as TrackLabels[]).some((track) => track.languageCode === "es" && track.status === "available"),
  );
  const more = { languageCode: "it", languageName: "Italian", closedCaptions: true, default: true };
  await add(id, { url: stage.server.url("/it.srt"), type: "subtitle", ...more });
  german = await add(id, {
    url: stage.server.url("/german.flac"),
    type: "audio",
    languageCode: "de",
    languageName: "German",
  });
  address = `${stage.platform.baseUrl}/${playbackIds[0]!.id}`;
});
afterAll(async () => {
  await Promise.all([stage?.close(), page?.close()]);
});

test.concurrent.each<[TrackPlayer, "m3u8" | "mpd"]>([
  ["hls.js", "m3u8"],
  ["dash.js", "mpd"],
  ["shaka", "m3u8"],
  ["shaka", "mpd"],
])(
  "%s shows the subtitles of the source and the added ones of the .%s, and switches to the added sound",
  async (player, extension) => {
    const tab = await stage.browser.newPage();
    try {
      const asked: string[] = [];
      tab.on("request", (request) => asked.push(request.url()));
      const call = await openTracksPage(tab, page.url);
      await call("load", player, `${address}.${extension}`);
      const { subtitles, sounds } = await call("languages");
      expect(subtitles.map((tag) => tag.slice(0, 2))).toEqual(["en", "es", "it"]);
      expect(sounds).toContain("de");
      const [english = "", spanish = "", italian = ""] = subtitles;
      expect(await call("show", english, "Why")).toBeLessThan(2.2);
      expect(await call("show", italian, "fiori")).toBeGreaterThan(1.8);
      await call("show", italian, "Perché");
      await call("show", spanish, "flores");
      await call("hear", "de");
      const rendition = `/at-${german.replaceAll("-", "").slice(0, 28)}/`;
      expect(asked.some((url) => url.includes(rendition))).toBe(true);
      expect(await call("errors")).toEqual([]);
    } finally {
      await tab.close();
    }
  },
);

/** For both players, which load its MPD before the file is whole. */
let slow: ReturnType<typeof uploadWithSubtitles> | undefined;
async function uploadWithSubtitles() {
  const url = stage.server.url("/en.vtt");
  const inputs = [{ type: "subtitle", url, languageName: "English", languageCode: "en-US" }];
  const upload = await uploadSlowly(stage.platform, "test/fixtures/flower.mp4", { inputs });
  const mpd = `${stage.platform.baseUrl}/${upload.playbackId}.mpd`;
  const listsText = async () => /type="dynamic".*contentType="text"/s.test(await (await fetch(mpd)).text()) || null;
  await eventually("an MPD with subtitles that is not whole", listsText, 20_000);
  return { ...upload, mpd };
}

test.concurrent.each<TrackPlayer>(["dash.js", "shaka"])(
  "%s that loads an MPD while the file is still coming in shows the subtitles that came with it",
  async (player) => {
    const { assetId, mpd, isSent } = await (slow ??= uploadWithSubtitles());
    const tab = await stage.browser.newPage();
    try {
      const call = await openTracksPage(tab, page.url);
      await call("load", player, mpd);
      const [english = ""] = (await call("languages")).subtitles;
      expect(english.slice(0, 2)).toBe("en");
      expect(await call("show", english, "Why")).toBeLessThan(2.2);
      expect(await call("show", english, "flowers")).toBeGreaterThan(1.8);
      await isSent;
      await stage.platform.until(assetId, isReady);
      expect(await call("errors")).toEqual([]);
    } finally {
      await tab.close();
    }
  },
);

test("the multivariant playlist lists the subtitles of the source with their language", async () => {
  const multivariant = await (await fetch(`${address}.m3u8`)).text();
  expect(multivariant).toMatch(/TYPE=SUBTITLES,GROUP-ID="[^"]+",NAME="Spanish",LANGUAGE="es"/);
});

/** Creates a media, waits for its tracks, and returns the names that players list, with the whole captions of each. */
async function tracksOfSource(name: string, count: number): Promise<Map<string, string>> {
  const { assetId, playbackId } = await stage.platform.create(stage.server.url(`/${name}`));
  await stage.platform.until(assetId, isReady);
  const isOurs = ({ status, type }: TrackStatus & { type: string }) => type === "subtitle" && status === "available";
  await stage.platform.until(
    assetId,
    ({ tracks }) => (tracks as unknown as (TrackStatus & { type: string })[]).filter(isOurs).length === count,
  );
  const media = `${stage.platform.baseUrl}/${playbackId}`;
  const multivariant = await (await fetch(`${media}.m3u8`)).text();
  const listed = multivariant.matchAll(
    /TYPE=SUBTITLES,.*NAME="([^"]+)",.*DEFAULT=NO,.*URI="[^"]*(\/text\/[0-9a-f-]+)\.m3u8/g,
  );
  const names = [...listed].map(([, track = "", path = ""]) => [track, path] as const);
  return new Map(
    await Promise.all(
      names.map(async ([track, path]) => [track, await (await fetch(`${media}${path}.vtt`)).text()] as const),
    ),
  );
}

test("captions in the picture and teletext of a broadcast become tracks by themselves", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-broadcast-"));
  try {
    const path = join(folder, "broadcast.ts");
    await captionedFilm(path, 5, { captions: BROADCAST, teletext: PAGES });
    await stage.serve("broadcast.ts", path);
    const tracks = await tracksOfSource("broadcast.ts", 5);
    expect([...tracks.keys()]).toEqual(["CC1", "CC3", "SERVICE2", "German", "German 2"]);
    expect(tracks.get("CC1")).toMatch(
      /00:00:01\.4\d\d --> 00:00:03\.\d{3} position:10% align:start\nWE SAW A FLOWER\nin the garden\n\n00:00:03\.\d{3} --> 00:00:04\.\d{3} position:10% align:start\nIt was &lt;yellow&gt; &amp; bright\n/,
    );
    expect(tracks.get("CC3")).toContain("Vimos una flor\nen el jardín\n");
    expect(tracks.get("German")).toContain("Wir sahen eine Blume\nim Garten, grün\n");
    expect(tracks.get("German 2")).toContain("(Musik)\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("subtitles of Matroska become tracks by themselves, with their names and markup", async () => {
  await stage.serve("subtitles.mkv", await makeSource("subtitles-mkv"));
  const tracks = await tracksOfSource("subtitles.mkv", 3);
  expect([...tracks.keys()]).toEqual(["English", "Cartelli", "German"]);
  expect(tracks.get("English")).toContain("line:0\n<i>Why</i> &amp; how\n");
  expect(tracks.get("Cartelli")).toContain("\n<b>fiori</b>\n");
  expect(tracks.get("German")).toContain("line:0 align:start\n<v Anna>Warum");
});

test("the added sound is as long as the picture, and its playlist is in the group of the others", async () => {
  const text = async (path: string) => await (await fetch(`${address}${path}`)).text();
  const multivariant = await text(".m3u8");
  const [, sound = ""] =
    /TYPE=AUDIO,GROUP-ID="audio",NAME="German",LANGUAGE="de",.*URI="[^/]+(\/at-[^"]+)"/.exec(multivariant) ?? [];
  const [, picture = ""] = /\n[^#\n/]+(\/v\d+\.m3u8)/.exec(multivariant) ?? [];
  const secondsOf = async (path: string) =>
    [...(await text(path)).matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
  expect(Math.abs((await secondsOf(sound)) - (await secondsOf(picture)))).toBeLessThan(0.03);
});

const bytesAt = async (path: string) => Buffer.from(await (await fetch(`${address}${path}`)).arrayBuffer());
const textAt = async (path: string) => (await bytesAt(path)).toString("utf8");

/** The renditions of a type in the multivariant playlist, by language. */
async function renditionsOf(type: "AUDIO" | "SUBTITLES"): Promise<Map<string, string>> {
  const lines = (await textAt(".m3u8")).split("\n").filter((line) => line.includes(`TYPE=${type}`));
  return new Map(lines.map((line) => [/LANGUAGE="([^"]+)"/.exec(line)![1]!, /URI="[^/]+([^"]+)"/.exec(line)![1]!]));
}
/** The segments of a media playlist, behind its map. */
async function segmentsOf(playlist: string): Promise<Buffer[]> {
  const lines = (await textAt(playlist)).split("\n");
  const map = /#EXT-X-MAP:URI="([^"]+)"/.exec(lines.join("\n"))?.[1];
  const files = [...(map === undefined ? [] : [map]), ...lines.filter((line) => line !== "" && !line.startsWith("#"))];
  return await Promise.all(files.map((file) => bytesAt(playlist.replace(/[^/]+$/, file))));
}

test("each cue is on screen while its own tone sounds, in the source's sound and in the added one, over HLS and DASH", async () => {
  const [sounds, subtitles] = [await renditionsOf("AUDIO"), await renditionsOf("SUBTITLES")];
  expect([[...sounds.keys()], [...subtitles.keys()]]).toEqual([
    ["en", "de"],
    ["en-US", "es", "it"],
  ]);
  const mpd = await textAt(".mpd");
  const files = [...mpd.matchAll(/<BaseURL>\.\.\/[^/]+(\/text\/[^<]+)<\/BaseURL>/g)].map(([, path = ""]) => path);
  const whole = await Promise.all(files.map(async (path) => readCaptions(await bytesAt(path), "en").cues));
  for (const [n, playlist] of [...subtitles.values()].entries()) {
    const segments = await segmentsOf(playlist);
    for (const segment of segments) expect(segment.toString()).toContain("X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000");
    const listed = segments.flatMap((segment) => readCaptions(segment, "en").cues);
    const times = (cues: typeof listed) => new Set(cues.map(({ startMs, endMs }) => `${startMs}-${endMs}`));
    expect(times(listed)).toEqual(times(whole[n]!));
  }
  for (const playlist of sounds.values()) {
    const sound = await decodeSound(Buffer.concat(await segmentsOf(playlist)));
    for (const { startMs } of whole.flat()) {
      const { hz } = TONES.find(({ fromSeconds }) => fromSeconds * 1000 === startMs)!;
      const differsAt = (seconds: number) => Math.abs(toneAt(sound, startMs / 1000 + seconds) - hz);
      expect(differsAt(0.03)).toBeLessThan(40);
      if (startMs > 0) expect(differsAt(-0.06)).toBeGreaterThan(40);
    }
  }
});

/** The languages of the captions that a page shows. */
const shownIn = (tab: Page) =>
  tab.evaluate(() =>
    [...document.querySelector("video")!.textTracks]
      .filter(({ mode, activeCues }) => mode === "showing" && (activeCues?.length ?? 0) > 0)
      .map(({ language }) => language),
  );

test("the hosted page shows the default captions, and has a button and a menu for all", async () => {
  const tab = await stage.browser.newPage({ locale: "en-US" });
  try {
    await tab.goto(address.replace(/\/([^/]+)$/, "/player/$1"));
    const button = tab.locator("media-captions-button");
    await button.waitFor({ state: "visible" });
    await tab.evaluate(() => void document.querySelector("video")!.play());
    await expect.poll(() => shownIn(tab), { timeout: 20_000 }).toEqual(["it"]);
    await button.click();
    await expect.poll(() => shownIn(tab)).toEqual([]);
    const items = await tab.locator("media-captions-menu [role=menuitemradio]").allTextContents();
    expect(items.map((item) => item.trim()).filter((item) => /English|Italian|Spanish/.test(item))).toHaveLength(3);
  } finally {
    await tab.close();
  }
});

test("the hosted page shows captions that are no default only when asked to", async () => {
  await stage.serve("no-captions.mp4", "test/fixtures/flower.mp4");
  const { assetId, playbackId } = await stage.platform.create(stage.server.url("/no-captions.mp4"));
  await stage.platform.until(assetId, isReady);
  const subtitle = { url: stage.server.url("/en.vtt"), type: "subtitle", languageCode: "en", languageName: "English" };
  await add(assetId, subtitle);
  const tab = await stage.browser.newPage({ locale: "en-US" });
  try {
    await tab.goto(`${stage.platform.baseUrl}/player/${playbackId}`);
    const button = tab.locator("media-captions-button");
    await button.waitFor({ state: "visible" });
    await tab.evaluate(() => void document.querySelector("video")!.play());
    await tab.waitForFunction(() => document.querySelector("video")!.currentTime > 1);
    expect(await shownIn(tab)).toEqual([]);
    await button.click();
    await expect.poll(() => shownIn(tab), { timeout: 10_000 }).toEqual(["en"]);
  } finally {
    await tab.close();
  }
});

test.each(["m3u8", "mpd"])("libav lists sound and subtitles of the .%s with their languages", async (extension) => {
  await using input = await Demuxer.open(`${address}.${extension}`);
  const languagesOf = (type: number) =>
    input.streams
      .filter(({ codecpar }) => codecpar.codecType === type)
      .map(({ metadata }) => metadata?.get("language") ?? "und");
  expect(languagesOf(AVMEDIA_TYPE_AUDIO).toSorted()).toEqual(["de", "en"]);
  expect(languagesOf(AVMEDIA_TYPE_SUBTITLE).toSorted()).toEqual(["en-US", "es", "it"]);
});

test("ffprobe lists the added sound and the subtitles with their languages", async () => {
  const entries = ["-show_entries", "stream=codec_type,codec_name:stream_tags=language,comment", "-of", "json"];
  const { stdout } = await run("ffprobe", ["-v", "error", ...entries, `${address}.m3u8`]);
  const { streams } = JSON.parse(stdout) as { streams: { codec_type: string; tags?: { language?: string } }[] };
  expect(streams.filter(({ codec_type: type }) => type === "audio").map(({ tags }) => tags?.language)).toContain("de");
  const { stdout: mpd } = await run("ffprobe", ["-v", "error", ...entries, `${address}.mpd`]);
  const found = (JSON.parse(mpd) as { streams: typeof streams }).streams;
  const texts = found.filter(({ codec_type: type }) => type === "subtitle");
  expect(texts.map(({ tags }) => tags?.language)).toEqual(["en-US", "es", "it"]);
});

test.concurrent.each([
  ["m3u8", ["audio-English", "audio-German", "main-video-0", "text-English", "text-Italian", "text-Spanish"]],
  ["mpd", ["audio-1", "audio-2", "text-3", "text-4", "text-5", "video-0"]],
])("GStreamer lists the picture, both sounds and all subtitles of the .%s", async (extension, expected) => {
  const sinks = ["video", "audio", "text"].map((kind) => `${kind}-sink=fakesink sync=false`);
  const { stderr } = await run(
    process.env["GST_LAUNCH"] ?? "gst-launch-1.0",
    ["playbin3", `uri=${address}.${extension}`, ...sinks],
    { env: { ...process.env, GST_DEBUG: "adaptivedemux2:5", GST_DEBUG_NO_COLOR: "1" }, maxBuffer: 16 << 20 },
  );
  const listed = [...stderr.matchAll(/Adding '([^']*)' to collection/g)].map(([, name = ""]) => name);
  expect([...new Set(listed)].toSorted()).toEqual(expected);
});
