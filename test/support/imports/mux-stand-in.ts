/**
 * Mux as its clients meet it: Basic authentication, lists by cursor, master access that is switched and must be polled, and files at
 * addresses below the same origin. From https://www.mux.com/docs/api-reference and @mux/mux-node 15.3.0, read in November 2026.
 */
import { FORBIDDEN_FILE, NO_FILE, NOT_FOUND, problem, streamFile } from "./mux-answers.ts";
import { muxAsset, NO_MASTER, type MuxAsset, type MuxMaster } from "./mux-asset.ts";
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

export const MUX_TOKEN = { tokenId: "5e0a1c3f-full-token", tokenSecret: "sEcReT/of+the/full+token==" };
export const MUX_READ_TOKEN = { tokenId: "77b2d9e4-read-token", tokenSecret: "sEcReT/of+the/read+token==" };

export interface MuxStandIn extends StandIn {
  /** As somebody does it in Mux's dashboard, or as its day ends. */
  switchMaster(id: string, access: "temporary" | "none"): void;
}

export interface MuxOptions {
  port?: number;
  /** Mux has at most 100. */
  pageSize?: number;
  /** How often an asset is read before a master that was asked for is ready; default 2. */
  readsUntilReady?: number;
  /** Mux's own, as the brief of the API has it: 5 reads and 1 write a second; default none. */
  limit?: VendorLimit | null;
}

const WHOAMI = {
  organization_id: "org-1",
  organization_name: "Films & Sons",
  environment_id: "env-7",
  environment_name: "Production",
  environment_type: "production",
};

export async function startMuxStandIn(options: MuxOptions = {}): Promise<MuxStandIn> {
  const mux = new Mux(options);
  const served = await serveVendor(mux, options.port, options.limit);
  return {
    ...standInOf(mux.shelf, served, () => mux.switched()),
    switchMaster: (id, access) => mux.switchMaster(id, access),
  };
}

class Mux implements Vendor {
  readonly shelf = new Shelf((number) => `asset${String(number).padStart(6, "0")}`);
  readonly #masters = new Map<string, MuxMaster>();
  readonly #pageSize: number;
  readonly #readsUntilReady: number;
  #signatures = 0;

  constructor({ pageSize = 100, readsUntilReady = 2 }: MuxOptions) {
    this.#pageSize = pageSize;
    this.#readsUntilReady = readsUntilReady;
  }

  isApi(path: string): boolean {
    return path.startsWith("/video/") || path.startsWith("/system/");
  }

  rateLimited(retryAfterSeconds: number): StandInAnswer {
    const headers = {
      "retry-after": String(retryAfterSeconds),
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
    };
    return { status: 429, headers, json: { errors: ["Too many requests, retry later."] } };
  }

  failed(status: number): StandInAnswer {
    return { status, json: { error: { type: "internal_server_error", messages: ["An unexpected error occurred"] } } };
  }

  answer(call: StandInCall): StandInAnswer {
    if (!this.isApi(call.path)) return this.#file(call);
    const token = tokenOf(call);
    if (token === null) return problem(401, "unauthorized", "Unauthorized request");
    if (call.path === "/system/v1/whoami") return this.#whoami(token);
    if (call.path === "/video/v1/assets" && call.method === "GET") return this.#list(call);
    const [, id, action] = /^\/video\/v1\/assets\/([^/]+)(?:\/([^/]+))?$/.exec(call.path) ?? [];
    if (id === undefined) return NOT_FOUND;
    if (action === undefined && call.method === "GET") return this.#asset(decodeURIComponent(id), call.origin);
    if (action === "master-access" && call.method === "PUT") return this.#access(decodeURIComponent(id), token, call);
    return NOT_FOUND;
  }

  switched(): string[] {
    return [...this.#masters].filter(([, { access }]) => access === "temporary").map(([id]) => id);
  }

  switchMaster(id: string, access: "temporary" | "none"): void {
    if (access === "none") return void this.#masters.delete(id);
    const signature = `c2lnbmF0dXJl${++this.#signatures}`;
    this.#masters.set(id, { access, readsLeft: this.#readsUntilReady, signature });
  }

  #whoami(token: typeof MUX_TOKEN): StandInAnswer {
    const isFull = token.tokenId === MUX_TOKEN.tokenId;
    const permissions = isFull ? ["video:read", "video:write"] : ["video:read"];
    return {
      status: 200,
      json: { data: { ...WHOAMI, access_token_name: isFull ? "Migration" : "Reporting", permissions } },
    };
  }

