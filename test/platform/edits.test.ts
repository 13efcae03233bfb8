/** Joined and edited media, made by the whole platform: a counter in the picture and tones tell what is shown and heard when. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { madeFile } from "../support/made.ts";
import { isFailed, isReady, type Media, sharedPlatform, type SharedPlatform } from "../support/platform.ts";
import { getBytes, readPlaylists } from "../support/playlists.ts";
import { type DecodedPicture, decodePictures, decodeSound } from "../support/rendition.ts";
import { readPicture } from "../support/pictures.ts";
import { bufferContent, virtualContent } from "../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";
import { toneAt, tonesExpression } from "../support/tones.ts";

const RATE = 25;

let platform: SharedPlatform;
let server: SourceServer;

interface Film {
  seconds: number;
  /** Of tones that last two seconds each. */
  hz: number[];
  rate?: number;
  size?: string;
  codec?: string;
}

/** ffmpeg's words for a numbered film with tones. */
function wordsOf({ seconds, hz, rate = RATE, size = "320x180", codec = "aac" }: Film): string[] {
  const tones = tonesExpression(hz.map((one, n) => ({ fromSeconds: 2 * n, hz: one })));
  const sound = ["-f", "lavfi", "-i", `aevalsrc='${tones}':s=48000:d=${seconds}`, "-c:a", codec];
  const picture = "-c:v libx264 -preset ultrafast -g 50 -bf 0 -pix_fmt yuv420p -movflags +faststart".split(" ");
  return [...countedFilm(String(rate), size), ...sound, "-t", String(seconds), ...picture];
}

/** @returns the URL of a film */
async function serve(name: string, words: string[]): Promise<string> {
  server.add(name, { kind: "content", content: await readFile(await madeFile(words, "mp4")) });
  return server.url(name);
}

const filmWords = wordsOf({ seconds: 10, hz: [400, 600, 800, 1000, 1200] });

let [film, intro, ad, outro] = ["", "", "", ""];
beforeAll(async () => {
  [platform, server] = await Promise.all([sharedPlatform(), startSourceServer()]);
  [film, intro, ad, outro] = await Promise.all([
    serve("/film.mp4", filmWords),
    serve("/intro.mp4", wordsOf({ seconds: 2, hz: [1600], rate: 30, size: "320x240" })),
    serve("/ad.mp4", wordsOf({ seconds: 1, hz: [1800], rate: 50, codec: "libmp3lame" })),
    serve("/outro.mp4", wordsOf({ seconds: 2, hz: [2000], size: "180x320" })),
  ]);
});
afterAll(async () => {
  await server?.stop();
});

/** What a player gets of the largest rendition, and of the sound. */
async function played(playbackId: string) {
  const playlists = await readPlaylists(`${platform.baseUrl}/${playbackId}.m3u8`);
  const bytesOf = async (kind: "video" | "audio") => {
    const { initUrl, segmentUrls } = playlists.find((one) => one.kind === kind)!;
    return Buffer.concat(await Promise.all([initUrl, ...segmentUrls].map((url) => getBytes(url))));
  };
  return { pictures: await decodePictures(await bytesOf("video")), sound: await decodeSound(await bytesOf("audio")) };
}

/** The part of a picture without its bars. */
function within({ luma, widthPx, heightPx }: DecodedPicture, left: number, right: number) {
  const rows = Array.from({ length: heightPx }, (_, y) => luma.subarray(y * widthPx + left, y * widthPx + right));
  return { luma: Buffer.concat(rows), widthPx: right - left, heightPx };
}

async function eventsOf(assetId: string): Promise<string[]> {
  const { body } = await platform.api<{ type: string }[]>("GET", `/v1/on-demand/${assetId}/activity?limit=50`);
  return body.data.map(({ type }) => type);
}

