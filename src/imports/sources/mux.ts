/**
 * Mux Video, by its API v1: https://www.mux.com/docs/api-reference (video/assets, system/whoami),
 * …/video/assets/update-asset-master-access, https://www.mux.com/docs/guides/enable-static-mp4-renditions, and
 * https://www.mux.com/docs/core/make-api-requests (authentication, pages, rates), read in November 2026.
 */
import { z } from "@hono/zod-openapi";
import { chosenPage } from "./chosen-page.ts";
import type { SourceDefinition } from "./definition.ts";
import { AssetAnswer, AssetsAnswer, WhoamiAnswer, type Asset } from "./mux-answers.ts";
import { withChapters } from "./mux-chapters.ts";
import { hasFailedMaster, noFile, ofMaster, ofRenditions, sinceOf } from "./mux-files.ts";
import { listedVideo } from "./mux-listed.ts";
import { HEADER_TEXT, readAnswer } from "./read-answer.ts";
import type { SourceHttp } from "./source-http.ts";
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

const Options = z.strictObject({});

const Credentials = z.strictObject({
  tokenId: z
    .string()
    .regex(HEADER_TEXT)
    .max(255)
    .describe("ID of an access token of the environment, with the permissions Mux Video Read and Write."),
  tokenSecret: z.string().regex(HEADER_TEXT).max(512).describe("Secret of the same access token."),
});
type Credentials = z.infer<typeof Credentials>;

/** Mux's most. */
const PAGE_SIZE = 100;

export const muxSource: SourceDefinition<z.infer<typeof Options>, Credentials> = {
  kind: "mux",
  name: "Mux",
  baseOf: () => "https://api.mux.com",
  basePath: "",
  options: Options,
  credentials: Credentials,
  isOpenToAll: false,
  open: ({ credentials, nowMs }, http) => new MuxSource(http, credentials, nowMs),
};

class MuxSource implements Source {
  readonly pace = { readsPerSecond: 5, writesPerSecond: 1, concurrency: 8 };
  readonly needsRelease = true;
  readonly changesAtSource = true;
  readonly listIsPartial = false;
  readonly neverKept = [
    "views and everything else of Mux Data",
    "playback restrictions and signing keys",
    "clips as clips: each is a video of its own",
  ];
  readonly #http: SourceHttp;
  readonly #headers: Record<string, string>;
  readonly #nowMs: () => number;
  readonly #streamBase: string;

  constructor(http: SourceHttp, { tokenId, tokenSecret }: Credentials, nowMs: () => number) {
    this.#http = http;
    this.#headers = { authorization: `Basic ${btoa(`${tokenId}:${tokenSecret}`)}` };
    this.#nowMs = nowMs;
    this.#streamBase = http.isStandIn ? http.base : "https://stream.mux.com";
  }

  /** `permissions` has `video:read` in the documents' example; `video:write` is its counterpart, so anything else of `video` counts as that. */
  async check(): Promise<CredentialCheck> {
    const { body } = await this.#get("/system/v1/whoami");
    const { data } = readAnswer(WhoamiAnswer, body, "Mux's answer to who the token is");
    const names = [data.organization_name, data.environment_name].filter((name) => name != null && name !== "");
    return {
      account: data.environment_id.slice(0, 255),
      accountName: names.length === 0 ? null : names.join(" / "),
      missing: missingOf(data.permissions),
    };
  }

