/** Picture and sound that are put together from several files: a counter in the picture and tones tell what is shown and heard when. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { VideoJob } from "../../protocol/jobs.ts";
import type { SourceFacts } from "../../protocol/source-facts.ts";
import { TestEncoder } from "../support/encoder.ts";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { madeFile } from "../support/made.ts";
import { type DecodedPicture, decodePictures, decodeSound, gridFor, rungFor } from "../support/rendition.ts";
import { toneAt, tonesExpression } from "../support/tones.ts";

let encoder: TestEncoder;
let paths: string[];
let facts: SourceFacts[];
beforeAll(async () => {
  encoder = await TestEncoder.start();
  paths = [await wideFilm(), await narrowFilm(), await soundAlone()];
  facts = await Promise.all(paths.map((path) => encoder.probe(path)));
});
afterAll(() => encoder.stop());

const tones = (channels: 1 | 2, rateHz: number, seconds: number, ...hz: number[]) => {
  const expression = tonesExpression(hz.map((one, n) => ({ fromSeconds: 2 * n, hz: one })));
  const expressions = Array.from({ length: channels }, () => expression).join("|");
  return ["-f", "lavfi", "-i", `aevalsrc='${expressions}':s=${rateHz}:d=${seconds}`];
};
const encoded = (seconds: number) => `-t ${seconds} -c:v libx264 -preset ultrafast -g 40 -pix_fmt yuv420p`.split(" ");

/** 6 s of 25 pictures per second: 400, 600 and 800 Hz for two seconds each. */
const wideFilm = () =>
  madeFile([...countedFilm("25"), ...tones(2, 48_000, 6, 400, 600, 800), ...encoded(6), "-c:a", "aac"], "mp4");
/** 3 s of 30 pictures per second, the first of them after 25 ms, 4:3, with 1000 Hz in mono at another rate. */
const narrowFilm = () =>
  madeFile([...countedFilm("30", "320x240"), ...tones(1, 44_100, 3, 1000), ...encoded(3), "-c:a", "libmp3lame"], "mkv");
const soundAlone = () => madeFile([...tones(2, 48_000, 3, 1400), "-c:a", "flac"], "flac");

const clip = (startMs: number, endMs: number) => ({ startMs, endMs });
/** 2 s, 1.52 s, 2 s and 2 s, at 25 pictures per second. */
const TAKES = [
  { file: 0, clip: clip(1000, 3000), frameCount: 50 },
  { file: 1, clip: clip(500, 2000), frameCount: 38 },
  { file: 2, clip: clip(0, 2000), frameCount: 50 },
  { file: 0, clip: clip(4000, 6000), frameCount: 50 },
];

/** Encodes the output's frames in chunks of a second. */
async function encodePicture(): Promise<{ bytes: Buffer; inits: Set<string> }> {
  const rung = rungFor(320, 180);
  const montage: VideoJob["montage"] = { pictures: facts.map(({ video }) => video), takes: TAKES };
  const whole = TAKES.reduce((sum, { frameCount }) => sum + frameCount, 0);
  const pieces: Buffer[] = [];
  const inits = new Set<string>();
  for (let firstFrame = 0; firstFrame < whole; firstFrame += 25) {
    const frameCount = Math.min(25, whole - firstFrame);
    const range = { firstFrame, frameCount, firstSegment: firstFrame / 25 };
    const base = { kind: "video" as const, video: facts[0]!.video!, grid: gridFor(facts[0]!), rungs: [rung] };
    const { job, desk } = encoder.prepare(paths[0]!, { ...base, ...range, montage });
    desk.furtherPaths = paths.slice(1);
    await encoder.request("POST", "/jobs", job);
    const ending = await desk.ending;
    expect(ending).toMatchObject({ result: { frameCount } });
    const init = desk.objects.get("v/init.mp4")!;
    inits.add(init.toString("hex"));
    if (firstFrame === 0) pieces.push(init);
    for (let segment = range.firstSegment; desk.objects.has(`v/${segment}.m4s`); segment += 1)
      pieces.push(desk.objects.get(`v/${segment}.m4s`)!);
  }
  return { bytes: Buffer.concat(pieces), inits };
}

