/** Ranges of one file, read one after another: what is shown, and how often the file is read for it. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { decodedSound } from "../../encoder/media/decoded-sound.ts";
import { FilePictures } from "../../encoder/media/file-pictures.ts";
import { type OpenSource, openSource } from "../../encoder/media/source.ts";
import { CallbackServer } from "../support/callback-server.ts";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { madeFile } from "../support/made.ts";
import { sourceFacts } from "../support/source-facts.ts";

const callbacks = new CallbackServer();
beforeAll(() => callbacks.listen());
afterAll(() => callbacks.close());

const SECONDS = 60;
/** 25 pictures per second, 1,500 in all. */
const film = (keyEvery: number, extension: string, ...muxing: string[]) =>
  madeFile(
    [
      ...countedFilm("25"),
      ..."-f lavfi -i sine=duration=60 -c:a aac -c:v libx264 -preset ultrafast -pix_fmt yuv420p".split(" "),
      ...`-t ${SECONDS} -g ${keyEvery} -keyint_min ${keyEvery} -sc_threshold 0`.split(" "),
      ...muxing,
    ],
    extension,
  );

let jobs = 0;
async function opened(path: string, onRead = () => {}): Promise<OpenSource> {
  const { callbackUrl, token } = callbacks.open(`job-${++jobs}`, path);
  const target = { callbackUrl, token, expiresAt: Date.now() + 60_000 };
  return await openSource(target, { onRead, onWait: () => {} });
}

const facts = sourceFacts(SECONDS * 1000).video!;

/** The numbers of three pictures from a time on. */
async function shownFrom(file: FilePictures, seconds: number): Promise<(number | null)[]> {
  const numbers: (number | null)[] = [];
  for await (const { frame, timeSeconds } of file.from(seconds)) {
    if (timeSeconds > seconds - 1e-6) numbers.push(numberOf(frame));
    frame.free();
    if (numbers.length === 3) break;
  }
  return numbers;
}

function numberOf({ data, linesize, width, height }: Parameters<typeof readLuma>[0]): number | null {
  return readCounter(readLuma({ data, linesize, width, height }));
}
const readLuma = (frame: { data: Buffer[] | null; linesize: number[]; width: number; height: number }) => {
  const [widthPx, heightPx, stride] = [frame.width, frame.height, frame.linesize[0]!];
  const rows = Array.from({ length: heightPx }, (_, y) => frame.data![0]!.subarray(y * stride, y * stride + widthPx));
  return { luma: Buffer.concat(rows), widthPx, heightPx };
};

/** 50 ranges, the first of them at 20 s, more than half a second apart. */
const STARTS = Array.from({ length: 50 }, (_, n) => 20 + n * 0.72);
const expected = STARTS.map((seconds) => [0, 1, 2].map((n) => Math.round(seconds * 25) + n));

/** Shows every range, and counts the packets that are read for it. */
async function showAll(path: string): Promise<{ shown: (number | null)[][]; packets: number; openings: number }> {
  const file = new FilePictures(await opened(path), facts);
  let packets = 0;
  const formats = new Set<unknown>();
  const counted = () => {
    const { format } = file.source;
    if (formats.has(format)) return;
    formats.add(format);
    const read = format.readFrame.bind(format);
    vi.spyOn(format, "readFrame").mockImplementation((packet) => {
      packets += 1;
      return read(packet);
    });
  };
  const shown: (number | null)[][] = [];
  for (const seconds of STARTS) {
    counted();
    shown.push(await shownFrom(file, seconds));
  }
  await file.close();
  return { shown, packets, openings: formats.size };
}

test("a file with one key frame is decoded twice at most, however many ranges of it are shown", async () => {
  const { shown, packets } = await showAll(await film(99_999, "mp4"));
  expect(shown).toEqual(expected);
  expect(packets).toBeLessThan(2 * SECONDS * (25 + 44_100 / 1024)); // without sharing, 50 times two thirds of the file
});

test("ranges of a file with key frames are sought, and each shows its own pictures", async () => {
  const { shown } = await showAll(await film(25, "mp4"));
  expect(shown).toEqual(expected);
});

test("ranges in any order show their own pictures", async () => {
  const file = new FilePictures(await opened(await film(99_999, "mp4")), facts);
  const starts = [30, 30.12, 30.12, 40, 10, 41, 42, 41.96, 0, 59.8];
  const shown: (number | null)[][] = [];
  for (const seconds of starts) shown.push(await shownFrom(file, seconds));
  await file.close();
  expect(shown).toEqual(starts.map((seconds) => [0, 1, 2].map((n) => Math.round(seconds * 25) + n)));
});

test("a Matroska file without an index is read once for all ranges of its sound", async () => {
  let reads = 0; // of a quarter of a mebibyte, and one for each block of four of them
  const source = await opened(await film(250, "mkv", "-live", "1"), () => (reads += 1));
  const found: number[] = [];
  for (const seconds of STARTS) {
    for await (const { frame, seconds: at } of decodedSound(source, 1, seconds)) {
      found.push(at);
      frame.free();
      break;
    }
  }
  await source.format.closeInput();
  expect(found.map((at) => at <= 0 && at > -0.05)).toEqual(STARTS.map(() => true));
  const once = source.reader.sizeBytes / (1 << 18);
  expect(reads).toBeLessThan(STARTS.length + 4 * once); // without what the demuxer has learnt, some 30 times
});