describe("a film with an intro, an outro, a range that is cut out, a clip that is put in, and a second video behind it", () => {
  let made: Awaited<ReturnType<typeof played>>;
  let media: Media;
  beforeAll(async () => {
    const edits = { introUrl: intro, outroUrl: outro, expungeSegments: ["4-6"], segments: [{ url: ad, insertAt: 2 }] };
    const inputs = [
      { type: "video", url: film, ...edits },
      { type: "video", url: film, startTime: 8, endTime: 9 },
    ];
    const created = await platform.create(film, { inputs });
    media = await platform.until(created.assetId, isReady);
    made = await played(created.playbackId);
  });

  test("shows each of them for its time, fitted into the film's shape", () => {
    const { pictures } = made;
    const shown = (from: number, to: number) => pictures.slice(from * RATE, to * RATE).map((one) => readCounter(one));
    const frames = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
    expect(media).toMatchObject({ duration: "00:00:14", tracks: [{ type: "video", width: 320, height: 180 }, {}] });
    expect(pictures.length).toBe(14 * RATE);
    const first = pictures.slice(0, 2 * RATE).map((picture) => readCounter(within(picture, 40, 280)));
    expect(first).toEqual(frames(0, 50).map((n) => Math.floor(n * 1.2 + 0.3)));
    expect(shown(2, 4)).toEqual(frames(0, 50));
    expect(shown(4, 5)).toEqual(frames(0, 25).map((n) => 2 * n));
    expect(shown(5, 7)).toEqual(frames(50, 50));
    expect(shown(7, 11)).toEqual(frames(150, 100));
    expect(shown(13, 14)).toEqual(frames(200, 25));
    const last = within(pictures[12 * RATE]!, 0, 100);
    expect(last.luma.every((value) => value < 20)).toBe(true); // the bars of an upright picture
  });

  test("is heard as it is seen", () => {
    const heard = (seconds: number) => Math.round(toneAt(made.sound, seconds) / 100) * 100;
    const ends = [
      [0, 2, 1600],
      [2, 4, 400],
      [4, 5, 1800],
      [5, 7, 600],
      [7, 9, 1000],
      [9, 11, 1200],
      [11, 13, 2000],
      [13, 14, 1200],
    ] as const;
    for (const [from, to, hz] of ends) {
      expect([from, heard(from + 0.06)]).toEqual([from, hz]);
      expect([to, heard(to - 0.09)]).toEqual([to, hz]);
    }
  });

  test("is announced with an event for each operation", async () => {
    const types = await eventsOf(media.id);
    for (const operation of ["intro", "outro", "expunge", "splice"])
      expect(types.filter((type) => type === `video.media.${operation}.ready`)).toHaveLength(1);
    expect(types).toContain("asset.ready");
  });
});

