/** An index at the limit fits into a Worker's 128 MB, at any position in its file. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MAX_MOOV_BYTES } from "../../../src/media/mp4/find-moov.ts";
import { WINDOWS_PER_INDEX } from "../../../src/media/mp4/index-bytes.ts";
import { longFilm } from "../../support/long-film.ts";

type Film = ReturnType<typeof longFilm>;
const CHILD = `${import.meta.dirname}/index-memory-child.ts`;

function bytesOf({ parts }: Film, first: number, last: number): Buffer {
  const bytes = Buffer.alloc(last + 1 - first);
  for (const [at, part] of parts)
    if (at <= last && at + part.length > first)
      part.copy(bytes, Math.max(0, at - first), Math.max(0, first - at), Math.min(part.length, last + 1 - at));
  return bytes;
}

async function serve(films: Record<string, Film>) {
  const server = createServer((request, response) => {
    const film = films[request.url!]!;
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range!)!;
    const last = Math.min(Number(to), film.fileBytes - 1);
    const body = bytesOf(film, Number(from), last);
    const headers = { "content-range": `bytes ${from}-${last}/${film.fileBytes}`, "content-length": body.length };
    response.writeHead(206, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function measure(server: { origin: string }, ...args: string[]) {
  const urls = [`${server.origin}/small`, `${server.origin}/large`];
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", CHILD, ...urls, ...args]);
  return JSON.parse(stdout) as { peakBytes: number; indexBytes: number; reads: number };
}

const timeout = 120_000;
test.each(["tail"] as const)(
  "an index of 50 MiB at the %s of its file needs at most 1.3 times the memory of its stored index",
  { timeout },
  fitsIntoMemory,
);
test.each(["head"] as const)(
  "an index of 50 MiB at the %s of its file needs at most 1.3 times the memory of its stored index",
  { timeout, tags: ["full"] },
  fitsIntoMemory,
);

async function fitsIntoMemory(indexAt: "head" | "tail"): Promise<void> {
  const [small, large] = [longFilm(1 / 60, indexAt), longFilm(11, indexAt)];
  expect(large.moovBytes / MAX_MOOV_BYTES).toBeGreaterThan(0.88);
  expect(large.moovBytes).toBeLessThan(MAX_MOOV_BYTES);
  const server = await serve({ "/small": small, "/large": large });
  const { peakBytes, indexBytes, reads } = await measure(server);
  const inOneBuffer = await measure(server, String(MAX_MOOV_BYTES));
  server.close();
  expect(indexBytes).toBeGreaterThan(10_000_000);
  expect(peakBytes / indexBytes).toBeLessThan(1.3);
  expect(reads).toBeLessThanOrEqual(2 * WINDOWS_PER_INDEX);
  expect(inOneBuffer.indexBytes).toBe(indexBytes);
  expect(inOneBuffer.peakBytes / indexBytes, "the measurement sees one buffer").toBeGreaterThan(3);
}
