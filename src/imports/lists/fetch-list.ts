import { fetchSource, SourceError } from "../../library/sources/index.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { ListFormat } from "../sources/list.ts";
import { SourceFailure } from "../sources/source.ts";
import { formatOfPath, readContentType } from "./format-of.ts";
import { decodeText } from "./parse/decode-text.ts";
import { receiveList, type ReceivedList } from "./receive-list.ts";

/** Between a failure that may pass and the next call. */
const RETRY_AFTER_MS = 60_000;

type Answer = Awaited<ReturnType<typeof fetchSource>>;

/**
 * Fetches a list from its owner's server, as any source is fetched, and stores it like one that is sent.
 *
 * @param format null = what the server or the end of the address's path says
 * @throws {SourceFailure} invalid_url; source_unavailable, with a time when it may pass; source_unreadable for a file that would be refused if it was
 *   sent, and when the workspace has as many lists as it may have
 */
export async function fetchList(
  env: Env,
  { workspaceId, url, format, now }: { workspaceId: string; url: string; format: ListFormat | null; now: Date },
): Promise<ReceivedList> {
  try {
    const answer = await fetchSource(env, url);
    try {
      const stated = readContentType(answer.headers.get("content-type") ?? "");
      const known = format ?? formatOfPath(url) ?? stated.format;
      if (known === null)
        throw new SourceFailure("source_unreadable", "The list's address does not say which format it has.");
      return await receiveList(env, { workspaceId, format: known, now }, decodeText(piecesOf(answer), stated.charset));
    } finally {
      await answer.body.cancel();
    }
  } catch (error) {
    throw failureOf(error);
  }
}

/** Each piece is valid until the next one is read. */
async function* piecesOf({ body }: Answer): AsyncGenerator<Uint8Array> {
  for (let piece = await body.read(); piece !== null; piece = await body.read()) yield piece;
}

function failureOf(error: unknown): unknown {
  if (error instanceof Problem) {
    const [first] = error.fields;
    const words =
      first === undefined ? error.message : `${first.field === "body" ? "" : `${first.field} `}${first.message}`;
    return new SourceFailure("source_unreadable", `The list cannot be used: ${words}.`, { cause: error });
  }
  if (!(error instanceof SourceError)) return error;
  if (error.code === "source_forbidden") return new SourceFailure("invalid_url", error.message, { cause: error });
  const retryAfterMs = error.retryable ? (error.retryAfterMs ?? RETRY_AFTER_MS) : null;
  return new SourceFailure("source_unavailable", `The list cannot be fetched. ${error.message}`, {
    cause: error,
    retryAfterMs,
  });
}