  /** The cursor is the id of the last asset of the page before, so that no removed asset shifts the list. */
  #list({ query, origin }: StandInCall): StandInAnswer {
    const limit = Math.min(this.#pageSize, Number(query.get("limit") ?? 25));
    const all = this.shelf.newestFirst();
    const [afterMs, afterId] = (query.get("cursor") ?? "Infinity_").split("_");
    const after = all.findIndex(
      (video) =>
        video.createdAtMs < Number(afterMs) || (video.createdAtMs === Number(afterMs) && video.id > (afterId ?? "")),
    );
    const begin = after === -1 ? all.length : after;
    const end = Math.min(all.length, begin + limit);
    const { circles, repeats } = this.shelf.lists;
    const page = all.slice(repeats ? Math.max(0, begin - 1) : begin, end);
    const last = page.at(-1);
    const isLast = end >= all.length || last === undefined;
    const next = isLast ? (circles ? "Infinity_" : null) : `${last.createdAtMs}_${last.id}`;
    return { status: 200, json: { data: page.map((video) => this.#shown(video, origin)), next_cursor: next } };
  }

  #asset(id: string, origin: string): StandInAnswer {
    const video = this.shelf.videos.get(id);
    if (video === undefined) return NOT_FOUND;
    const shown = this.#shown(video, origin);
    const master = this.#masters.get(id);
    if (master !== undefined) master.readsLeft = Math.max(0, master.readsLeft - 1);
    return { status: 200, json: { data: shown } };
  }

  #access(id: string, token: typeof MUX_TOKEN, { body, origin }: StandInCall): StandInAnswer {
    if (token.tokenId !== MUX_TOKEN.tokenId)
      return problem(403, "forbidden", "This token does not have the permission video:write.");
    const video = this.shelf.videos.get(id);
    if (video === undefined) return NOT_FOUND;
    const wanted = (body as { master_access?: unknown }).master_access;
    if (wanted !== "temporary" && wanted !== "none")
      return problem(400, "invalid_parameters", "master_access must be temporary or none");
    if (video.state !== "ready") return problem(400, "invalid_parameters", "Asset is not in ready state");
    if (wanted === "temporary" && this.#masters.has(id)) {
      return problem(400, "invalid_parameters", "Download already exists");
    }
    this.switchMaster(id, wanted);
    return { status: 200, json: { data: this.#shown(video, origin) } };
  }

  #shown(video: StandInVideo, origin: string): MuxAsset {
    return muxAsset(video, this.#masters.get(video.id) ?? NO_MASTER, origin);
  }

  #file({ path, query, origin }: StandInCall): StandInAnswer {
    const [, masterId] = /^\/master\/([^/]+)\/master\.mp4$/.exec(path) ?? [];
    if (masterId !== undefined) return this.#masterFile(masterId, query.get("signature"));
    const [, playbackId, name] = /^\/([^/]+)\/(.+)$/.exec(path) ?? [];
    for (const video of this.#candidates(playbackId ?? "")) {
      const asset = this.#shown(video, origin);
      const policy = asset.playback_ids.find(({ id }) => id === playbackId)?.policy;
      if (policy !== undefined && policy !== "public") return FORBIDDEN_FILE;
      if (policy === "public") return streamFile(video, asset, name ?? "");
    }
    return NO_FILE;
  }

  #candidates(playbackId: string): Iterable<StandInVideo> {
    const usual = this.shelf.videos.get(playbackId.slice(2));
    return usual === undefined ? this.shelf.videos.values() : [usual];
  }

  #masterFile(id: string, signature: string | null): StandInAnswer {
    const master = this.#masters.get(id);
    const video = this.shelf.videos.get(id);
    const isOpen = master !== undefined && master.readsLeft === 0 && master.signature === signature;
    if (video === undefined || !isOpen) return FORBIDDEN_FILE;
    return { status: 200, content: video.clip.content, contentType: "video/mp4" };
  }
}

function tokenOf(call: StandInCall): typeof MUX_TOKEN | null {
  const given = call.headers.authorization ?? "";
  const accepted = [MUX_TOKEN, MUX_READ_TOKEN];
  return accepted.find(({ tokenId, tokenSecret }) => given === `Basic ${btoa(`${tokenId}:${tokenSecret}`)}`) ?? null;
}