describe("files of one kind, whose key frames are where segments begin", () => {
  const part = (name: string, seconds: number, more: string[] = []) => {
    const own = "-preset veryfast -sc_threshold 0 -keyint_min 50 -bf 2".split(" ");
    return { name, words: [...wordsOf({ seconds, hz: [400 + 100 * seconds] }), ...own, ...more] };
  };
  /** A segment has 4 s. */
  const parts = [part("/a.mp4", 4), part("/b.mp4", 8), part("/c.mp4", 3)];
  const join = async (...wanted: { name: string; words: string[] }[]) => {
    const urls = await Promise.all(wanted.map(({ name, words }) => serve(name, words)));
    const { assetId, playbackId } = await platform.create(urls[0]!, {
      inputs: urls.map((url) => ({ type: "video", url })),
    });
    await platform.until(assetId, isReady);
    return await played(playbackId);
  };
  const sourcesOf = async (wanted: { words: string[] }[]) => {
    const decoded: DecodedPicture[][] = [];
    for (const { words } of wanted) decoded.push(await decodePictures(await readFile(await madeFile(words, "mp4"))));
    return decoded.flat();
  };
  const differing = (some: DecodedPicture[], others: DecodedPicture[]) =>
    some.flatMap(({ luma }, n) => (luma.equals(others[n]?.luma ?? Buffer.alloc(0)) ? [] : [n]));

  test("are joined without encoding the top rung again: each picture is that of its file", async () => {
    const { pictures, sound } = await join(...parts);
    const sources = await sourcesOf(parts);
    expect([pictures.length, sources.length]).toEqual([15 * RATE, 15 * RATE]);
    expect(pictures.map(({ timeSeconds }) => Math.round(timeSeconds * RATE))).toEqual(sources.map((_, n) => n));
    expect(differing(pictures, sources)).toEqual([]);
    const heard = [3.9, 4.1, 11.9, 12.1].map((seconds) => Math.round(toneAt(sound, seconds) / 100) * 100);
    expect(heard).toEqual([800, 1200, 1200, 700]);
  });

  test("are joined without encoding it when the first of them is uploaded", { tags: ["full"] }, async () => {
    const [first, second] = [parts[0]!, parts[2]!];
    const outroUrl = await serve(second.name, second.words);
    const asked = {
      corsOrigin: "*",
      pushMediaSettings: { accessPolicy: "public", inputs: [{ type: "video", outroUrl }] },
    };
    const { body } = await platform.api<{ uploadId: string; url: string }>("POST", "/v1/on-demand/upload", asked);
    await fetch(body.data.url, { method: "PUT", body: await readFile(await madeFile(first.words, "mp4")) });
    const { playbackIds } = await platform.until(body.data.uploadId, isReady);
    const { pictures } = await played(playbackIds[0]!.id);
    const sources = await sourcesOf([first, second]);
    expect([pictures.length, differing(pictures, sources)]).toEqual([7 * RATE, []]);
  });

  test("are encoded when a file begins inside of a segment", async () => {
    const wanted = [part("/d.mp4", 3), part("/a.mp4", 4)];
    const { pictures } = await join(...wanted);
    expect(pictures.map((one) => readCounter(one))).toEqual([75, 100].flatMap((count) => [...Array(count).keys()]));
    expect(differing(pictures, await sourcesOf(wanted)).length).toBeGreaterThan(150);
  });
});

test("sound is brought to one loudness, for the passthrough's sound too, and the record says what was measured", async () => {
  const quiet = await serve("/quiet.mp4", [...wordsOf({ seconds: 6, hz: [400, 600, 800] }), "-af", "volume=-20dB"]);
  const { assetId, playbackId } = await platform.create(quiet, { optimizeAudio: true });
  const { optimizeAudio, loudness } = (await platform.until(assetId, isReady)) as Media & {
    optimizeAudio: boolean;
    loudness: { integratedLufs: number; gainDb: number; resultLufs: number; resultTruePeakDb: number }[];
  };
  expect(optimizeAudio).toBe(true);
  const [sound] = loudness;
  expect(sound!.integratedLufs).toBeLessThan(-25);
  expect(Math.abs(sound!.resultLufs + 16)).toBeLessThan(0.5);
  expect(sound!.resultTruePeakDb).toBeLessThanOrEqual(-1);
  const heard = (await played(playbackId)).sound.samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  expect(heard).toBeGreaterThan(0.04 * 10 ** (sound!.gainDb / 20) * 0.8); // the source has 0.04
  expect(await eventsOf(assetId)).toContain("video.media.optimize_audio.ready");
});

