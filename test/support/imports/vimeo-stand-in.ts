/**
 * Vimeo as its clients meet it: bearer tokens with scopes, numbered pages with paths to the next one, `fields`, and links that redirect to
 * files. Without the scope `video_files`, or on a free plan, the fields of files are missing from answers. From
 * https://developer.vimeo.com/api/reference 3.4 and "About video file download links from the API", read in November 2026.
 */
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
import { picked, vimeoTracks, vimeoVideo, type VimeoOwn } from "./vimeo-video.ts";

export const VIMEO_TOKEN = "f0e1d2c3b4a5968778695a4b3c2d1e0f";
/** Without `video_files`. */
export const VIMEO_HALF_TOKEN = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

const SCOPES: Record<string, string> = {
  [VIMEO_TOKEN]: "public private video_files",
  [VIMEO_HALF_TOKEN]: "public private",
};

export interface VimeoStandInOptions {
  port?: number;
  /** Vimeo has at most 100. */
  pageSize?: number;
  limit?: VendorLimit | null;
  /** Default standard. */
  plan?: string;
  nowMs?: () => number;
}

const LINK_MS = 24 * 3_600_000;

export async function startVimeoStandIn(options: VimeoStandInOptions = {}): Promise<StandIn> {
  const vimeo = new Vimeo(options);
  return standInOf(vimeo.shelf, await serveVendor(vimeo, options.port, options.limit));
}

class Vimeo implements Vendor {
  readonly shelf = new Shelf((number) => String(76_000_000 + number));
  readonly #options: VimeoStandInOptions;
  readonly #nowMs: () => number;

  constructor(options: VimeoStandInOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  isApi(path: string): boolean {
    return !/^\/(?:links|cdn|tracks)\//.test(path);
  }

  /** Vimeo names the time at which requests are taken again, not how long that is. */
  rateLimited(retryAfterSeconds: number): StandInAnswer {
    const headers = {
      "x-ratelimit-limit": "250",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": new Date(Date.now() + retryAfterSeconds * 1000).toISOString(),
    };
    return { ...problem(429, "Too many API requests.", 9000), headers };
  }

  failed(status: number): StandInAnswer {
    return problem(status, "An unknown error has occurred.", 4000);
  }

  answer(call: StandInCall): StandInAnswer {
    if (!this.isApi(call.path)) return this.#file(call);
    const [, token = ""] = /^Bearer (.+)$/i.exec(call.headers.authorization ?? "") ?? [];
    const scope = SCOPES[token];
    if (scope === undefined) return problem(401, "You must provide a valid authenticated access token.", 8003);
    const answer = this.#resource(call, scope);
    const fields = call.query.get("fields");
    if (answer.status !== 200 || fields === null || !("json" in answer)) return answer;
    return { ...answer, json: filtered(answer.json, fields.split(",")) };
  }

  #resource(call: StandInCall, scope: string): StandInAnswer {
    const { path, method } = call;
    if (method !== "GET") return problem(405, "The method is not allowed.", 1000);
    if (path === "/oauth/verify")
      return { status: 200, json: { token_type: "bearer", scope, user: this.#user(), app: { name: "Migration" } } };
    if (path === "/me") return { status: 200, json: this.#user() };
    if (path === "/me/videos") return this.#list(call, scope);
    const [, id = "", part] = /^\/videos\/(\d+)(?:\/(texttracks|chapters))?$/.exec(path) ?? [];
    const video = this.shelf.videos.get(id);
    if (video === undefined) return problem(404, "The requested video couldn't be found.", 5000);
    if (part === undefined) return { status: 200, json: this.#shown(video, call.origin, scope) };
    const items = part === "texttracks" ? vimeoTracks(video, call.origin) : chaptersOf(video);
    return { status: 200, json: { total: items.length, page: 1, per_page: 25, paging: { next: null }, data: items } };
  }

  #list({ query, origin, path }: StandInCall, scope: string): StandInAnswer {
    const perPage = Math.min(this.#options.pageSize ?? 100, Number(query.get("per_page") ?? 25));
    const page = Number(query.get("page") ?? 1);
    const newest = this.shelf.newestFirst();
    const all = query.get("direction") === "asc" ? newest.toReversed() : newest;
    const last = Math.max(1, Math.ceil(all.length / perPage));
    if (page > last) return problem(404, "The requested page couldn't be found.", 2969);
    const { circles, repeats } = this.shelf.lists;
    const begin = (page - 1) * perPage;
    const videos = all.slice(repeats ? Math.max(0, begin - 1) : begin, begin + perPage);
    const at = (number: number) =>
      `${path}?${new URLSearchParams({ ...Object.fromEntries(query), page: String(number) }).toString()}`;
    const paging = {
      next: page < last ? at(page + 1) : circles ? at(1) : null,
      previous: page > 1 ? at(page - 1) : null,
      first: at(1),
      last: at(last),
    };
    const data = videos.map((video) => this.#shown(video, origin, scope));
    return { status: 200, json: { total: all.length, page, per_page: perPage, paging, data } };
  }

  #shown(video: StandInVideo, origin: string, scope: string): Record<string, unknown> {
    const isPaid = this.#options.plan !== "free" && this.#options.plan !== "basic";
    const withFiles = isPaid && scope.includes("video_files");
    const { download, files, ...rest } = vimeoVideo(video, origin, this.#nowMs() + LINK_MS);
    return withFiles ? { ...rest, download, files } : rest;
  }

  #user() {
    return {
      uri: "/users/152184",
      name: "Films & Sons",
      link: "https://vimeo.com/films",
      account: this.#options.plan ?? "standard",
    };
  }

  /** A link redirects to the file, whose own address is another each time. */
  #file({ path, query, origin }: StandInCall): StandInAnswer {
    const [, kind, id = "", rest = ""] = /^\/(links|cdn|tracks)\/(\d+)\/(.+)$/.exec(path) ?? [];
    const video = this.shelf.videos.get(id);
    if (video === undefined) return { status: 404, text: "Not found", contentType: "text/plain" };
    if (kind === "tracks") return trackFile(video, rest);
    if (Number(query.get("exp")) < this.#nowMs()) return { status: 403, text: "Expired", contentType: "text/plain" };
    if (kind === "cdn") return { status: 200, content: video.clip.content, contentType: "video/mp4" };
    const location = `${origin}/cdn/${id}/${rest}?exp=${query.get("exp")}`;
    return { status: 302, headers: { location }, text: "", contentType: "text/plain" };
  }
}

function trackFile(video: StandInVideo, name: string): StandInAnswer {
  const text = video.captions.find(({ languageCode }) => name === `${languageCode}.vtt`)?.text;
  if (text === undefined) return { status: 404, text: "Not found", contentType: "text/plain" };
  return { status: 200, text, contentType: "text/vtt" };
}

const chaptersOf = (video: StandInVideo): unknown[] =>
  ((video.own as VimeoOwn).chapters ?? []).map(({ title, timecode }, index) => ({
    uri: `/videos/${video.id}/chapters/${index + 1}`,
    title,
    timecode,
    active: true,
  }));

/** `fields` of a list are those of its items. */
function filtered(json: unknown, fields: string[]): unknown {
  const list = json as { data?: unknown[] };
  return Array.isArray(list.data)
    ? { ...list, data: list.data.map((item) => picked(item, fields)) }
    : picked(json, fields);
}

function problem(status: number, error: string, errorCode: number): StandInAnswer {
  return { status, json: { error, link: null, developer_message: error, error_code: errorCode } };
}
