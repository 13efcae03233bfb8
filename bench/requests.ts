/** Requests per second, each compared with a bare Hono route that uses the stores in the same way, in the same workerd. */
import { createServer, type AddressInfo } from "node:net";
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import { type ComparedLoads, comparedFigure } from "./support/compared-figure.ts";
import { type BenchSession, startBenchSession } from "./support/live-session.ts";
import type { Figure } from "./support/figures.ts";
import type { Load } from "./support/load.ts";

const get = (path: string): Load => ({ method: "GET", path, status: 200 });

const sizeOf = async (baseUrl: string, path: string): Promise<number> =>
  (await (await fetch(`${baseUrl}${path}`)).arrayBuffer()).byteLength;

async function playbackCases({ baseUrl }: BenchHost): Promise<ComparedLoads[]> {
  const seeded = await fetch(`${baseUrl}/bare/seed`, { method: "POST" });
  const { playbackId, rendition, segmentKey, initKey } = (await seeded.json()) as Record<string, string>;
  const playlist = `/${playbackId}/${rendition}.m3u8`;
  const multivariant = `/${playbackId}.m3u8`;
  return [
    {
      name: "media playlist of ten minutes",
      aim: 0.75,
      product: get(playlist),
      yardstick: get(`/bare/text/${await sizeOf(baseUrl, playlist)}`),
      against: "a bare route with as much text",
    },
    {
      name: "multivariant playlist",
      aim: 0.75,
      product: get(multivariant),
      yardstick: get(`/bare/text/${await sizeOf(baseUrl, multivariant)}`),
      against: "a bare route with as much text",
    },
    {
      name: "init segment",
      aim: null,
      product: get(`/${playbackId}/${rendition}/init.mp4`),
      yardstick: get(`/bare/object/${initKey}`),
      against: "a bare route reading R2",
    },
    {
      name: "segment of 500 kB",
      aim: null,
      product: get(`/${playbackId}/${rendition}/0.m4s`),
      yardstick: get(`/bare/object/${segmentKey}`),
      against: "a bare route reading R2",
    },
  ];
}

/**
 * The creation alone, as when machines run on other hosts; then with its machines in the same thread: each opens its own database, writes its
 * state, updates the catalogue and requests its source, which never answers.
 */
function creationCases({ authorization }: BenchHost, sourceUrl: string): ComparedLoads[] {
  const body = JSON.stringify({
    inputs: [{ type: "video", url: sourceUrl }],
    accessPolicy: "public",
    title: "A film",
    metadata: { campaign: "spring" },
  });
  const headers = { authorization, "content-type": "application/json" };
  const product = { method: "POST", path: "/v1/on-demand", headers, body, status: 201 } as const;
  const yardstick = { ...product, path: "/bare/creation" };
  const against = "a bare route with the same rows";
  return [
    {
      name: "POST, the request alone",
      aim: 0.6,
      product: { ...product, headers: { ...headers, "x-without-machines": "1" } },
      yardstick,
      against,
    },
    {
      name: "POST and the start of its machine",
      aim: 0.6,
      product,
      yardstick: { ...yardstick, path: "/bare/creation?taken-over" },
      against: "the same, and the row a machine changes",
    },
  ];
}

async function livePlaybackCases(
  { baseUrl }: BenchHost,
  { multivariantPath, playlistPath }: BenchSession,
): Promise<ComparedLoads[]> {
  const paths = { "live media playlist, 16 s in parts": playlistPath, "live multivariant playlist": multivariantPath };
  return await Promise.all(
    Object.entries(paths).map(async ([name, path]) => ({
      name,
      aim: null,
      product: get(path),
      yardstick: get(`/bare/text/${await sizeOf(baseUrl, path)}`),
      against: "a bare route with as much text",
    })),
  );
}

async function startSilentServer(): Promise<{ url: string; stop: () => void }> {
  const server = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/film.mp4`, stop: () => server.close() };
}

export async function run(): Promise<Figure[]> {
  const silent = await startSilentServer();
  const host = await startBenchHost();
  let session: BenchSession | undefined;
  const figures: Figure[] = [];
  try {
    session = await startBenchSession(host);
    const playback = [...(await playbackCases(host)), ...(await livePlaybackCases(host, session))];
    for (const one of [...playback, ...creationCases(host, silent.url)])
      figures.push(await comparedFigure(host.baseUrl, one));
  } finally {
    session?.stop();
    await host.stop();
    silent.stop();
  }
  return figures;
}
