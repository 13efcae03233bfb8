import { createCalls } from "./api/create-calls.ts";
import { basicAuthorization, checkCredentials, type Credentials, trimmedBaseUrl } from "./api/credentials.ts";
import { listRecords } from "./api/list-records.ts";
import { retryingFetch, type RetryOptions } from "./api/retrying-fetch.ts";
import { type SendOnce, sendOnce } from "./api/send-once.ts";
import type { ApiCalls, Arguments, Call, Item, ListPath, Media, MediaEvent } from "./api/types.ts";
import { type FollowOptions, followEvents } from "./events/follow-events.ts";
import { type ImportFileName, readImportFile } from "./imports/import-file.ts";
import { type ImportList, type ListType, sendImportList } from "./imports/list-file.ts";
import { type PlaybackUrls, playbackUrls } from "./media/playback-urls.ts";
import {
  readSubtitleText,
  replaceSubtitleText,
  type SendText,
  type SubtitleText,
  type SubtitleTrack,
} from "./media/subtitle-text.ts";
import { type WaitOptions, waitUntilReady } from "./media/wait-until-ready.ts";
import type { UploadFile } from "./upload/send-file.ts";
import { type CreatedUpload, uploadFile, type UploadOptions } from "./upload/upload-file.ts";

/** `retries` is 3 unless given, `timeoutMs` 60,000, `fetch` that of the runtime. */
export interface SluiceOptions extends Credentials, Partial<RetryOptions> {}

/**
 * A client of one workspace of a platform, for servers: its secret gives access to the whole workspace. `get`, `post`, `put`, `patch` and `delete`
 * call any operation of the API, with types from its OpenAPI document.
 */
export class Sluice implements ApiCalls {
  readonly baseUrl: string;
  readonly get: Call<"get">;
  readonly post: Call<"post">;
  readonly put: Call<"put">;
  readonly patch: Call<"patch">;
  readonly delete: Call<"delete">;
  readonly #fetch: RetryOptions["fetch"];
  readonly #send: SendText;
  readonly #sendOnce: SendOnce;

  /** @throws {SluiceError} for credentials that no platform can accept */
  constructor(options: SluiceOptions) {
    checkCredentials(options);
    const { retries = 3, timeoutMs = 60_000, fetch = (request: Request) => globalThis.fetch(request) } = options;
    this.baseUrl = trimmedBaseUrl(options.baseUrl);
    this.#fetch = fetch;
    const retrying = retryingFetch({ retries, timeoutMs, fetch });
    const authorization = basicAuthorization(options);
    this.#send = (path, init) => {
      const headers = { ...init?.headers, authorization };
      return retrying(new Request(`${this.baseUrl}${path}`, { ...init, headers }));
    };
    this.#sendOnce = sendOnce(this.baseUrl, authorization, fetch);
    const calls = createCalls({ ...options, baseUrl: this.baseUrl }, { retries, timeoutMs, fetch });
    this.get = calls.get;
    this.post = calls.post;
    this.put = calls.put;
    this.patch = calls.patch;
    this.delete = calls.delete;
  }

  /** See `listRecords`. */
  list<Path extends ListPath>(path: Path, ...args: Arguments<Path, "get">): AsyncGenerator<Item<Path>> {
    return listRecords(this, path, ...args);
  }

  /** See `uploadFile`. */
  upload(file: UploadFile, options: UploadOptions = {}): Promise<CreatedUpload> {
    return uploadFile(this, file, { fetch: this.#fetch, ...options });
  }

  /** See `waitUntilReady`. */
  waitUntilReady(mediaId: string, options: WaitOptions = {}): Promise<Media> {
    return waitUntilReady(this, mediaId, options);
  }

  /** See `readSubtitleText`. */
  readSubtitleText(track: SubtitleTrack): Promise<SubtitleText> {
    return readSubtitleText(this.#send, track);
  }

  /** See `replaceSubtitleText`. */
  replaceSubtitleText(track: SubtitleTrack, text: { text: string; etag?: string }): Promise<string> {
    return replaceSubtitleText(this.#send, track, text);
  }

  /** See `sendImportList`. */
  sendImportList(file: Blob, options: { type: ListType; signal?: AbortSignal | undefined }): Promise<ImportList> {
    return sendImportList(this.#sendOnce, file, options);
  }

  /** See `readImportFile`. */
  readImportFile(importId: string, name: ImportFileName, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return readImportFile(this.#sendOnce, importId, name, signal);
  }

  /** See `followEvents`. */
  followEvents(options: FollowOptions = {}): AsyncGenerator<MediaEvent> {
    return followEvents(this, options);
  }

  /** See `playbackUrls`. */
  playbackUrls(playbackId: string, token?: string): PlaybackUrls {
    return playbackUrls(this.baseUrl, playbackId, token);
  }
}
