/**
 * What a migration needs of a platform that videos come from. Each source is one file that implements this interface over `SourceHttp`;
 * it holds no state, so a batch can open it anew at each step.
 */
import type { SourceHttp } from "./source-http.ts";

export const SOURCE_KINDS = ["list", "s3", "mux", "cloudflare_stream", "api_video", "vimeo"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** `drm` at the source cannot be kept: its keys are the vendor's. */
export type SourcePolicy = "public" | "private" | "drm";

export interface SourcePlaybackId {
  id: string;
  policy: SourcePolicy;
}

export interface ListedCaption {
  /** BCP 47 as the source has it. */
  languageCode: string;
  /** As viewers see it; null = the source has none. */
  name: string | null;
  /** Fetchable without credentials; null = `text` has the file. */
  url: string | null;
  /** WebVTT or SRT, where the source's address needs credentials. */
  text: string | null;
}

export interface ListedChapter {
  startMs: number;
  title: string;
}

/** A video as a page of the source's list describes it. Null = the list does not say. */
export interface ListedVideo {
  /** The source's id, at most 1,024 characters: it identifies the video in this account for ever. */
  id: string;
  title: string | null;
  /** RFC 3339. */
  createdAt: string | null;
  durationMs: number | null;
  /** Size of the file that would be fetched. */
  bytes: number | null;
  widthPx: number | null;
  heightPx: number | null;
  /** The strictest that its ways to play have; a video that is not public everywhere is `private`. */
  policy: SourcePolicy;
  /** Those that pages may have, the first one first. */
  playbackIds: SourcePlaybackId[];
  creatorId: string | null;
  tags: string[];
  /** Path of folders, by `/`. */
  folder: string | null;
  /** Names and values that the owner gave it at the source; the values of JSON are texts. */
  metadata: Record<string, string>;
  /** Null: `captions()` must be asked. [] = it has none. */
  captions: ListedCaption[] | null;
  /** Number of sounds; null = unknown. */
  audioTracks: number | null;
  chapters: ListedChapter[];
  /** Why it cannot be fetched, as far as the list says; null = nothing is known to stand against it. */
  obstacle: { code: ItemErrorCode; message: string } | null;
  /** What the source has of it and no migration carries over, in words: "burnt-in watermark", "3 simulcast targets". */
  left: string[];
  /** What `resolve` and `captions` need besides the id. JSON of at most 4 KB, without secrets. */
  ref: Record<string, unknown>;
  /**
   * Hosts whose pages alone may show it, as the source writes them: `example.com`, `*.example.com`. Absent, null = every page. `policy` does not
   * say it.
   */
  origins?: string[] | null;
}

export interface SourcePage {
  videos: ListedVideo[];
  /** Opaque, stored between pages; null = this was the last page. */
  next: string | null;
}

/** Limits of a list to what the batch selects, so that the source need not be read whole. The batch selects again itself. */
export interface Selection {
  ids?: string[] | undefined;
  /** Epoch ms, included. */
  createdAfterMs?: number | undefined;
  /** Epoch ms, excluded. */
  createdBeforeMs?: number | undefined;
}

/** Where the file of a video is. */
export type Resolution =
  | {
      status: "ready";
      /** http or https, fetched without credentials. It may carry a signature, so it is never logged or shown in a report. */
      url: string;
      /** Epoch ms after which it is resolved anew; null = it does not expire soon. */
      expiresAtMs: number | null;
      /** Facts that the list did not have. */
      bytes?: number | null;
      /** As in `ListedVideo`; absent = what the list says. The media is verified by it. */
      audioTracks?: number | null;
    }
  | {
      /** The source is preparing a file. `state` is given to the next call. */
      status: "waiting";
      retryAfterMs: number;
      state: Record<string, unknown>;
    };

export interface MissingPermission {
  /** As the source's own settings name it: "Mux Video Write". */
  permission: string;
  /** One sentence: what does not work without it. */
  message: string;
  /** Without it nothing can be migrated. */
  isRequired: boolean;
}

export interface CredentialCheck {
  /** Identifies the account for claims: the same for every credential of one account. At most 255 characters, no secret. */
  account: string;
  /** For people; null = the source does not say. */
  accountName: string | null;
  missing: MissingPermission[];
}

/** How fast the source may be asked. */
export interface SourcePace {
  /** GET requests a second, at most. */
  readsPerSecond: number;
  /** Requests a second that change something or order a file. */
  writesPerSecond: number;
  /** Videos that are worked on at once. */
  concurrency: number;
}

export interface Source {
  readonly pace: SourcePace;
  /** What holds for every video of this source, for the report: "play counts", "thumbnails that were chosen by hand". */
  readonly neverKept: readonly string[];
  /** One harmless call, or a few. @throws {SourceFailure} credentials_invalid, source_unavailable, source_unreadable */
  check(): Promise<CredentialCheck>;
  /** @param cursor `next` of the page before; null = the first page. @throws {SourceFailure} */
  listPage(cursor: string | null, selection: Selection): Promise<SourcePage>;
  /** The video as a page of the list would have it; null = the source has no such video. @throws {SourceFailure} */
  describe(id: string): Promise<ListedVideo | null>;
  /** @param state of the last `waiting`; null = the first call. @throws {SourceFailure} */
  resolve(video: ListedVideo, state: Record<string, unknown> | null): Promise<Resolution>;
  /** For videos whose `captions` are null. @throws {SourceFailure} */
  captions(video: ListedVideo): Promise<ListedCaption[]>;
  /**
   * Switches back what `resolve` switched at the source. Repeatable; without effect if there is nothing.
   *
   * @param video whose `ref` has the state of the last `waiting`, too
   * @throws {SourceFailure}
   */
  release(video: ListedVideo): Promise<void>;
  /** Whether `resolve` changes anything at the source that `release` undoes. */
  readonly needsRelease: boolean;
  /** Whether `resolve` may change or order anything there at all. A dry run then does not call it. */
  readonly changesAtSource: boolean;
  /** Whether `describe` says more than the list, such as chapters. It is then asked for each video before it is submitted. */
  readonly listIsPartial: boolean;
}

/** Opens a source with parsed options and credentials. Sends nothing. */
export type OpenSource<Options, Credentials> = (
  given: { options: Options; credentials: Credentials; nowMs: () => number },
  http: SourceHttp,
) => Source;

/** Why an item failed, was left out, or is tried again. docs/guides/errors.md explains each to its owner. */
export const ITEM_ERRORS = {
  credentials_invalid: "The source refused the credentials.",
  permission_missing: "The credentials lack a permission that this needs.",
  source_rate_limited: "The source has asked for a pause.",
  source_unavailable: "The source does not answer, or answers with an error of its own.",
  source_unreadable: "The source answered something that is not its documented format.",
  video_gone: "The source has no such video any more.",
  video_not_ready: "The video is not ready at the source.",
  no_file: "The source offers no file of this video.",
  drm_protected: "The file is encrypted, and its keys are the source's.",
  archived: "The file is in an archive and must be restored first.",
  invalid_url: "The address of the file is not a public http or https URL.",
  too_large: "The file is larger than this deployment accepts.",
  already_imported: "This video has been migrated before.",
  repeated: "The source listed this video twice.",
  not_accepted: "The API refused the media.",
  media_failed: "The media was created and failed.",
  media_deleted: "The media was deleted while the batch ran.",
  cancelled: "The batch was cancelled.",
  internal: "Something failed on our side.",
} as const;
export type ItemErrorCode = keyof typeof ITEM_ERRORS;

/** A call of a source that failed. `message` is shown to the owner: it never contains a credential or a signed URL. */
export class SourceFailure extends Error {
  override readonly name = "SourceFailure";
  readonly code: ItemErrorCode;
  /** The same call may succeed after this time, ms; null = it will not succeed by itself. */
  readonly retryAfterMs: number | null;
  constructor(code: ItemErrorCode, message: string, options: ErrorOptions & { retryAfterMs?: number | null } = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
