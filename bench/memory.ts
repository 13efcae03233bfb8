/** Memory of the Worker while a huge source is copied and played, and of the encoder's child at 1080p. */
import { readFileSync } from "node:fs";
import { startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { longFilm } from "../test/support/long-film.ts";
import { commandOf, descendantsOf } from "../test/support/processes.ts";
import { fileContent, type SourceContent, virtualContent } from "../test/support/source-content.ts";
import { startSourceServer, type SourceServer } from "../test/support/source-server.ts";
import type { Figure } from "./support/figures.ts";
import { type Heap, openHeap } from "./support/heap.ts";
import { fullHdMinute, standardSource } from "./support/sources.ts";

const MIB = 2 ** 20;
const SOURCE_BYTES = Number(process.env.BENCH_SOURCE_BYTES ?? 5e9);
/** Long enough to show growth. */
const COPY_MS = 60_000;
const ENCODE_MS = 60_000;
const SAMPLE_MS = 100;
const mebibytes = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** `VmRSS` (current) or `VmHWM` (peak) of a process, in bytes; 0 once it has ended. */
function residentBytes(pid: number, field: "VmRSS" | "VmHWM"): number {
  try {
    const kibibytes = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function workerdOf(platform: TestPlatform): number {
  const host = platform.pids.worker();
  const found = host === undefined ? undefined : descendantsOf(host).find((pid) => commandOf(pid).includes("workerd"));
  if (found === undefined) throw new Error("workerd is not running");
  return found;
}

/** An hour of film, followed by padding: players read the film, the copy reads everything. */
async function hugeContent(): Promise<SourceContent & { close(): Promise<void> }> {
  const film = await fileContent(standardSource(3600));
  const rest = virtualContent(SOURCE_BYTES);
  return {
    size: SOURCE_BYTES,
    async read(offset, length) {
      if (offset >= film.size) return rest.read(offset, length);
      const bytes = await film.read(offset, length);
      if (bytes.length === length) return bytes;
      return Buffer.concat([bytes, await rest.read(film.size, length - bytes.length)]);
    },
    close: () => film.close(),
  };
}

interface WorkerSample {
  atMs: number;
  heapBytes: number;
  rssBytes: number;
}

interface WorkerMemory {
  idleHeapBytes: number;
  idleRssBytes: number;
  samples: WorkerSample[];
  copiedBytes: number;
  segments: number;
}

/** Samples memory while the source is copied and a viewer continuously reads segments of picture and sound. */
async function measureWorker(platform: TestPlatform, server: SourceServer, heap: Heap): Promise<WorkerMemory> {
  const pid = workerdOf(platform);
  const [idleHeapBytes, idleRssBytes] = [await heap.bytes(), residentBytes(pid, "VmRSS")];
  server.add("/huge.mp4", { kind: "content", content: await hugeContent() });
  const { assetId, playbackId } = await platform.create(server.url("/huge.mp4"));
  const base = `${platform.baseUrl}/${playbackId}`;
  const startedAt = performance.now();
  const samples: WorkerSample[] = [];
  let segments = 0;
  const viewing = new AbortController();
  const viewer = async () => {
    for (let segment = 0; !viewing.signal.aborted; segment = (segment + 1) % 900) {
      for (const rendition of ["source-v", "source-a1"]) {
        const answer = await fetch(`${base}/${rendition}/${segment}.m4s`);
        if ((await answer.arrayBuffer()).byteLength > 0 && answer.ok) segments += 1;
      }
    }
  };
  const isCopied = async () => {
    const { body } = await platform.api("GET", `/v1/on-demand/${assetId}`);
    if (body.data.error !== undefined) throw new Error(`the copy failed: ${JSON.stringify(body.data.error)}`);
    return body.data.progress !== undefined && !["created", "downloading"].includes(body.data.progress.stage);
  };
  await platform.until(assetId, ({ tracks }) => tracks.length > 0);
  const viewed = viewer();
  let askedAt = 0;
  while (performance.now() - startedAt < COPY_MS) {
    const atMs = Math.round(performance.now() - startedAt);
    samples.push({ atMs, heapBytes: await heap.bytes(), rssBytes: residentBytes(pid, "VmRSS") });
    if (atMs - askedAt > 2000) {
      askedAt = atMs;
      console.error(`  ${Math.round(atMs / 1000)} s: ${Math.round(server.sentBytes / 1e6)} MB sent`);
      if (await isCopied()) break;
    }
    await pause(SAMPLE_MS);
  }
  viewing.abort();
  await viewed;
  await platform.api("DELETE", `/v1/on-demand/${assetId}`);
  return { idleHeapBytes, idleRssBytes, samples, copiedBytes: server.sentBytes, segments };
}

/** The isolate's peak memory, relative to before, while the index of a film of eleven hours is read and stored. */
async function measureIndex(platform: TestPlatform, server: SourceServer, heap: Heap) {
  const film = longFilm(11, "head");
  server.add("/long.mp4", { kind: "content", content: virtualContent(film.fileBytes, film.parts[0][1]) });
  const before = await heap.bytes();
  const startedAt = performance.now();
  let peak = before;
  const indexed = new AbortController();
  const sampler = async () => {
    while (!indexed.signal.aborted) peak = Math.max(peak, await heap.bytes());
  };
  const sampled = sampler();
  const { assetId } = await platform.create(server.url("/long.mp4"));
  await platform.until(assetId, ({ tracks }) => tracks.length > 0).finally(() => indexed.abort());
  await sampled;
  const indexMs = Math.round(performance.now() - startedAt);
  await platform.api("DELETE", `/v1/on-demand/${assetId}`);
  return { bytes: peak - before, moovBytes: film.moovBytes, indexMs };
}

/** Peak memory of an encoder's child during the encoding of the four rungs of 1080p. */
async function measureChild(platform: TestPlatform, server: SourceServer): Promise<number> {
  server.add("/full-hd.mp4", { kind: "content", content: await fileContent(fullHdMinute()) });
  const { assetId } = await platform.create(server.url("/full-hd.mp4"));
  const encoder = platform.pids.encoder();
  if (encoder === undefined) throw new Error("the encoder is not running");
  let most = 0;
  const startedAt = performance.now();
  let isReady = false;
  while (!isReady && performance.now() - startedAt < ENCODE_MS) {
    for (const pid of descendantsOf(encoder)) most = Math.max(most, residentBytes(pid, "VmHWM"));
    const { body } = await platform.api("GET", `/v1/on-demand/${assetId}`);
    if (body.data.error !== undefined) throw new Error(`encoding failed: ${JSON.stringify(body.data.error)}`);
    isReady = body.data.status === "Ready";
    await pause(SAMPLE_MS);
  }
  await platform.api("DELETE", `/v1/on-demand/${assetId}`);
  return most;
}

export async function run(): Promise<Figure[]> {
  const vars = { MAX_SOURCE_BYTES: String(Math.max(SOURCE_BYTES + 1, 1e12)) };
  const [server, platform] = [await startSourceServer(), await startTestPlatform({ inspected: true, vars })];
  try {
    const heap = await openHeap(platform.settings.inspectorPort!, "sluice");
    const index = await measureIndex(platform, server, heap);
    const worker = await measureWorker(platform, server, heap);
    heap.close();
    const peakHeap = Math.max(...worker.samples.map(({ heapBytes }) => heapBytes));
    const peakRss = Math.max(...worker.samples.map(({ rssBytes }) => rssBytes));
    const child = await measureChild(platform, server);
    return [
      {
        name: `isolate of the Worker while it reads an index of ${mebibytes(index.moovBytes)}`,
        value: `${mebibytes(index.bytes)} more`,
        yardstick: `playable after ${index.indexMs} ms`,
        aim: "less than the index",
        isMet: index.bytes < index.moovBytes,
        raw: index,
      },
      {
        name: `isolate of the Worker, source of ${(SOURCE_BYTES / 1e9).toFixed(1)} GB`,
        value: `at most ${mebibytes(peakHeap)}`,
        yardstick: `idle ${mebibytes(worker.idleHeapBytes)}; ${Math.round(worker.copiedBytes / 1e6)} MB sent, ${worker.segments} segments watched`,
        aim: "< 128 MB",
        isMet: peakHeap < 128e6,
        raw: worker,
      },
      {
        name: "workerd as a whole, with R2, D1 and queues",
        value: `at most ${mebibytes(peakRss)}`,
        yardstick: `idle ${mebibytes(worker.idleRssBytes)}`,
        aim: "",
        isMet: null,
        raw: null,
      },
      {
        name: "the encoder's child at 1080p",
        value: `at most ${mebibytes(child)}`,
        yardstick: "",
        aim: "< 1 GiB",
        isMet: child < 2 ** 30,
        raw: { bytes: child },
      },
    ];
  } finally {
    await platform.stop();
    await platform.removeHome();
    await server.stop();
  }
}
