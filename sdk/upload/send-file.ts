import { SluiceError } from "../api/errors.ts";
import { pause, unlessAborted } from "../api/pause.ts";
import { backoffMs } from "../api/retry-delay.ts";
import { chunkBytesFor } from "./chunk-size.ts";
import { putRange, type Range } from "./put-range.ts";
import { StreamSource } from "./stream-source.ts";
import { blobSource, type UploadSource } from "./upload-source.ts";

/** A `Blob`, such as a `File` of a browser; a stream; or a file that `openFile` of `@sluice/sdk/node` opened. */
export type UploadFile = Blob | ReadableStream<Uint8Array> | UploadSource;

export interface UploadProgress {
  /** Stored by the platform. */
  sentBytes: number;
  /** Null for a stream, until its end. */
  totalBytes: number | null;
}

export interface SendOptions {
  /** Called after each chunk. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Stops sending. The upload stays open, so it can be continued. */
  signal?: AbortSignal | undefined;
  /** Default: a hundredth of the file, from 1 to 16 MiB. */
  chunkBytes?: number | undefined;
  /** Repetitions in a row without progress: 10 take about a minute. */
  retries?: number | undefined;
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/**
 * Sends a file to the URL of an upload, in chunks. Begins where an earlier attempt has stopped, and repeats after failures of the network. It needs
 * no credentials, so it can run in a browser.
 *
 * @param url of an upload: `data.url` of `POST /v1/on-demand/upload`
 * @throws {ApiError} when the upload is over or has begun with another file; {ConnectionError} after the last repetition; {FileChangedError};
 *   {SluiceError} for an empty file; the signal's reason
 */
export async function sendFile(
  url: string,
  file: UploadFile,
  { onProgress, signal, chunkBytes, retries = 10, fetch = (request) => globalThis.fetch(request) }: SendOptions = {},
): Promise<void> {
  const source = sourceOf(file);
  const maxBytes = chunkBytes ?? chunkBytesFor(source.sizeBytes);
  let storedBytes = 0;
  let failures = 0;
  let range = question(source); // what is stored? It also states the file's length, so that the file can play while it is sent
  for (;;) {
    signal?.throwIfAborted();
    const outcome = await putRange(url, range, { fetch, signal });
    if (outcome.kind === "complete") {
      const totalBytes = range.totalBytes ?? storedBytes;
      return onProgress?.({ sentBytes: totalBytes, totalBytes });
    }
    const isRefused = outcome.kind === "stored" && range.bytes.byteLength > 0 && outcome.bytes <= storedBytes;
    if (outcome.kind === "failed" || isRefused) {
      failures += 1;
      if (failures > retries) throw outcome.kind === "failed" ? outcome.error : new SluiceError(NOT_TAKEN);
      const askedMs = outcome.kind === "failed" ? outcome.delayMs : null;
      await pause(askedMs ?? backoffMs(failures, Math.random()), signal);
      range = question(source);
      continue;
    }
    if (outcome.bytes > storedBytes) failures = 0;
    storedBytes = outcome.bytes;
    onProgress?.({ sentBytes: storedBytes, totalBytes: source.sizeBytes });
    range = await unlessAborted(chunkAt(source, storedBytes, maxBytes), signal);
  }
}

const NOT_TAKEN = "the upload does not take the file: another client may be sending to it";

function sourceOf(file: UploadFile): UploadSource {
  if (file instanceof Blob) return blobSource(file);
  return file instanceof ReadableStream ? new StreamSource(file) : file;
}

/** @throws {SluiceError} for what JavaScript without types may pass: a path, or bytes */
export function requireFile(file: unknown): asserts file is UploadFile {
  const isSource = typeof (file as Partial<UploadSource> | null)?.read === "function";
  if (file instanceof Blob || file instanceof ReadableStream || isSource) return;
  throw new SluiceError(
    "the file must be a Blob, a ReadableStream, or what openFile(path) of @sluice/sdk/node returns",
  );
}

/** @throws {SluiceError} for an empty file, which the platform cannot take */
function question({ sizeBytes }: UploadSource): Range {
  if (sizeBytes === 0) throw new SluiceError(EMPTY);
  return { offset: 0, bytes: new Uint8Array(0), totalBytes: sizeBytes };
}

async function chunkAt(source: UploadSource, offset: number, maxBytes: number): Promise<Range> {
  const { bytes, isLast } = await source.read(offset, maxBytes);
  if (offset + bytes.byteLength === 0) throw new SluiceError(EMPTY);
  return { offset, bytes, totalBytes: source.sizeBytes ?? (isLast ? offset + bytes.byteLength : null) };
}

const EMPTY = "the file is empty";
