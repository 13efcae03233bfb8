import type { OriginSession } from "../../media/live/origin-facts.ts";
import { errorFields, logError } from "../../platform/log.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { OriginIndex } from "./index/origin-index.ts";

/** Concurrent uploads. */
const PARALLEL = 6;
/** Segments whose bytes stay in SQLite after the upload: the ones that players at the live edge request. */
const KEPT_SEGMENTS = 4;
const RETRY_MS = 1000;
const CACHE_CONTROL = "public, max-age=31536000, immutable";

export const mediaMetadata = { contentType: "video/mp4", cacheControl: CACHE_CONTROL };

export interface UploadContext {
  index: () => OriginIndex;
  bucket: () => R2Bucket;
  /** Epoch ms. */
  clock: () => number;
  /** Called when `retryAtMs` has changed. */
  schedule: () => Promise<void>;
}

type UnstoredSegment = ReturnType<OriginIndex["store"]["unstored"]>[number];

/** Uploads whole segments from the origin's SQLite to R2. */
export class SegmentUploads {
  readonly #context: UploadContext;
  #running: Promise<void> | null = null;
  #retryAtMs = Infinity;

  constructor(context: UploadContext) {
    this.#context = context;
  }

  /** When to call `run` again, epoch ms; Infinity = nothing is pending. */
  get retryAtMs(): number {
    return this.#retryAtMs;
  }

  /** Call when a segment may have become whole. The alarm is set first, in case this object crashes before the upload. */
  start(): void {
    this.#retryAtMs = this.#context.clock() + RETRY_MS;
    void this.#context.schedule();
    void this.run();
  }

  /** Uploads every whole segment. A call during a run joins it. Never rejects because of R2: the alarm retries failed uploads. */
  run(): Promise<void> {
    this.#running ??= this.#uploadAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #uploadAll(): Promise<void> {
    const { clock, index, schedule } = this.#context;
    const { session, store } = index();
    if (session === null) return;
    this.#retryAtMs = Infinity;
    for (;;) {
      const due = store.unstored(PARALLEL);
      if (due.length === 0) break;
      const uploaded = await Promise.all(due.map((segment) => this.#upload(session, segment)));
      if (uploaded.includes(false)) {
        this.#retryAtMs = clock() + RETRY_MS;
        break;
      }
    }
    await schedule();
  }

  async #upload({ sessionId }: OriginSession, segment: UnstoredSegment): Promise<boolean> {
    const { rendition, msn, initVersion } = segment;
    const { store } = this.#context.index();
    try {
      const bytes = store.bytes(rendition, msn, null);
      const key = renditionKey(sessionId, rendition, `${msn}.m4s`);
      const customMetadata = initVersionMetadata(initVersion);
      await this.#context.bucket().put(key, bytes, { httpMetadata: mediaMetadata, customMetadata });
    } catch (error) {
      logError("live.not_stored", { sessionId, ...segment, ...errorFields(error) });
      return false;
    }
    store.markStored(rendition, msn);
    store.forgetBytes(rendition, msn - KEPT_SEGMENTS + 1);
    return true;
  }
}

/** Metadata of a segment's object in R2: the version of the init segment that it needs. Encryption reads its codec configuration. */
const initVersionMetadata = (version: number): Record<string, string> => ({ initVersion: String(version) });

/** Null for objects from before there was such metadata. */
export function initVersionNamed(metadata: Record<string, string> | undefined): number | null {
  const version = Number.parseInt(metadata?.["initVersion"] ?? "", 10);
  return Number.isNaN(version) ? null : version;
}
