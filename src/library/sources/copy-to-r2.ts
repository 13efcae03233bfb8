import { sourceKey } from "../../platform/storage/keys.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { copyParts } from "./copy-ranged.ts";
import type { CopyState, CopyUpload, RangedPlan } from "./copy-state.ts";
import { copiedBytes, FRESH_COPY, missingParts, partBytesFor, SMALL_SOURCE_BYTES } from "./copy-state.ts";
import { copyWhole } from "./copy-streamed.ts";
import type { SourceEnv, SourceLimits } from "./limits.ts";
import { maxSourceBytes, SOURCE_LIMITS } from "./limits.ts";
import { createHostGuard } from "../../platform/network/index.ts";
import { isNoSuchUpload } from "../../platform/runtime-errors.ts";
import type { SourceAnswer } from "./safe-fetch.ts";
import { fetchSource } from "./safe-fetch.ts";
import { SourceError } from "./source-errors.ts";
import { answeredFile, parseContentRange } from "./source-status.ts";

export type CopyEnv = SourceEnv & Pick<Env, "MEDIA">;

export interface CopySource {
  assetId: string;
  url: string;
  /** Key of the copy in R2. Default: the key of the asset's source. */
  key?: string;
}

const keyOf = ({ assetId, key }: CopySource): string => key ?? sourceKey(assetId);

export interface CopyBudget {
  /** No part starts after this time; running parts are completed. Does not apply to a source without ranges. */
  maxMs: number;
  clock: () => number;
  limits?: Partial<SourceLimits>;
  signal?: AbortSignal;
  /** Called as bytes of a source without ranges arrive, because its single step may take minutes. */
  onBytes?: (copiedBytes: number) => void;
  /** A source without ranges is copied in a single step, and an alarm may run for 15 minutes. */
  maxStreamMs?: number;
}

export interface CopyStep {
  state: CopyState;
  done: boolean;
  bytesCopied: number;
  /** Null until the server has stated it. */
  totalBytes: number | null;
}

const MAX_STREAM_MS = 14 * 60_000;
/** The copy fails when the file changes again after this many restarts. */
const MAX_RESTARTS = 1;

/**
 * Advances the copy of a source to R2 by one step. The caller stores the returned state and passes it to the next call until `done`. After
 * a crash it passes the last stored state (or null), and only the interrupted step is repeated. A step that made progress before a
 * transient failure returns that progress, so callers may count exceptions as failures without progress.
 *
 * @throws {SourceError} after one that is not retryable, nothing is left in R2. Any other exception is a fault of the service.
 */
export async function nextCopyStep(
  env: CopyEnv,
  source: CopySource,
  state: CopyState | null,
  budget: CopyBudget,
): Promise<CopyStep> {
  const current = state ?? FRESH_COPY;
  if (current.done) return finished(env, source, current);
  try {
    if (current.upload === null) return await begin(env, source, current, budget);
    const { ranged } = current.upload;
    if (ranged === null) return await streamWhole(env, source, current, current.upload, budget);
    return await copyRanged(env, source, current, current.upload, ranged, budget);
  } catch (error) {
    return afterFailure(env, source, current, error);
  }
}

/** Aborts a copy and deletes its object and upload in R2. Idempotent. */
export async function abortCopy(
  env: Pick<Env, "MEDIA">,
  assetId: string,
  state: CopyState | null,
  key = sourceKey(assetId),
): Promise<void> {
  if (state?.upload) await dropUpload(env, key, state.upload.uploadId);
  await env.MEDIA.delete(key);
}

/** Stores a small file at once. For a larger one it only creates the upload, so that its id is stored before any part is. */
async function begin(env: CopyEnv, source: CopySource, state: CopyState, budget: CopyBudget): Promise<CopyStep> {
  const answer = await fetchSource(env, source.url, {
    range: { first: 0, last: SMALL_SOURCE_BYTES - 1 },
    ...fetchOptions(budget),
  });
  try {
    const file = answeredFile(answer);
    if (file.size === 0) throw new SourceError("source_empty");
    if (file.size !== null && file.size > maxSourceBytes(env)) throw new SourceError("source_too_large");
    const length = file.size ?? SMALL_SOURCE_BYTES;
    if (length <= SMALL_SOURCE_BYTES && isWholeFile(answer)) {
      const bytes = new Uint8Array(length + 1); // one byte more than allowed, to detect a longer body
      const filled = await answer.body.readInto(bytes);
      if (filled <= length) return await putSmall(env, source, state, file.size, bytes.subarray(0, filled));
      if (file.size !== null) throw new SourceError("source_length_mismatch");
    }
    const { size } = file;
    const ranged = answer.status === 206 && size !== null ? planParts({ ...file, size }) : null;
    const copyId = crypto.randomUUID();
    const upload = await env.MEDIA.createMultipartUpload(keyOf(source), { customMetadata: { copyId } });
    return unfinished({ ...state, upload: { uploadId: upload.uploadId, copyId, ranged } }, size);
  } finally {
    await answer.body.cancel();
  }
}

/** False for an answer that holds only a part of the file. */
function isWholeFile(answer: SourceAnswer): boolean {
  if (answer.status === 200) return true;
  const range = parseContentRange(answer.headers.get("content-range"));
  return range !== null && range.first === 0 && range.last + 1 === range.size;
}

