/** Pictures: the first view of a thumbnail, cached ones a second, and the sheet of ten minutes. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openDecoder, receivedFrames } from "../encoder/media/decode.ts";
import { openBytes } from "../encoder/images/media-bytes.ts";
import { isReady, startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { fileContent } from "../test/support/source-content.ts";
import { startSourceServer } from "../test/support/source-server.ts";
import { readPackets } from "../encoder/images/frames.ts";
import { startBenchHost } from "./support/bench-host.ts";
import { comparedFigure } from "./support/compared-figure.ts";
import { type Figure, median, milliseconds, quantile } from "./support/figures.ts";
import { fullHdMinute, smallTenMinutes } from "./support/sources.ts";

const runFile = promisify(execFile);
const VIEWS = Number(process.env.BENCH_PICTURES ?? 40);
const GOP_SECONDS = 2;

async function bytesOf(url: string, range?: string): Promise<Buffer> {
  const answer = await fetch(url, range === undefined ? {} : { headers: { range } });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
}

async function readyMedia(platform: TestPlatform, url: string): Promise<string> {
  const { assetId, playbackId } = await platform.create(url);
  await platform.until(assetId, isReady, 900_000);
  return `${platform.baseUrl}/${playbackId}`;
}

/** Decodes every frame of a GOP with libav in this process. @returns ms */
async function decodeGop(bytes: Buffer): Promise<number> {
  const startedMs = performance.now();
  const opened = await openBytes(bytes);
  using decoder = await openDecoder(opened.video, 4);
  for (const packet of [...(await readPackets(opened)), null]) {
    await decoder.sendPacket(packet);
    for await (using _ of receivedFrames(decoder));
    packet?.free();
  }
  await opened.close();
  return performance.now() - startedMs;
}

