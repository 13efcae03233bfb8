import type { SourceEnv, SourceLimits } from "./limits.ts";
import { SOURCE_LIMITS } from "./limits.ts";
import type { HostGuard } from "../../platform/network/index.ts";
import type { SourceAnswer } from "./safe-fetch.ts";
import { fetchSource } from "./safe-fetch.ts";
import { SourcePace } from "./source-pace.ts";
import { SourceError } from "./source-errors.ts";
import type { AnsweredFile } from "./source-status.ts";
import { answeredFile, isSameFile, parseContentRange } from "./source-status.ts";

/** A file whose properties are known from an earlier response. Later range requests must match them. */
export interface SeenSource {
  env: SourceEnv;
  url: string;
  file: AnsweredFile;
  limits: Partial<SourceLimits>;
  guard: HostGuard;
  signal?: AbortSignal;
  /** One pace for all reads. By default each range has its own. */
  pace?: SourcePace;
  /** Called once for each request. */
  onRequest?: () => void;
}

/**
 * Passes the bytes from `first` to `last` (inclusive) to `take`, piece by piece and in order. A piece's memory is reused once `take` has
 * resolved. A server may send less than requested (RFC 9110 §15.3.7); the rest is requested again.
 *
 * @throws {SourceError} source_length_mismatch when the server sends a different range, too many or too few bytes, or another version of
 *   the file; source_timed_out when it sends the range too slowly or in too many responses
 */
export async function fetchRange(
  source: SeenSource,
  first: number,
  last: number,
  take: (piece: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const ifRange = source.file.etag ?? source.file.lastModified;
  const limits = { ...SOURCE_LIMITS, ...source.limits };
  const pace = source.pace ?? new SourcePace(limits, limits.partMs);
  let next = first;
  for (let answers = 0; next <= last; answers++) {
    if (answers === limits.maxAnswersPerRange)
      throw new SourceError("source_timed_out", { detail: "too many answers" });
    source.onRequest?.();
    const answer = await fetchSource(source.env, source.url, {
      range: { first: next, last },
      limits: source.limits,
      pace,
      guard: source.guard,
      ...(ifRange === null ? {} : { ifRange }),
      ...(source.signal === undefined ? {} : { signal: source.signal }),
    });
    try {
      const end = endOfAnswer(answer, source.file, next, last);
      await takeExactly(answer, end - next, take);
      next = end;
    } catch (error) {
      await answer.body.cancel();
      throw error;
    }
  }
}

/** The end (exclusive) of the range in the response, after checking that it matches the request. */
function endOfAnswer(answer: SourceAnswer, file: AnsweredFile, first: number, last: number): number {
  if (answer.status === 200) throw new SourceError("source_length_mismatch", { detail: "the file has changed" });
  const range = parseContentRange(answer.headers.get("content-range"));
  if (range === null || range.first !== first || range.last < first || range.last > last) {
    throw new SourceError("source_length_mismatch", { detail: "another range than the one asked for" });
  }
  if (!isSameFile(file, answeredFile(answer))) {
    throw new SourceError("source_length_mismatch", { detail: "the file has changed" });
  }
  return range.last + 1;
}

async function takeExactly(answer: SourceAnswer, byteCount: number, take: (piece: Uint8Array) => void | Promise<void>) {
  let left = byteCount;
  for (let piece = await answer.body.read(); piece !== null; piece = await answer.body.read()) {
    left -= piece.byteLength;
    if (left < 0) break;
    await take(piece);
  }
  if (left !== 0) throw new SourceError("source_length_mismatch");
}