/** The middle of a picture of 4:3 in one of 16:9. */
const withoutBars = ({ luma, widthPx, heightPx }: DecodedPicture) => {
  const rows = Array.from({ length: heightPx }, (_, y) => luma.subarray(y * widthPx + 40, y * widthPx + 280));
  return { luma: Buffer.concat(rows), widthPx: 240, heightPx };
};
const mean = (samples: Uint8Array) => samples.reduce((sum, value) => sum + value, 0) / samples.length;

test("every take shows its pictures, fitted into one canvas, at the rate of the output, and black where a file has none", async () => {
  const { bytes, inits } = await encodePicture();
  expect(inits.size).toBe(1);
  const pictures = await decodePictures(bytes);
  expect(pictures.map(({ timeSeconds }) => Math.round(timeSeconds * 25))).toEqual(pictures.map((_, n) => n));
  const counted = (from: number, to: number) => pictures.slice(from, to).map((picture) => readCounter(picture));
  expect(counted(0, 50)).toEqual(Array.from({ length: 50 }, (_, n) => 25 + n));
  const narrow = pictures.slice(50, 88);
  expect(narrow.map((picture) => readCounter(withoutBars(picture)))).toEqual(
    Array.from({ length: 38 }, (_, n) => 14 + Math.floor((n * 30) / 25 + 0.55)),
  );
  for (const { luma, widthPx } of narrow)
    expect(mean(luma.subarray(90 * widthPx, 90 * widthPx + 36))).toBeCloseTo(16, 0);
  for (const { luma } of pictures.slice(88, 138)) expect(mean(luma)).toBeCloseTo(16, 0);
  expect(counted(138, 188)).toEqual(Array.from({ length: 50 }, (_, n) => 100 + n));
});

test("every take is heard in the format of the first, to the sample where it belongs", async () => {
  const ms = TAKES.map(({ file, clip: range, frameCount }) => ({ file, clip: range, durationMs: frameCount * 40 }));
  const { job, desk } = encoder.prepare(paths[0]!, {
    kind: "audio",
    audio: facts[0]!.audio[0]!,
    rendition: "a",
    bitrateBps: 128_000,
    segmentSeconds: { num: 1, den: 1 },
    durationMs: 7520,
    montage: { sounds: facts.map(({ audio }) => audio[0] ?? null), takes: ms },
  });
  desk.furtherPaths = paths.slice(1);
  await encoder.request("POST", "/jobs", job);
  expect(await desk.ending).toMatchObject({ result: { channels: 2 } });
  const pieces = ["init.mp4", ...Array.from({ length: 8 }, (_, index) => `${index}.m4s`)];
  const sound = await decodeSound(Buffer.concat(pieces.flatMap((name) => desk.objects.get(`a/${name}`) ?? [])));
  expect([sound.sampleRateHz, sound.channels, sound.largestHoleSeconds < 1e-4]).toEqual([48_000, 2, true]);
  const expected = [
    [0.1, 400],
    [0.9, 400],
    [1.1, 600],
    [1.95, 600],
    [2.03, 1000],
    [3.45, 1000],
    [3.55, 1400],
    [5.45, 1400],
    [5.55, 800],
    [7.4, 800],
  ] as const;
  const heard = expected.map(([seconds]) => [seconds, Math.round(toneAt(sound, seconds) / 100) * 100]);
  expect(heard).toEqual(expected.map((one) => [...one]));
});

test("a colour is the same colour in every take, whatever matrix its file has", async () => {
  const red = (size: string, matrix: "bt709" | "bt601", tags: string[]) =>
    madeFile(
      [
        "-f",
        "lavfi",
        "-i",
        `color=red:size=${size}:rate=25,format=rgb24,scale=out_color_matrix=${matrix}:out_range=tv,format=yuv420p`,
        ..."-t 1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p".split(" "),
        ...tags,
      ],
      "mp4",
    );
  const files = [
    await red("1280x720", "bt709", ["-colorspace", "bt709"]),
    await red("1280x720", "bt601", ["-colorspace", "smpte170m"]),
    await red("320x180", "bt601", []), // small pictures without a matrix have that of television
  ];
  const probed = await Promise.all(files.map((path) => encoder.probe(path)));
  const { job, desk } = encoder.prepare(files[0]!, {
    kind: "video",
    video: probed[0]!.video!,
    grid: gridFor(probed[0]!),
    rungs: [rungFor(320, 180)],
    firstFrame: 0,
    frameCount: 75,
    firstSegment: 0,
    montage: {
      pictures: probed.map(({ video }) => video),
      takes: files.map((_, file) => ({ file, clip: { startMs: 0, endMs: null }, frameCount: 25 })),
    },
  });
  desk.furtherPaths = files.slice(1);
  await encoder.request("POST", "/jobs", job);
  expect(await desk.ending).toMatchObject({ result: { frameCount: 75 } });
  const pieces = ["init.mp4", "0.m4s", "1.m4s", "2.m4s"].map((name) => desk.objects.get(`v/${name}`)!);
  const pictures = await decodePictures(Buffer.concat(pieces));
  // Red of BT.709 is 63, that of BT.601 is 81. Conversion rounds.
  const shown = [5, 30, 60].map((frame) => mean(pictures[frame]!.luma));
  for (const level of shown) expect(Math.abs(level - 63)).toBeLessThan(1.5);
});