describe("a watermark", () => {
  const mark = (more: object = {}) => ({ type: "watermark", url: server.url("/mark.png"), width: "25%", ...more });
  const MARGINS = { placement: { xAlign: "right", xMargin: "0px", yAlign: "bottom", yMargin: "0%" } };
  /** How light the lower right corner is. */
  const corner = ({ luma, widthPx, heightPx }: { luma: Uint8Array; widthPx: number; heightPx: number }) =>
    luma[(heightPx - 8) * widthPx + widthPx - 8]!;

  test("is in every picture from the first one on, in thumbnails, and in the encoded edges of clips", async () => {
    const white = await madeFile("-f lavfi -i color=white:size=64x32 -frames:v 1".split(" "), "png");
    server.add("/mark.png", { kind: "content", content: await readFile(white) });
    const inputs = [{ type: "video", url: film }, mark(MARGINS)];
    const created = await platform.api<Media & { inputs: object[] }>("POST", "/v1/on-demand", { inputs });
    expect(created.body.data.inputs).toEqual([
      { type: "video", url: film },
      { type: "watermark", url: server.url("/mark.png") },
    ]);
    const media = await platform.until(created.body.data.id, isReady);
    const { pictures } = await played(created.body.playback_id);
    expect(pictures.length).toBe(10 * RATE);
    for (const picture of pictures) expect(corner(picture)).toBeGreaterThan(225);
    expect(readCounter(pictures[77]!)).toBe(77);
    const thumbnail = await fetch(`${platform.baseUrl}/${created.body.playback_id}/thumbnail.png?time=4`);
    expect(corner(await readPicture(new Uint8Array(await thumbnail.arrayBuffer()), "png"))).toBeGreaterThan(225);
    expect(await eventsOf(media.id)).toContain("video.media.watermark.ready");

    const clip = await platform.create(`fp_mediaId://${media.id}`, {
      inputs: [{ type: "video", url: `fp_mediaId://${media.id}`, startTime: 1.2, endTime: 2.4 }],
    });
    await platform.until(clip.assetId, isReady);
    const cut = (await played(clip.playbackId)).pictures;
    expect(cut.length).toBe(30);
    for (const picture of cut) expect(corner(picture)).toBeGreaterThan(225);
  });

  test.each([
    ["a web page", { kind: "content", content: Buffer.from("<!doctype html><p>no image</p>") }, "watermark_unusable"],
    ["more than 10 MiB", { kind: "content", content: virtualContent((10 << 20) + 1) }, "source_too_large"],
    ["nothing", { kind: "status", status: 404 }, "source_not_found"],
  ] as const)("that is %s fails the media, and the message names it", async (name, behaviour, code) => {
    const path = `/mark-${name.replaceAll(" ", "-")}`;
    server.add(path, behaviour);
    const { assetId } = await platform.create(film, {
      inputs: [{ type: "video", url: film }, mark({ url: server.url(path) })],
    });
    const { error } = await platform.until(assetId, isFailed);
    expect(error).toMatchObject({ code, fault: "source" });
    expect(error!.message).toMatch(/^inputs\[1\]: /);
  });
});

const srt = (...cues: [from: string, to: string, text: string][]) =>
  cues.map(([from, to, text], n) => `${n + 1}\n00:00:0${from} --> 00:00:0${to}\n${text}\n`).join("\n");

