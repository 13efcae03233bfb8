/**
 * api.video as its clients meet it: access tokens of an hour, pages by number, private videos whose addresses hold a token for one use, and
 * sessions. From https://docs.api.video/reference and @api.video/nodejs-client 2.6.8, read in November 2026. The documents give no figures of
 * the rate limit, so there is none unless one is given.
 */
import { ApiVideoFiles } from "./api-video-files.ts";
import { Shelf, standInOf } from "./stand-in-shelf.ts";
import {
  serveVendor,
  type StandIn,
  type StandInAnswer,
  type StandInCall,
  type Vendor,
  type VendorLimit,
} from "./stand-in.ts";
import type { StandInVideo } from "./stand-in-library.ts";

export const API_VIDEO_KEY = "kEyOfTheProject0123456789abcdefghijklmnopqr";
/** Of the same project. */
export const API_VIDEO_SECOND_KEY = "sEcOnDkEyOfTheProject0123456789abcdefghijk";
export const API_VIDEO_PROJECT = "prRzIJJA7BLsqHjS45KVpB1";

export interface ApiVideoStandInOptions {
  port?: number;
  /** api.video has at most 100. */
  pageSize?: number;
  limit?: VendorLimit | null;
  /** How long an access token holds; api.video has an hour. */
  tokenSeconds?: number;
  /** Whether access tokens are JWTs that name the project. */
  namesProject?: boolean;
  nowMs?: () => number;
}

export interface ApiVideoStandIn extends StandIn {
  /** How many access tokens were given out. */
  tokens(): number;
}

export async function startApiVideoStandIn(options: ApiVideoStandInOptions = {}): Promise<ApiVideoStandIn> {
  const vendor = new ApiVideoVendor(options);
  const served = await serveVendor(vendor, options.port, options.limit);
  return { ...standInOf(vendor.shelf, served), tokens: () => vendor.tokens };
}

const KEYS = [API_VIDEO_KEY, API_VIDEO_SECOND_KEY];

class ApiVideoVendor implements Vendor {
  readonly shelf = new Shelf((number) => `vi${String(number).padStart(22, "0")}`);
  tokens = 0;
  readonly #options: ApiVideoStandInOptions;
  readonly #nowMs: () => number;
  readonly #files = new ApiVideoFiles(this.shelf.videos);
  readonly #accessTokens = new Map<string, number>();

  constructor(options: ApiVideoStandInOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  isApi(path: string): boolean {
    return !path.startsWith("/vod/");
  }

  rateLimited(retryAfterSeconds: number): StandInAnswer {
    const headers = {
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-retry-after": String(retryAfterSeconds),
    };
    return { ...problem(429, "too-many-requests", "Too many requests."), headers };
  }

  failed(status: number): StandInAnswer {
    return problem(status, "internal-error", "An internal error occurred.");
  }

  answer(call: StandInCall): StandInAnswer {
    if (!this.isApi(call.path)) return this.#files.answer(call);
    const answer = this.#resource(call);
    // The vendor's client takes JSON of no other name: with a charset, it refuses the answer.
    return { ...answer, headers: { ...answer.headers, "content-type": "application/json" } };
  }

  #resource(call: StandInCall): StandInAnswer {
    const { method, path } = call;
    if (method === "POST" && path === "/auth/api-key") return this.#authenticate(call.body);
    if (!this.#isKnown(call.headers.authorization ?? ""))
      return problem(401, "invalid-credentials", "The credentials are not valid.");
    if (method !== "GET") return problem(404, "not-found", "The requested resource was not found.");
    if (path === "/videos") return this.#list(call);
    const [, id, part] = /^\/videos\/([^/]+)(?:\/(status|captions|chapters))?$/.exec(path) ?? [];
    const video = id === undefined ? undefined : this.shelf.videos.get(decodeURIComponent(id));
    if (video === undefined)
      return problem(404, "resource-not-found", "The requested resource was not found.", "videoId");
    return this.#part(video, part, call);
  }

  #part(video: StandInVideo, part: string | undefined, call: StandInCall): StandInAnswer {
    if (part === undefined) return { status: 200, json: this.#files.video(video, call.origin) };
    if (part === "status") return { status: 200, json: statusOf(video) };
    const tracks =
      part === "captions" ? this.#files.captions(video, call.origin) : this.#files.chapters(video, call.origin);
    return this.#paged(call, tracks, (track) => track, false);
  }

  /** An unknown key is a bad request here, not 401. */
  #authenticate(body: unknown): StandInAnswer {
    const { apiKey } = (body === "" ? {} : body) as { apiKey?: unknown };
    if (typeof apiKey !== "string" || !KEYS.includes(apiKey)) {
      return problem(400, "authentication-invalid-api-key", "Authentication: invalid API key.", "apiKey");
    }
    const seconds = this.#options.tokenSeconds ?? 3600;
    const iat = Math.floor(this.#nowMs() / 1000);
    const payload = { iat, nbf: iat, exp: iat + seconds, jti: ++this.tokens, projectId: API_VIDEO_PROJECT };
    const token =
      this.#options.namesProject === false
        ? `opaque-${this.tokens}`
        : [{ typ: "JWT", alg: "RS256" }, payload].map(base64Url).join(".") + ".c2ln";
    this.#accessTokens.set(token, this.#nowMs() + seconds * 1000);
    return {
      status: 200,
      json: { token_type: "Bearer", expires_in: seconds, access_token: token, refresh_token: `refresh-${this.tokens}` },
    };
  }

  /** Both ways of the documents: Basic with the key as user name, and a bearer token. */
  #isKnown(authorization: string): boolean {
    if (KEYS.some((key) => authorization === `Basic ${btoa(`${key}:`)}`)) return true;
    const [, token = ""] = /^Bearer (.+)$/.exec(authorization) ?? [];
    return (this.#accessTokens.get(token) ?? 0) > this.#nowMs();
  }

  #list(call: StandInCall): StandInAnswer {
    const { query, origin } = call;
    const field = query.get("sortBy") ?? "publishedAt";
    const newest = this.shelf.newestFirst();
    const sorted =
      field === "title" ? newest.toSorted((a, b) => ((a.title ?? "") < (b.title ?? "") ? -1 : 1)) : newest.toReversed();
    const ordered = query.get("sortOrder") === "asc" ? sorted : sorted.toReversed();
    const title = query.get("title");
    const found = title === null ? ordered : ordered.filter((video) => (video.title ?? "").includes(title));
    return this.#paged(call, found, (video) => this.#files.video(video, origin), true);
  }

