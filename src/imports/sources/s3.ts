/**
 * Amazon S3 and stores that speak it: Cloudflare R2, Backblaze B2, MinIO, Wasabi. Each object whose key ends like a media file is a video.
 * Documents: Amazon S3 API reference (ListObjectsV2, HeadObject, GetObjectTagging, authenticating requests by query), read November 2026.
 */
import { z } from "@hono/zod-openapi";
import { chosenPage } from "./chosen-page.ts";
import type { SourceDefinition } from "./definition.ts";
import { S3Options, s3AccountOf, s3BaseOf } from "./s3-addresses.ts";
import { S3Client, type S3Credentials } from "./s3-client.ts";
import { archived, s3Failure } from "./s3-failures.ts";
import { isMedia, objectOf, userMetadata, videoOf } from "./s3-videos.ts";
import { readObjectPage, readTagSet } from "./s3-xml.ts";
import type { SourceHttp, SourceReply } from "./source-http.ts";
import {
  SourceFailure,
  type CredentialCheck,
  type ListedVideo,
  type MissingPermission,
  type Resolution,
  type Selection,
  type Source,
  type SourcePage,
} from "./source.ts";

const Credentials = z.strictObject({
  accessKeyId: z.string().min(1).max(256).describe("Access key that may list the bucket and get its objects."),
  secretAccessKey: z.string().min(1).max(512).describe("Its secret."),
  sessionToken: z.string().min(1).max(8192).optional().describe("Only with temporary credentials of AWS STS."),
});

const PAGE = 1000;
const HOUR_MS = 3_600_000;
const LINK_MS = 24 * HOUR_MS;
/** A presigned URL ends with the session that signed it, and the shortest session of STS lasts 15 minutes. */
const SESSION_LINK_MS = HOUR_MS / 4;

export const s3Source: SourceDefinition<S3Options, S3Credentials | null> = {
  kind: "s3",
  name: "Amazon S3",
  baseOf: s3BaseOf,
  basePath: "",
  options: S3Options,
  credentials: Credentials,
  isOpenToAll: true,
  open: ({ options, credentials, nowMs }, http) => new S3Source(options, credentials, nowMs, http),
};

class S3Source implements Source {
  // AWS takes 5,500 reads a second of a prefix; other stores take fewer.
  readonly pace = { readsPerSecond: 50, writesPerSecond: 1, concurrency: 32 };
  readonly neverKept = [
    "versions of an object before the newest",
    "bucket policies, ACLs, object locks and lifecycle rules",
  ];
  readonly needsRelease = false;
  readonly changesAtSource = false;
  readonly listIsPartial = true;
  readonly #options: S3Options;
  readonly #credentials: S3Credentials | null;
  readonly #nowMs: () => number;
  readonly #client: S3Client;

  constructor(
    options: S3Options,
    credentials: S3Credentials | null | undefined,
    nowMs: () => number,
    http: SourceHttp,
  ) {
    this.#options = options;
    this.#credentials = credentials ?? null;
    this.#nowMs = nowMs;
    this.#client = new S3Client(http, options, this.#credentials, nowMs);
  }

  /** Lists one object and reads the headers of it. */
  async check(): Promise<CredentialCheck> {
    const missing: MissingPermission[] = [];
    const first = await this.#permitted(missing, "s3:ListBucket", "The objects cannot be listed.", async () => {
      const { objects } = await this.#list(null, 1);
      return objects[0] ?? null;
    });
    if (first !== null) {
      await this.#permitted(missing, "s3:GetObject", "The files cannot be fetched.", () => this.#head(first.key));
    }
    return { account: s3AccountOf(this.#options), accountName: this.#options.bucket, missing };
  }

  async listPage(cursor: string | null, selection: Selection): Promise<SourcePage> {
    if (selection.ids !== undefined) return chosenPage(cursor, selection.ids, (id) => this.describe(id));
    const { objects, next } = await this.#list(cursor, PAGE);
    const media = objects.filter(({ key }) => isMedia(key, this.#options.extensions ?? null));
    return { videos: media.map((object) => videoOf(object, this.#policy, this.#nowMs())), next };
  }

  /** Also has the user's metadata and the tags, which a list has not. */
  async describe(id: string): Promise<ListedVideo | null> {
    const { prefix = "", extensions } = this.#options;
    if (!id.startsWith(prefix) || !isMedia(id, extensions ?? null)) return null;
    const headers = await this.#head(id);
    if (headers === null) return null;
    const video = videoOf(objectOf(id, headers), this.#policy, this.#nowMs());
    // The count is there only for callers who may read tags.
    const tags = Number(headers.get("x-amz-tagging-count") ?? 0) > 0 ? await this.#tags(id) : [];
    return { ...video, tags, metadata: { ...video.metadata, ...userMetadata(headers) } };
  }

  /** A presigned GET that holds for 24 hours, or for 15 minutes with a session token; the plain address for an open bucket. */
  async resolve(video: ListedVideo): Promise<Resolution> {
    const headers = await this.#head(video.id);
    if (headers === null) throw new SourceFailure("video_gone", "The bucket has no such object any more.");
    const { obstacle, bytes } = videoOf(objectOf(video.id, headers), this.#policy, this.#nowMs());
    if (obstacle?.code === "archived") throw archived();
    if (obstacle !== null) throw new SourceFailure(obstacle.code, obstacle.message);
    const lifetimeMs = this.#credentials?.sessionToken === undefined ? LINK_MS : SESSION_LINK_MS;
    const expiresAtMs = this.#credentials === null ? null : this.#nowMs() + lifetimeMs;
    return { status: "ready", url: await this.#client.presign(video.id, lifetimeMs), expiresAtMs, bytes };
  }

  captions(): Promise<[]> {
    return Promise.resolve([]);
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  /** Nothing says that strangers may read what needs credentials. */
  get #policy(): "public" | "private" {
    return this.#credentials === null ? "public" : "private";
  }

  async #list(after: string | null, limit: number) {
    const reply = await this.#client.list(after, limit);
    if (reply.status !== 200) throw s3Failure(reply, "s3:ListBucket", this.#options.bucket);
    return readObjectPage(reply.text);
  }

  /** Null: there is no such object. Without s3:ListBucket, S3 answers 403 for that as well. */
  async #head(key: string): Promise<Headers | null> {
    const reply = await this.#client.head(key);
    if (reply.status === 404) return null;
    if (reply.status !== 200) throw await this.#failureOfHead(reply, key);
    // Every store that speaks S3 sends it, and a page of a proxy has none.
    if (!reply.headers.has("last-modified"))
      throw new SourceFailure("source_unreadable", "The store described no object.");
    return reply.headers;
  }

  async #failureOfHead(reply: SourceReply, key: string): Promise<SourceFailure> {
    const spoken = reply.status === 400 || reply.status === 403 ? await this.#client.firstByte(key) : reply;
    return s3Failure(spoken.status >= 300 ? spoken : reply, "s3:GetObject", this.#options.bucket);
  }

  async #tags(key: string): Promise<string[]> {
    const reply: SourceReply = await this.#client.tags(key);
    if (reply.status !== 200) return []; // Some stores that speak S3 have no tags.
    return readTagSet(reply.text).map(([name, value]) => (value === "" ? name : `${name}=${value}`));
  }

  async #permitted<T>(
    missing: MissingPermission[],
    permission: string,
    message: string,
    call: () => Promise<T>,
  ): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof SourceFailure) || error.code !== "permission_missing") throw error;
      missing.push({ permission, message, isRequired: true });
      return null;
    }
  }
}