/** The largest rung's name, and its GOPs as byte ranges of segments, from its I-frame playlist. */
async function gopsOf(base: string): Promise<{ rung: string; ranges: { segment: string; offset: number }[] }> {
  const multivariant = (await bytesOf(`${base}.m3u8`)).toString();
  const rungs = [...multivariant.matchAll(/RESOLUTION=(\d+)x\d+,URI="[^"]*\/(v\d+)\/iframes\.m3u8"/g)];
  const [largest] = rungs.toSorted((a, b) => Number(b[1]) - Number(a[1]));
  const rung = largest![2]!;
  const frames = (await bytesOf(`${base}/${rung}/iframes.m3u8`)).toString();
  const ranges = [...frames.matchAll(/#EXT-X-BYTERANGE:\d+@(\d+)\n(\S+)/g)];
  return { rung, ranges: ranges.map(([, offset, segment]) => ({ segment: segment!, offset: Number(offset) })) };
}

/** First views at times in different GOPs, each compared with decoding its whole GOP. */
async function firstViews(base: string): Promise<Figure[]> {
  const { rung, ranges } = await gopsOf(base);
  const init = await bytesOf(`${base}/${rung}/init.mp4`);
  await bytesOf(`${base}/thumbnail.jpg?time=0.5`); // the first picture of all starts what stays
  const rounds: { viewMs: number; decodeMs: number }[] = [];
  for (let n = 0; n < VIEWS; n += 1) {
    const gop = 1 + (n % (ranges.length - 2));
    const time = gop * GOP_SECONDS + 0.1 + ((n * 7) % 18) / 10;
    const { segment, offset } = ranges[gop]!;
    const next = ranges[gop + 1]!;
    const end = next.segment === segment ? String(next.offset - 1) : "";
    const media = Buffer.concat([init, await bytesOf(`${base}/${rung}/${segment}`, `bytes=${offset}-${end}`)]);
    const startedMs = performance.now();
    await bytesOf(`${base}/thumbnail.jpg?time=${time.toFixed(3)}`);
    rounds.push({ viewMs: performance.now() - startedMs, decodeMs: await decodeGop(media) });
  }
  const [view, decode] = [
    quantile(
      rounds.map(({ viewMs }) => viewMs),
      0.95,
    ),
    quantile(
      rounds.map(({ decodeMs }) => decodeMs),
      0.95,
    ),
  ];
  const against = `libav decodes the GOP in ${milliseconds(decode)} (p95, ${rung})`;
  return [
    {
      name: "thumbnail, first view, p95",
      value: milliseconds(view),
      yardstick: "",
      aim: "≤ 500 ms",
      isMet: view <= 500,
      raw: rounds,
    },
    {
      name: "the same against its GOP",
      value: `${(view / decode).toFixed(2)} ×`,
      yardstick: against,
      aim: "≤ 1.50 ×",
      isMet: view / decode <= 1.5,
      raw: rounds,
    },
  ];
}

/** Requests for sheets of ten minutes, each compared with an ffmpeg command that decodes the same key frames of the same rung. */
async function sheets(base: string): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-sheet-"));
  try {
    const names = (await bytesOf(`${base}/v270.m3u8`)).toString().match(/^v270\/\d+\.m4s$/gm) ?? [];
    const parts = [await bytesOf(`${base}/v270/init.mp4`)];
    for (const name of names) parts.push(await bytesOf(`${base}/${name}`));
    const film = join(folder, "film.mp4");
    await writeFile(film, Buffer.concat(parts));
    const rounds: { sheetMs: number; commandMs: number }[] = [];
    for (const interval of [10, 8, 6, 4]) {
      const startedMs = performance.now();
      await bytesOf(`${base}/advanced-spritesheet.jpg?interval=${interval}`);
      const sheetMs = performance.now() - startedMs;
      const columns = Math.ceil(Math.sqrt(600 / interval));
      const filter = `select='not(mod(n,${interval / GOP_SECONDS}))',scale=160:90:flags=bicubic,tile=${columns}x${columns}`;
      const words = ["-v", "error", "-y", "-skip_frame", "nokey", "-i", film, "-vf", filter, "-vsync", "passthrough"];
      const commandAt = performance.now();
      await runFile(process.env.FFMPEG ?? "ffmpeg", [
        ...words,
        "-frames:v",
        "1",
        "-q:v",
        "3",
        join(folder, "sheet.jpg"),
      ]);
      rounds.push({ sheetMs, commandMs: performance.now() - commandAt });
    }
    const ratio = median(rounds.map(({ sheetMs, commandMs }) => sheetMs / commandMs));
    const took = milliseconds(median(rounds.map(({ commandMs }) => commandMs)));
    return {
      name: "sheet of ten minutes",
      value: `${ratio.toFixed(2)} × (${milliseconds(median(rounds.map(({ sheetMs }) => sheetMs)))})`,
      yardstick: `one ffmpeg command on the same key frames: ${took}`,
      aim: "≤ 1.20 ×",
      isMet: ratio <= 1.2,
      raw: rounds,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Made pictures a second, against a bare route that reads the same object. */
async function cached(): Promise<Figure> {
  const host = await startBenchHost();
  try {
    const seeded = await fetch(`${host.baseUrl}/bare/seed-image`, { method: "POST" });
    const { path, key } = (await seeded.json()) as { path: string; key: string };
    const get = (to: string) => ({ method: "GET", path: to, status: 200 }) as const;
    return await comparedFigure(host.baseUrl, {
      name: "made thumbnails a second",
      product: get(path),
      yardstick: get(`/bare/object/${key}`),
      against: "a bare route reading R2",
      aim: 0.5,
    });
  } finally {
    await host.stop();
  }
}

export async function run(): Promise<Figure[]> {
  const server = await startSourceServer();
  const platform = await startTestPlatform();
  try {
    for (const [name, path] of Object.entries({ "hd.mp4": fullHdMinute(), "long.mp4": smallTenMinutes() }))
      server.add(`/${name}`, { kind: "content", content: await fileContent(path) });
    const hd = await readyMedia(platform, server.url("/hd.mp4"));
    const figures = await firstViews(hd);
    const long = await readyMedia(platform, server.url("/long.mp4"));
    figures.push(await sheets(long));
    await platform.stop();
    return [...figures, await cached()];
  } finally {
    await platform.stop();
    await Promise.all([platform.removeHome(), server.stop()]);
  }
}