  #paged<T>({ query, path }: StandInCall, items: T[], show: (item: T) => unknown, isFaulty: boolean): StandInAnswer {
    const asked = Number(query.get("pageSize") ?? 25);
    const wanted = Number(query.get("currentPage") ?? 1);
    if (!(asked >= 1 && asked <= 100 && wanted >= 1))
      return problem(400, "invalid-attribute", "An attribute is invalid.", "pageSize");
    const { circles, repeats } = isFaulty ? this.shelf.lists : { circles: false, repeats: false };
    const pageSize = Math.min(this.#options.pageSize ?? 100, asked);
    const pagesTotal = Math.ceil(items.length / pageSize);
    const currentPage = circles && wanted >= pagesTotal ? 1 : wanted;
    const begin = (currentPage - 1) * pageSize;
    const page = items.slice(repeats ? Math.max(0, begin - 1) : begin, begin + pageSize);
    const link = (rel: string, number: number) => ({ rel, uri: `${path}?currentPage=${number}&pageSize=${pageSize}` });
    const pagination = {
      itemsTotal: items.length,
      pagesTotal,
      pageSize,
      currentPage,
      currentPageItems: page.length,
      links: [
        link("self", currentPage),
        link("first", 1),
        link("last", Math.max(1, pagesTotal)),
        ...(currentPage < pagesTotal ? [link("next", currentPage + 1)] : []),
      ],
    };
    return { status: 200, json: { data: page.map(show), pagination } };
  }
}

function statusOf({ clip, state, audioTracks }: StandInVideo) {
  const mp4 = { ready: "encoded", preparing: "encoding", errored: "failed", live: "waiting" }[state];
  return {
    ingest: {
      status: state === "preparing" ? "uploading" : "uploaded",
      filesize: clip.content.size,
      receivedBytes: [],
    },
    encoding: {
      playable: state === "ready",
      qualities: [
        { type: "hls", quality: "360p", status: mp4 },
        { type: "mp4", quality: "360p", status: mp4 },
      ],
      metadata: {
        width: clip.widthPx,
        height: clip.heightPx,
        bitrate: 766,
        duration: clip.durationMs / 1000,
        framerate: 24,
        samplerate: 44_100,
        videoCodec: "h264",
        audioCodec: audioTracks > 0 ? "aac" : null,
        aspectRatio: "16:9",
      },
    },
  };
}

function problem(status: number, kind: string, title: string, name?: string): StandInAnswer {
  const type = `https://docs.api.video/reference/${kind}`;
  return { status, json: { type, title, status, ...(name === undefined ? {} : { name }) } };
}

const base64Url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