describe("pictures that are copied", () => {
  const parts = [48, 72].map((frames) =>
    madeFile(
      [
        ...countedFilm("24"),
        ..."-c:v libx264 -preset veryfast -bf 2 -sc_threshold 0 -keyint_min 24 -g 24 -pix_fmt yuv420p".split(" "),
        "-frames:v",
        `${frames}`,
      ],
      "mp4",
    ),
  );
  async function copied(
    frameCounts: number[],
    range: { firstFrame: number; frameCount: number; firstSegment: number },
  ) {
    const files = await Promise.all(parts);
    const probed = await Promise.all(files.map((path) => encoder.probe(path)));
    const { job, desk } = encoder.prepare(files[0]!, {
      kind: "video",
      video: probed[0]!.video!,
      grid: gridFor(probed[0]!),
      rungs: [rungFor(320, 180, "top"), rungFor(160, 90)],
      ...range,
      montage: {
        pictures: probed.map(({ video }) => video),
        takes: frameCounts.map((frameCount, file) => ({ file, clip: { startMs: 0, endMs: null }, frameCount })),
        copiesTopRung: true,
      },
    });
    desk.furtherPaths = files.slice(1);
    await encoder.request("POST", "/jobs", job);
    return { ending: await desk.ending, desk };
  }
  const picturesOf = async (objects: Map<string, Buffer>, rung: string, segments: number[]) =>
    await decodePictures(
      Buffer.concat(["init.mp4", ...segments.map((n) => `${n}.m4s`)].map((name) => objects.get(`${rung}/${name}`)!)),
    );

  test("are those of the files, across a join and beside an encoded rung", async () => {
    const { ending, desk } = await copied([48, 72], { firstFrame: 24, frameCount: 72, firstSegment: 1 });
    expect(ending).toMatchObject({ result: { frameCount: 72, renditions: [{ name: "top" }, { name: "v" }] } });
    const [top, encoded] = await Promise.all(["top", "v"].map((rung) => picturesOf(desk.objects, rung, [1, 2, 3])));
    const expected = [...Array(24).keys()].map((n) => n + 24).concat([...Array(48).keys()]);
    expect(top!.map((one) => readCounter(one))).toEqual(expected);
    expect(encoded!.map((one) => readCounter(one))).toEqual(expected);
    expect(top!.map(({ timeSeconds }) => Math.round(timeSeconds * 24))).toEqual(expected.map((_, n) => n + 24));
    const files = await Promise.all(
      (await Promise.all(parts)).map(async (path) => decodePictures(await readFile(path))),
    );
    const sources = [...files[0]!.slice(24), ...files[1]!.slice(0, 48)];
    expect(top!.flatMap(({ luma }, n) => (luma.equals(sources[n]!.luma) ? [] : [n]))).toEqual([]);
  });

  test("fail the job when a file has fewer of them than its index said", async () => {
    const { ending } = await copied([48, 96], { firstFrame: 96, frameCount: 48, firstSegment: 4 });
    expect(ending).toMatchObject({ failure: { code: "source_damaged" } });
  });

  test("fail the job when a key frame is not where a segment begins", async () => {
    const { ending } = await copied([36, 72], { firstFrame: 24, frameCount: 48, firstSegment: 1 });
    expect(ending).toMatchObject({ failure: { code: "source_damaged" } });
  });
});
