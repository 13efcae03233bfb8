/**
 * Cloudflare Stream as its clients meet it: Bearer tokens of a user or of the account, lists of at most 1,000 by time, downloads that are
 * ordered and polled, and tokens for private files. From https://developers.cloudflare.com/api/resources/stream,
 * …/stream/viewing-videos/download-videos and `cloudflare` 7.3.0, read in November 2026.
 */
import { additionalAudio, captionsOf, NOT_FOUND, refusal, result } from "./cloudflare-answers.ts";
import { cloudflareVideo, createdOf, sortableTime } from "./cloudflare-video.ts";
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

export const CLOUDFLARE_ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353";
/** Of a user, with Stream Write. */
export const CLOUDFLARE_TOKEN = "sEcReT-user-token-write-0000000000000001";
/** Of the account itself, with Stream Write. */
export const CLOUDFLARE_ACCOUNT_TOKEN = "sEcReT-account-token-write-00000000000002";
/** Of a user, with Stream Read. */
export const CLOUDFLARE_READ_TOKEN = "sEcReT-user-token-read-00000000000000003";

export interface CloudflareOptions {
  port?: number;
  /** Cloudflare has at most 1,000. */
  pageSize?: number;
  /** How often downloads are read before one that was ordered is ready; default 2. */
  readsUntilReady?: number;
  /** Cloudflare's own: 1,200 calls in five minutes; default none. */
  limit?: VendorLimit | null;
  /** Whether a video of exactly `end` is in the list; the documents do not say. */
  includesEnd?: boolean;
  /** Whether `/downloads/{download_type}` exists, as the documents say; default true. */
  hasDownloadTypes?: boolean;
}

export async function startCloudflareStandIn(options: CloudflareOptions = {}): Promise<StandIn> {
  const cloudflare = new Cloudflare(options);
  const served = await serveVendor(cloudflare, options.port, options.limit);
  return standInOf(cloudflare.shelf, served, () => cloudflare.ordered());
}

const BASE = "/client/v4";
const STREAM = `${BASE}/accounts/${CLOUDFLARE_ACCOUNT}/stream`;
const FORBIDDEN_FILE: StandInAnswer = { status: 401, text: "Unauthorized", contentType: "text/plain" };

class Cloudflare implements Vendor {
  readonly shelf = new Shelf((number) => (0xea95_1000_0000 + number).toString(16).padStart(32, "c"));
  /** Reads until the download is ready, by video. */
  readonly #downloads = new Map<string, number>();
  /** Videos that have an M4A of their sound, too. It is ready at once. */
  readonly #audio = new Set<string>();
  /** Whose file a token opens; only for those that are `downloadable`. */
  readonly #tokens = new Map<string, string>();
  readonly #pageSize: number;
  readonly #readsUntilReady: number;
  readonly #includesEnd: boolean;
  readonly #hasDownloadTypes: boolean;

  constructor({
    pageSize = 1000,
    readsUntilReady = 2,
    includesEnd = false,
    hasDownloadTypes = true,
  }: CloudflareOptions) {
    this.#pageSize = pageSize;
    this.#readsUntilReady = readsUntilReady;
    this.#includesEnd = includesEnd;
    this.#hasDownloadTypes = hasDownloadTypes;
  }

  isApi(path: string): boolean {
    return path.startsWith(`${BASE}/`);
  }

  /** Videos that have a download. */
  ordered(): string[] {
    return [...this.#downloads.keys()];
  }

  rateLimited(retryAfterSeconds: number): StandInAnswer {
    const answer = refusal(429, 971, "Please wait and consider throttling your request speed");
    const headers = { "retry-after": String(retryAfterSeconds), ratelimit: `"default";r=0;t=${retryAfterSeconds}` };
    return { ...answer, headers };
  }

  failed(status: number): StandInAnswer {
    return refusal(status, 10000, "Internal server error");
  }

  answer(call: StandInCall): StandInAnswer {
    if (!this.isApi(call.path)) return this.#file(call.path);
    const token = /^Bearer (.+)$/.exec(call.headers.authorization ?? "")?.[1] ?? "";
    if (!/^[A-Za-z0-9_-]{40,}$/.test(token)) return refusal(400, 6003, "Invalid request headers", 6111);
    if (call.path.endsWith("/tokens/verify")) return verify(call.path, token);
    if (![CLOUDFLARE_TOKEN, CLOUDFLARE_ACCOUNT_TOKEN, CLOUDFLARE_READ_TOKEN].includes(token)) {
      return refusal(401, 10000, "Authentication error");
    }
    if (!call.path.startsWith(STREAM)) return refusal(403, 10000, "Authentication error");
    if (call.method !== "GET" && token === CLOUDFLARE_READ_TOKEN) return refusal(403, 10000, "Authentication error");
    return this.#stream(call);
  }

  #stream(call: StandInCall): StandInAnswer {
    const [uid, action, language, form] = call.path.slice(STREAM.length + 1).split("/");
    if (uid === undefined || uid === "") return this.#list(call);
    const video = this.shelf.videos.get(uid);
    if (video === undefined) return NOT_FOUND;
    switch (`${call.method} ${action ?? ""}`) {
      case "GET ":
        return result(cloudflareVideo(video, call.origin));
      case "GET downloads":
      case "POST downloads":
      case "DELETE downloads":
        return this.#ofDownloads(call, video, language);
      case "POST token":
        return this.#token(uid, call.body);
      case "GET captions":
        return captionsOf(video, language, form);
      case "GET audio":
        return result({ audio: additionalAudio(video) });
      default:
        return refusal(405, 10005, "Method not allowed");
    }
  }