test("subtitles in the files, and those that are given with them, are where their pictures are", async () => {
  const captioned = (words: string[], text: string) => {
    const subtitles = ["-f", "srt", "-i", `data:text/plain;base64,${Buffer.from(text).toString("base64")}`];
    const inputs = words.lastIndexOf("-i") + 2;
    const more = ["-c:s", "mov_text", "-metadata:s:s:0", "language=eng"];
    return [...words.slice(0, inputs), ...subtitles, ...words.slice(inputs), ...more];
  };
  const own = srt(["1,000", "3,000", "split"], ["4,500", "5,500", "gone"], ["8,000", "9,000", "last"]);
  const inputs = [
    {
      type: "video",
      url: await serve("/captioned.mp4", captioned(filmWords, own)),
      introUrl: intro,
      expungeSegments: ["4-6"],
      segments: [
        {
          url: await serve(
            "/captioned-ad.mp4",
            captioned(wordsOf({ seconds: 1, hz: [1800] }), srt(["0,200", "0,800", "ad"])),
          ),
          insertAt: 2,
        },
      ],
    },
    { type: "subtitle", url: server.url("/it.srt"), languageName: "Italian", languageCode: "it-IT" },
  ];
  const italian = Buffer.from(srt(["0,000", "9,500", "tutto"]));
  server.add("/it.srt", { kind: "content", content: bufferContent(italian) });
  const { assetId, playbackId } = await platform.create(film, { inputs });
  await platform.until(assetId, isReady);
  const { tracks } = await platform.until(assetId, (media) => textTracks(media).length === 2);
  const shown = async (languageCode: string) => {
    const { id } = textTracks({ tracks }).find((track) => track.languageCode.startsWith(languageCode))!;
    const file = await (await fetch(`${platform.baseUrl}/${playbackId}/text/${id}.vtt`)).text();
    return [...file.matchAll(/00:00:(\S+) --> 00:00:(\S+)[^\n]*\n(\S+)/g)].map(([, from, to, text]) => [
      from,
      to,
      text,
    ]);
  };
  // The intro takes 2 s, what is put in 1 s, and 2 s are cut out behind it.
  expect(await shown("en")).toEqual([
    ["03.000", "04.000", "split"],
    ["04.200", "04.800", "ad"],
    ["05.000", "06.000", "split"],
    ["09.000", "10.000", "last"],
  ]);
  expect(await shown("it")).toEqual([
    ["02.000", "04.000", "tutto"],
    ["05.000", "07.000", "tutto"],
    ["07.000", "10.500", "tutto"],
  ]);
});

interface TextTrack {
  id: string;
  type: string;
  status: string;
  languageCode: string;
}
const textTracks = ({ tracks }: { tracks: unknown[] }) =>
  (tracks as TextTrack[]).filter(({ type, status }) => type === "subtitle" && status === "available");

test("an upload is put together with files that are fetched, once it is there", async () => {
  const settings = { accessPolicy: "public", inputs: [{ type: "video", introUrl: intro, expungeSegments: ["0-9"] }] };
  const asked = { corsOrigin: "*", pushMediaSettings: settings };
  const { body } = await platform.api<{ uploadId: string; url: string }>("POST", "/v1/on-demand/upload", asked);
  const file = await readFile(await madeFile(filmWords, "mp4"));
  const sent = await fetch(body.data.url, { method: "PUT", body: file });
  expect(sent.status).toBe(200);
  const { playbackIds, duration } = await platform.until(body.data.uploadId, isReady);
  expect(duration).toBe("00:00:03");
  const { pictures, sound } = await played(playbackIds[0]!.id);
  expect(readCounter(pictures[2 * RATE]!)).toBe(9 * RATE);
  expect([0.1, 2.1].map((seconds) => Math.round(toneAt(sound, seconds) / 100) * 100)).toEqual([1600, 1200]);
});

test.each([
  ["an intro that is not media", { introUrl: "/page" }, "source_not_media", "inputs[0].introUrl: "],
  ["an outro that is not there", { outroUrl: "/nothing" }, "source_not_found", "inputs[0].outroUrl: "],
  [
    "a clip that is put in behind the end",
    { segments: [{ url: "/ad.mp4", insertAt: 60 }] },
    "source_damaged",
    "inputs[0].url: ",
  ],
])("%s fails the media, and the message names it", async (_, edits, code, path) => {
  server.add("/page", { kind: "content", content: Buffer.from("<!doctype html><p>no film</p>".repeat(200)) });
  server.add("/nothing", { kind: "status", status: 404 });
  const absolute = JSON.parse(JSON.stringify(edits), (_key, value: unknown) =>
    typeof value === "string" && value.startsWith("/") ? server.url(value) : value,
  ) as object;
  const { assetId } = await platform.create(film, { inputs: [{ type: "video", url: film, ...absolute }] });
  const { error } = await platform.until(assetId, isFailed);
  expect(error).toMatchObject({ code, fault: "source" });
  expect(error!.message.startsWith(path)).toBe(true);
});
