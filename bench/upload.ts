/** Uploads: throughput compared with a Worker that only pipes the chunks to R2, and the time to the first segment. */
import { openSync, readFileSync, readSync } from "node:fs";
import { firstSegment } from "../scripts/demo/journey.ts";
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import { standardSource } from "./support/sources.ts";

const MIB = 2 ** 20;
const CHUNK_BYTES = 16 * MIB;
const UPLOAD_BYTES = Number(process.env.BENCH_UPLOAD_BYTES ?? 1e9);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 2);
const THROUGHPUT_AIM = 0.85;
const LAST_BYTE_AIM_MS = 300;
const FIRST_SEGMENT_AIM_MS = 1000;
const POLL_MS = 10;
const PLAYABLE_LIMIT_MS = 30_000;
/** 50 MB, followed by padding. */
const FILM_SECONDS = 600;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** A film with its index in front, and padding after it. */
function openFilm(): (first: number, end: number) => Buffer<ArrayBuffer> {
  const file = openSync(standardSource(FILM_SECONDS), "r");
  return (first, end) => {
    const bytes = Buffer.alloc(end - first);
    readSync(file, bytes, 0, bytes.byteLength, first);
    return bytes;
  };
}

interface Sent {
  ms: number;
  /** From the answer to the first chunk, which holds the first segment, to that segment. */
  firstSegmentMs: number;
  /** From the answer to the last chunk to the first segment. */
  lastByteMs: number;
}

async function upload({ baseUrl, authorization }: BenchHost, read: ReturnType<typeof openFilm>): Promise<Sent> {
  const response = await fetch(`${baseUrl}/v1/on-demand/upload`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ corsOrigin: "*" }),
  });
  const { playback_id, data } = (await response.json()) as { playback_id: string; data: { url: string } };
  const untilPlayable = async (): Promise<number> => {
    const from = performance.now();
    while ((await firstSegment(`${baseUrl}/${playback_id}.m3u8`)) === null) {
      if (performance.now() - from > PLAYABLE_LIMIT_MS) throw new Error("the upload does not play");
      await pause(POLL_MS);
    }
    return performance.now() - from;
  };
  let firstSegmentMs = 0;
  const ms = await sendChunks(read, async (body, first) => {
    const range = `bytes ${first}-${first + body.byteLength - 1}/${UPLOAD_BYTES}`;
    const { status } = await fetch(data.url, { method: "PUT", headers: { "content-range": range }, body });
    if (status !== 308 && status !== 200) throw new Error(`a chunk was answered ${status}`);
    if (first > 0) return 0;
    firstSegmentMs = await untilPlayable();
    return firstSegmentMs;
  });
  return { ms, firstSegmentMs, lastByteMs: await untilPlayable() };
}

const pipe = ({ baseUrl }: BenchHost, read: ReturnType<typeof openFilm>): Promise<number> =>
  sendChunks(read, async (body, first) => {
    const { status } = await fetch(`${baseUrl}/bare/pipe/${first}`, { method: "PUT", body });
    if (status !== 200) throw new Error(`a chunk was answered ${status}`);
    return 0;
  });

/** @param send returns the time that does not count. @returns ms for all chunks */
async function sendChunks(
  read: ReturnType<typeof openFilm>,
  send: (body: Buffer<ArrayBuffer>, first: number) => Promise<number>,
): Promise<number> {
  let ms = 0;
  for (let first = 0; first < UPLOAD_BYTES; first += CHUNK_BYTES) {
    const body = read(first, Math.min(first + CHUNK_BYTES, UPLOAD_BYTES));
    const from = performance.now();
    const apart = await send(body, first);
    ms += performance.now() - from - apart;
  }
  return ms;
}

/** Resident memory of the host's processes, in bytes. */
const residentBytes = (host: BenchHost): number =>
  host.processIds().reduce((sum, pid) => {
    const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return sum + Number(kibibytes ?? 0) * 1024;
  }, 0);

export async function run(): Promise<Figure[]> {
  const [host, read] = [await startBenchHost(), openFilm()];
  try {
    await pipe(host, read); // so that neither is measured while the Worker warms up
    const sent: Sent[] = [];
    const piped: number[] = [];
    const resident: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      sent.push(await upload(host, read));
      resident.push(residentBytes(host));
      piped.push(await pipe(host, read));
    }
    const rate = (ms: number) => (UPLOAD_BYTES / MIB / ms) * 1000;
    const [product, yardstick] = [rate(median(sent.map(({ ms }) => ms))), rate(median(piped))];
    const lastByteMs = median(sent.map((one) => one.lastByteMs));
    const firstSegmentMs = median(sent.map((one) => one.firstSegmentMs));
    return [
      {
        name: "upload in chunks of 16 MiB",
        value: `${Math.round(product)} MiB/s`,
        yardstick: `${(product / yardstick).toFixed(2)} × a Worker that pipes the chunks to R2 (${Math.round(yardstick)} MiB/s)`,
        aim: `≥ ${THROUGHPUT_AIM} ×`,
        isMet: product / yardstick >= THROUGHPUT_AIM,
        raw: { sent, piped },
      },
      {
        name: "last byte to first segment",
        value: milliseconds(lastByteMs),
        yardstick: "",
        aim: `≤ ${LAST_BYTE_AIM_MS} ms`,
        isMet: lastByteMs <= LAST_BYTE_AIM_MS,
        raw: sent.map((one) => one.lastByteMs),
      },
      {
        name: "first segment while uploading, after its bytes",
        value: milliseconds(firstSegmentMs),
        yardstick: "",
        aim: `≤ ${FIRST_SEGMENT_AIM_MS} ms`,
        isMet: firstSegmentMs <= FIRST_SEGMENT_AIM_MS,
        raw: sent.map((one) => one.firstSegmentMs),
      },
      {
        name: "memory of the Worker after each upload",
        value: resident.map((bytes) => `${Math.round(bytes / MIB)} MiB`).join(", "),
        yardstick: "",
        aim: "flat",
        isMet: null,
        raw: resident,
      },
    ];
  } finally {
    await host.stop();
  }
}