  #list({ query, origin }: StandInCall): StandInAnswer {
    const after = sortableTime(query.get("start") ?? query.get("after") ?? "0000-01-01T00:00:00Z");
    const end = sortableTime(query.get("end") ?? query.get("before") ?? "9999-01-01T00:00:00Z");
    const ids = query.get("id")?.split(",");
    const isBefore = (time: string) => time < end || (this.#includesEnd && time === end);
    const timed = this.shelf.newestFirst().map((video) => ({ video, time: sortableTime(createdOf(video)) }));
    const all = timed
      .filter(({ video }) => ids === undefined || ids.includes(video.id))
      .toSorted((a, b) => (a.time === b.time ? 0 : a.time < b.time === (query.get("asc") === "true") ? -1 : 1));
    const matching = all.filter(({ time }) => time > after && isBefore(time));
    const { circles, repeats } = this.shelf.lists;
    const oldest = all.at(-1);
    if (circles && query.has("end") && oldest !== undefined && matching.every(({ time }) => time <= oldest.time)) {
      return this.#page(all, query, origin);
    }
    const before = all.findLast(({ time }) => !isBefore(time));
    return this.#page(repeats && before !== undefined ? [before, ...matching] : matching, query, origin);
  }

  #page(matching: { video: StandInVideo }[], query: URLSearchParams, origin: string): StandInAnswer {
    const limit = Math.min(this.#pageSize, Number(query.get("limit") ?? 1000));
    const page = matching.slice(0, limit).map(({ video }) => cloudflareVideo(video, origin));
    const counts =
      query.get("include_counts") === "true" ? { total: String(matching.length), range: String(page.length) } : {};
    return { status: 200, json: { result: page, success: true, errors: [], messages: [], ...counts } };
  }

  /** @param kind `default` and `audio` have addresses of their own; without it an order is for `default`, and a deletion for all that there are */
  #ofDownloads({ method, origin }: StandInCall, video: StandInVideo, kind: string | undefined): StandInAnswer {
    const isKnown = kind === undefined || (this.#hasDownloadTypes && (kind === "default" || kind === "audio"));
    if (!isKnown || (method === "GET" && kind !== undefined)) return refusal(405, 10005, "Method not allowed");
    if (method === "GET") return this.#pollDownloads(video.id, origin);
    return method === "POST" ? this.#order(video, kind ?? "default", origin) : this.#deleteDownloads(video.id, kind);
  }

  #deleteDownloads(uid: string, kind: string | undefined): StandInAnswer {
    const hadDefault = kind !== "audio" && this.#downloads.delete(uid);
    const hadAudio = kind !== "default" && this.#audio.delete(uid);
    return kind === undefined || hadDefault || hadAudio ? result("") : refusal(404, 10003, "Not Found");
  }

  #pollDownloads(uid: string, origin: string): StandInAnswer {
    const answer = result(this.#downloadsOf(uid, origin));
    const left = this.#downloads.get(uid);
    if (left !== undefined) this.#downloads.set(uid, Math.max(0, left - 1));
    return answer;
  }

  #order(video: StandInVideo, kind: string, origin: string): StandInAnswer {
    if (video.state !== "ready") return refusal(400, 10005, "Bad Request: The video is not ready to be downloaded");
    if (kind === "audio") this.#audio.add(video.id);
    else this.#downloads.set(video.id, this.#downloads.get(video.id) ?? this.#readsUntilReady);
    return result(this.#downloadsOf(video.id, origin));
  }

  #downloadsOf(uid: string, origin: string) {
    const base = `${origin}/${uid}/downloads`;
    const ready = (file: string) => ({ status: "ready", url: `${base}/${file}`, percentComplete: 100 });
    const left = this.#downloads.get(uid);
    return {
      ...(left === undefined
        ? {}
        : { default: { ...ready("default.mp4"), ...(left > 0 && { status: "inprogress", percentComplete: 75 }) } }),
      ...(this.#audio.has(uid) && { audio: ready("audio.m4a") }),
    };
  }

  #token(uid: string, body: unknown): StandInAnswer {
    const { downloadable, exp } = body === "" ? {} : (body as { downloadable?: unknown; exp?: unknown });
    const nowSeconds = Date.now() / 1000;
    if (exp !== undefined && (typeof exp !== "number" || exp > nowSeconds + 86_400)) {
      return refusal(400, 10005, "Bad Request: exp is more than 24 hours ahead");
    }
    const token = `eyJhbGciOiJSUzI1NiJ9.${btoa(`${uid}:${this.#tokens.size}`).replaceAll("=", "")}.c2lnbmF0dXJl`;
    if (downloadable === true) this.#tokens.set(token, uid);
    return result({ token });
  }

  #file(path: string): StandInAnswer {
    const [, key] = /^\/([^/]+)\/downloads\/default\.mp4$/.exec(path) ?? [];
    const uid = this.#tokens.get(key ?? "") ?? key ?? "";
    const video = this.shelf.videos.get(uid);
    if (video !== undefined && video.policy !== "public" && uid === key) return FORBIDDEN_FILE;
    if (video === undefined || this.#downloads.get(uid) !== 0)
      return { status: 404, text: "Not found", contentType: "text/plain" };
    return { status: 200, content: video.clip.content, contentType: "video/mp4" };
  }
}

function verify(path: string, token: string): StandInAnswer {
  const isOfAccount = path === `${BASE}/accounts/${CLOUDFLARE_ACCOUNT}/tokens/verify`;
  const known = isOfAccount ? [CLOUDFLARE_ACCOUNT_TOKEN] : [CLOUDFLARE_TOKEN, CLOUDFLARE_READ_TOKEN];
  if (!known.includes(token)) return refusal(401, 1000, "Invalid API Token");
  return result({ id: "6247ac8d9c10ba11154a2b82d35953b7", status: "active" });
}
