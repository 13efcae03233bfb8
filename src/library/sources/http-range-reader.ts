import { createBlockCache } from "./block-cache.ts";
import type { SourceEnv, SourceLimits } from "./limits.ts";
import { maxSourceBytes, SOURCE_LIMITS } from "./limits.ts";
import type { RangeReader } from "../../media/mp4/range-reader.ts";
import type { SeenSource } from "./ranged-get.ts";
import { fetchRange } from "./ranged-get.ts";
import { createHostGuard } from "../../platform/network/index.ts";
import type { SourceAnswer } from "./safe-fetch.ts";
import { fetchSource } from "./safe-fetch.ts";
import type { SourcePace } from "./source-pace.ts";
import { SourceError } from "./source-errors.ts";
import { answeredFile, parseContentRange } from "./source-status.ts";

/** A source read over HTTP, whose first bytes have already been fetched. */
export interface HttpSource extends RangeReader {
  /** False: only the first block can be read; `read` beyond it throws `RangesUnsupported`. */
  readonly supportsRanges: boolean;
  readonly contentType: string | null;
  /** A strong validator, or null. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Requests made so far, the first one included; redirects are not counted. */
  readonly requestCount: number;
}

/** The server does not support ranges: the file has to be copied before random access is possible. */
export class RangesUnsupported extends Error {
  override readonly name = "RangesUnsupported";
}

export interface HttpSourceOptions {
  /** Length of the first request; a multiple of `blockBytes`. */
  firstBytes?: number;
  /** Later requests read whole blocks of this size; adjacent blocks share one request. */
  blockBytes?: number;
  /** Capacity of the block cache. The bytes of the first request are always kept and do not count. */
  cacheBytes?: number;
  limits?: Partial<SourceLimits>;
  /** One pace for all reads: the time of reads at the same time counts several times. By default each read has its own. */
  pace?: SourcePace;
  signal?: AbortSignal;
}

const KIB = 1024;

/**
 * Opens a source with one request that also fetches its first bytes, where most files have their index. A small index needs no further
 * request.
 *
 * @throws {SourceError} also source_empty, and source_too_large beyond MAX_SOURCE_BYTES
 */
export async function openHttpSource(
  env: SourceEnv,
  url: string,
  options: HttpSourceOptions = {},
): Promise<HttpSource> {
  const {
    firstBytes = 512 * KIB,
    blockBytes = 256 * KIB,
    cacheBytes = 8192 * KIB,
    limits = {},
    signal,
    pace,
  } = options;
  const guard = createHostGuard(env, { ...SOURCE_LIMITS, ...limits });
  const shared = { ...(signal === undefined ? {} : { signal }), ...(pace === undefined ? {} : { pace }) };
  const answer = await fetchSource(env, url, {
    range: { first: 0, last: firstBytes - 1 },
    limits,
    guard,
    ...shared,
  });
  const { file, size, supportsRanges, head } = await readOpening(answer, firstBytes, maxSourceBytes(env));

  let requestCount = 1;
  const seen: SeenSource = { env, url, file, limits, guard, onRequest: () => requestCount++, ...shared };
  const cache = createBlockCache(blockBytes, cacheBytes, (offset, length) => fetchBytes(seen, offset, length));
  const requireRanges = () => {
    if (!supportsRanges || size === null) throw new RangesUnsupported("the source's server does not support ranges");
    return size;
  };
  return {
    size,
    fetchedBytes: head.byteLength,
    supportsRanges,
    contentType: answer.headers.get("content-type"),
    etag: file.etag,
    lastModified: file.lastModified,
    get requestCount() {
      return requestCount;
    },
    async read(offset, length) {
      const end = Math.min(offset + length, size ?? Infinity);
      if (end <= offset) return new Uint8Array(0);
      if (end <= head.byteLength) return head.slice(offset, end);
      const fileBytes = requireRanges();
      // Through the cache it would be in memory three times: as the response, as blocks, and joined.
      if (end - offset > cacheBytes) return fetchBytes(seen, offset, end - offset);
      return cache.read(offset, end - offset, fileBytes);
    },
    async readInto(offset, target) {
      const length = Math.min(target.byteLength, requireRanges() - offset);
      if (length > 0) await fetchInto(seen, offset, target.subarray(0, length));
      return Math.max(0, length);
    },
  };
}

/** The first `firstBytes` of the file, and its properties from the response headers. */
async function readOpening(answer: SourceAnswer, firstBytes: number, maxBytes: number) {
  try {
    return await checkOpening(answer, firstBytes, maxBytes);
  } finally {
    await answer.body.cancel();
  }
}

async function checkOpening(answer: SourceAnswer, firstBytes: number, maxBytes: number) {
  const file = answeredFile(answer);
  const range = answer.status === 206 ? parseContentRange(answer.headers.get("content-range")) : null;
  if (answer.status === 206 && (range === null || range.first !== 0 || range.last >= firstBytes)) {
    throw new SourceError("source_length_mismatch", { detail: "another range than the one asked for" });
  }
  if (file.size !== null && file.size > maxBytes) throw new SourceError("source_too_large");
  const announced = range === null ? file.size : range.last + 1;
  const buffer = new Uint8Array(Math.min(firstBytes, announced ?? Infinity));
  const filled = await answer.body.readInto(buffer);
  if (announced !== null && filled < buffer.byteLength) throw new SourceError("source_length_mismatch");
  if (filled === 0) throw new SourceError("source_empty");
  const endedEarly = range === null && filled < firstBytes;
  return {
    file,
    head: buffer.subarray(0, filled),
    size: file.size ?? (endedEarly ? filled : null),
    supportsRanges: range !== null && file.size !== null,
  };
}

async function fetchBytes(seen: SeenSource, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  await fetchInto(seen, offset, bytes);
  return bytes;
}

async function fetchInto(seen: SeenSource, offset: number, target: Uint8Array): Promise<void> {
  let filled = 0;
  await fetchRange(seen, offset, offset + target.byteLength - 1, (piece) => {
    target.set(piece, filled);
    filled += piece.byteLength;
  });
}