  async listPage(cursor: string | null, { ids }: Selection): Promise<SourcePage> {
    if (ids !== undefined) return chosenPage(cursor, ids, (id) => this.describe(id));
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) });
    const { body } = await this.#get(`/video/v1/assets?${query.toString()}`);
    const { data, next_cursor: next } = readAnswer(AssetsAnswer, body, "Mux's list of assets");
    if (next != null && next === cursor) {
      throw new SourceFailure("source_unreadable", "Mux's list of assets does not advance: a page leads to itself.");
    }
    return {
      videos: await Promise.all(data.map((asset) => this.#listed(asset))),
      next: next == null || next === "" ? null : next,
    };
  }

  async describe(id: string): Promise<ListedVideo | null> {
    const asset = await this.#asset(id);
    return asset === null ? null : this.#listed(asset);
  }

  /** The master is the best file, for every policy. Static renditions have fewer pixels or a lower rate and are public only. */
  async resolve(video: ListedVideo, state: Record<string, unknown> | null): Promise<Resolution> {
    const asset = await this.#asset(video.id);
    if (asset === null) throw new SourceFailure("video_gone", "Mux has no such asset any more.");
    const sinceMs = sinceOf(state);
    const ofExisting = ofMaster(asset, sinceMs, this.#nowMs());
    if (ofExisting !== null) return ofExisting;
    const switched = hasFailedMaster(asset) ? null : await this.#switchMaster(video.id, "temporary");
    const ofNew =
      switched === null || switched === "forbidden" ? null : ofMaster(switched, this.#nowMs(), this.#nowMs());
    const resolution = ofNew ?? ofRenditions(asset, this.#streamBase);
    if (resolution === null) throw noFile(asset, switched === "forbidden");
    return resolution;
  }

  captions(video: ListedVideo): Promise<ListedVideo["captions"] & object> {
    return Promise.resolve(video.captions ?? []);
  }

  /** `ref` says what master access was when the list was read, so this is known after a crash as well. */
  async release(video: ListedVideo): Promise<void> {
    if (video.ref["masterAccess"] !== "none") return;
    const asset = await this.#asset(video.id);
    if (asset?.master_access !== "temporary") return;
    if ((await this.#switchMaster(video.id, "none")) === "forbidden") {
      throw new SourceFailure(
        "permission_missing",
        "Mux refused to end the access to the master. It ends by itself 24 hours after it began.",
      );
    }
  }

  #listed(asset: Asset): Promise<ListedVideo> {
    return withChapters(listedVideo(asset, this.#streamBase), asset, this.#streamBase, this.#http);
  }

  #get(path: string): ReturnType<SourceHttp["json"]> {
    return this.#http.json({ url: this.#http.base + path, headers: this.#headers });
  }

  async #asset(id: string): Promise<Asset | null> {
    const { status, body } = await this.#get(`/video/v1/assets/${encodeURIComponent(id)}`);
    return status === 404 ? null : readAnswer(AssetAnswer, body, "Mux's answer for an asset").data;
  }

  /** @returns the asset after it; null = it was refused for a reason of the asset's own, or there is no such asset */
  async #switchMaster(id: string, access: "temporary" | "none"): Promise<Asset | null | "forbidden"> {
    const url = `${this.#http.base}/video/v1/assets/${encodeURIComponent(id)}/master-access`;
    try {
      const { status, body } = await this.#http.json({
        method: "PUT",
        url,
        headers: this.#headers,
        body: { master_access: access },
      });
      return status >= 400 ? null : readAnswer(AssetAnswer, body, "Mux's answer to a change of master access").data;
    } catch (error) {
      // The same token has just read the asset, so a refusal is one of writing.
      if (
        error instanceof SourceFailure &&
        (error.code === "permission_missing" || error.code === "credentials_invalid")
      )
        return "forbidden";
      throw error;
    }
  }
}

function missingOf(permissions: string[]): MissingPermission[] {
  const ofVideo = permissions.filter((permission) => permission.startsWith("video:"));
  if (ofVideo.length === 0) {
    return [{ permission: "Mux Video Read", message: "Without it the assets cannot be listed.", isRequired: true }];
  }
  if (ofVideo.some((permission) => permission !== "video:read")) return [];
  const message =
    "Without it only public assets that already have an MP4, or a master that is switched on, can be fetched.";
  return [{ permission: "Mux Video Write", message, isRequired: false }];
}