async function putSmall(env: CopyEnv, source: CopySource, state: CopyState, size: number | null, bytes: Uint8Array) {
  if (bytes.byteLength === 0) throw new SourceError("source_empty");
  if (bytes.byteLength > maxSourceBytes(env)) throw new SourceError("source_too_large");
  if (size !== null && size !== bytes.byteLength) throw new SourceError("source_length_mismatch");
  await env.MEDIA.put(keyOf(source), bytes);
  return doneStep(state, bytes.byteLength);
}

function planParts(file: RangedPlan["file"]): RangedPlan {
  const partBytes = partBytesFor(file.size);
  return { file, partBytes, etags: Array.from({ length: Math.ceil(file.size / partBytes) }, () => null) };
}

async function copyRanged(
  env: CopyEnv,
  source: CopySource,
  state: CopyState,
  upload: CopyUpload,
  plan: RangedPlan,
  budget: CopyBudget,
): Promise<CopyStep> {
  const deadline = budget.clock() + budget.maxMs;
  const { limits = {}, signal } = budget;
  const guard = createHostGuard(env, { ...SOURCE_LIMITS, ...limits });
  const seen = { env, url: source.url, file: plan.file, limits, guard, ...(signal === undefined ? {} : { signal }) };
  const r2Upload = env.MEDIA.resumeMultipartUpload(keyOf(source), upload.uploadId);
  const isOver = () => budget.clock() >= deadline;
  const { plan: reached, failure } = await copyParts(seen, r2Upload, plan, isOver);

  const progressed = copiedBytes(reached) > copiedBytes(plan);
  if (failure !== null && !(progressed && isPassing(failure))) throw failure;
  if (failure !== null) logWarning("source.part_failed", { assetId: source.assetId, ...errorFields(failure) });
  const next = { ...state, upload: { ...upload, ranged: reached } };
  if (missingParts(reached).length > 0) return unfinished(next, plan.file.size);
  await r2Upload.complete(reached.etags.map((etag, index) => ({ partNumber: index + 1, etag: etag ?? "" })));
  return doneStep(next, plan.file.size);
}

async function streamWhole(
  env: CopyEnv,
  source: CopySource,
  state: CopyState,
  upload: CopyUpload,
  budget: CopyBudget,
): Promise<CopyStep> {
  const deadline = budget.clock() + (budget.maxStreamMs ?? MAX_STREAM_MS);
  const answer = await fetchSource(env, source.url, fetchOptions(budget));
  const maxBytes = maxSourceBytes(env);
  let copied = 0;
  try {
    const { size } = answeredFile(answer);
    if (size !== null && size > maxBytes) throw new SourceError("source_too_large");
    if (size === 0) throw new SourceError("source_empty");
    const r2Upload = env.MEDIA.resumeMultipartUpload(keyOf(source), upload.uploadId);
    const onBytes = (bytes: number) => {
      copied = bytes;
      if (budget.clock() > deadline) throw new SourceError("source_timed_out");
      budget.onBytes?.(bytes);
    };
    await r2Upload.complete(await copyWhole({ upload: r2Upload, answer, maxBytes, onBytes }, size));
  } finally {
    await answer.body.cancel();
  }
  return doneStep(state, copied);
}

async function afterFailure(env: CopyEnv, source: CopySource, state: CopyState, error: unknown): Promise<CopyStep> {
  const key = keyOf(source);
  if (isGone(error) && state.upload !== null) {
    // Either the copy finished and a crash prevented storing that, or R2 has expired an upload that was idle for a week.
    const object = await env.MEDIA.head(key);
    if (object?.customMetadata?.["copyId"] === state.upload.copyId) return doneStep(state, object.size);
    return unfinished({ ...state, upload: null }, null);
  }
  if (error instanceof SourceError && !error.retryable) {
    await abortCopy(env, source.assetId, state, keyOf(source));
    if (error.code === "source_length_mismatch" && state.restarts < MAX_RESTARTS) {
      return unfinished({ ...FRESH_COPY, restarts: state.restarts + 1 }, null);
    }
  }
  throw error;
}

/** Whether a retry may succeed: the source is temporarily unavailable, or the service failed. */
const isPassing = (error: unknown) => (error instanceof SourceError ? error.retryable : !isGone(error));

/** Whether R2 no longer has the upload. */
const isGone = (error: unknown) => !(error instanceof SourceError) && isNoSuchUpload(error);

async function dropUpload(env: Pick<Env, "MEDIA">, key: string, uploadId: string): Promise<void> {
  try {
    await env.MEDIA.resumeMultipartUpload(key, uploadId).abort();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function finished(env: CopyEnv, source: CopySource, state: CopyState): Promise<CopyStep> {
  const object = await env.MEDIA.head(keyOf(source));
  return doneStep(state, object?.size ?? 0);
}

function doneStep(state: CopyState, totalBytes: number): CopyStep {
  return { state: { ...state, upload: null, done: true }, done: true, bytesCopied: totalBytes, totalBytes };
}

function unfinished(state: CopyState, totalBytes: number | null): CopyStep {
  const ranged = state.upload?.ranged ?? null;
  return { state, done: false, bytesCopied: ranged === null ? 0 : copiedBytes(ranged), totalBytes };
}

function fetchOptions(budget: CopyBudget) {
  return { limits: budget.limits ?? {}, ...(budget.signal === undefined ? {} : { signal: budget.signal }) };
}
