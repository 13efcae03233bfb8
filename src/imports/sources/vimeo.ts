/**
 * Vimeo. Documents: API reference 3.4 (Videos, Text tracks, Chapters), "About video file download links from the API", "API Best Practices",
 * "Rate limits", read November 2026.
 */
import { z } from "@hono/zod-openapi";
import { readAnswer, unexpectedStatus } from "./read-answer.ts";
import { chosenPage } from "./chosen-page.ts";
import type { SourceDefinition } from "./definition.ts";
import { directionOf, readNumbered, type NumberedPage } from "./numbered-pages.ts";
import type { SourceHttp } from "./source-http.ts";
import {
  SourceFailure,
  type CredentialCheck,
  type ListedCaption,
  type ListedChapter,
  type ListedVideo,
  type MissingPermission,
  type Resolution,
  type Selection,
  type Source,
  type SourcePage,
} from "./source.ts";
import { bestFile, expiryOf } from "./vimeo-files.ts";
import { listedOf, obstacleOf, VIDEO_FIELDS, VimeoVideo } from "./vimeo-videos.ts";

const Options = z.strictObject({});
type Options = z.infer<typeof Options>;
const Credentials = z.strictObject({
  accessToken: z
    .string()
    .min(1)
    .max(512)
    .describe("Personal access token with the scopes `private` and `video_files`, of an account with a paid plan."),
});
type Credentials = z.infer<typeof Credentials>;

const VIMEO = "Vimeo";
const PAGE = 100;
const HOUR_MS = 3_600_000;
/** Of a link that names no end; the documents give the shortest a day. */
const LINK_MS = 23 * HOUR_MS;
const FREE_PLANS = new Set(["basic", "free"]);

const Paging = z.object({
  total: z.number(),
  page: z.number(),
  per_page: z.number(),
  paging: z.object({ next: z.string().nullable() }),
  data: z.array(VimeoVideo),
});
const Verified = z.object({ scope: z.string() });
const Me = z.object({
  uri: z.string().regex(/^\/users\/\d{1,20}$/),
  name: z.string().nullish(),
  account: z.string().nullish(),
});
const TextTracks = z.object({
  data: z.array(
    z.object({
      active: z.boolean().nullish(),
      type: z.string().nullish(),
      language: z.string().nullish(),
      name: z.string().nullish(),
      link: z.string(),
    }),
  ),
});
const Chapters = z.object({ data: z.array(z.object({ title: z.string().nullish(), timecode: z.number() })) });

export const vimeoSource: SourceDefinition<Options, Credentials> = {
  kind: "vimeo",
  name: VIMEO,
  baseOf: () => "https://api.vimeo.com",
  basePath: "",
  options: Options,
  credentials: Credentials,
  isOpenToAll: false,
  open: ({ credentials, nowMs }, http) => new VimeoSource(credentials, nowMs, http),
};

class VimeoSource implements Source {
  // Plans allow between 25 and some thousands of requests a minute; X-RateLimit-* has the figure of the account.
  readonly pace = { readsPerSecond: 4, writesPerSecond: 1, concurrency: 8 };
  readonly neverKept = [
    "play counts and analytics",
    "thumbnails that were chosen by hand",
    "comments, likes, showcases and channels",
    "older versions of a video",
  ];
  readonly needsRelease = false;
  readonly changesAtSource = false;
  readonly listIsPartial = true;
  readonly #http: SourceHttp;
  readonly #headers: Record<string, string>;
  readonly #nowMs: () => number;

  constructor({ accessToken }: Credentials, nowMs: () => number, http: SourceHttp) {
    this.#http = http;
    this.#headers = { authorization: `Bearer ${accessToken}`, accept: "application/vnd.vimeo.*+json;version=3.4" };
    this.#nowMs = nowMs;
  }

  /** Vimeo leaves fields out where a scope or the plan does not allow them, so both are asked for. */
  async check(): Promise<CredentialCheck> {
    const { scope } = readAnswer(Verified, await this.#get("/oauth/verify?fields=scope"), "Vimeo's check of a token");
    const me = readAnswer(Me, await this.#get("/me?fields=uri,name,account"), "Vimeo's account");
    const missing = [...missingScopes(scope.split(/\s+/)), ...missingPlan(me.account ?? null)];
    return { account: me.uri.replace("/users/", ""), accountName: me.name ?? null, missing };
  }

  listPage(cursor: string | null, selection: Selection): Promise<SourcePage> {
    if (selection.ids !== undefined) return chosenPage(cursor, selection.ids, (id) => this.describe(id));
    const path = `/me/videos?sort=date&direction=${directionOf(selection)}&per_page=${PAGE}&fields=${VIDEO_FIELDS}`;
    return readNumbered(cursor, selection, VIMEO, (page) => this.#page(`${path}&page=${page}`, page));
  }

  /** Two calls: a list has no chapters. */
  async describe(id: string): Promise<ListedVideo | null> {
    if (!/^\d{1,20}$/.test(id)) return null;
    const answer = await this.#get(`/videos/${id}?fields=${VIDEO_FIELDS}`);
    if (answer === null) return null;
    return { ...listedOf(readAnswer(VimeoVideo, answer, "Vimeo's video")), chapters: await this.#chapters(id) };
  }

  /** A link that redirects to a file. The file's own address lasts a few hours, so each fetch begins with the link. */
  async resolve({ id }: ListedVideo): Promise<Resolution> {
    const answer = await this.#get(`/videos/${id}?fields=uri,status,transcode.status,download,files`);
    if (answer === null) throw new SourceFailure("video_gone", "Vimeo has no such video any more.");
    const video = readAnswer(VimeoVideo, answer, "Vimeo's video");
    const obstacle = obstacleOf(video);
    if (obstacle !== null) throw new SourceFailure(obstacle.code, obstacle.message);
    const file = bestFile(video);
    if (!file?.link) throw new SourceFailure("no_file", "Vimeo offers no file of the video.");
    const expiresAtMs = expiryOf(file) ?? this.#nowMs() + LINK_MS;
    return { status: "ready", url: file.link, expiresAtMs, bytes: file.size ?? null };
  }

  /** Those that viewers can switch on. Their links need no credentials, and end within a day. */
  async captions({ id }: ListedVideo): Promise<ListedCaption[]> {
    const answer = await this.#get(`/videos/${id}/texttracks?per_page=${PAGE}&fields=active,type,language,name,link`);
    if (answer === null) return [];
    return readAnswer(TextTracks, answer, "Vimeo's list of text tracks")
      .data.filter(({ active, type }) => active !== false && (!type || type === "captions" || type === "subtitles"))
      .map(({ language, name, link }) => ({
        languageCode: language ?? "und",
        name: name ?? null,
        url: link,
        text: null,
      }));
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  async #page(path: string, number: number): Promise<NumberedPage> {
    const answer = await this.#get(path);
    if (answer === null) return { number, isLast: true, size: PAGE, total: null, videos: [] };
    const { total, page, per_page: size, paging, data } = readAnswer(Paging, answer, "Vimeo's list of videos");
    const next = paging.next === null ? null : Number(/[?&]page=(\d+)/.exec(paging.next)?.[1]);
    if (next !== null && next !== page + 1) {
      throw new SourceFailure("source_unreadable", `Vimeo's list goes on from page ${page} with page ${next}.`);
    }
    return { number: page, isLast: next === null, size, total, videos: data.map(listedOf) };
  }

  /** Whole seconds at Vimeo. */
  async #chapters(id: string): Promise<ListedChapter[]> {
    const answer = await this.#get(`/videos/${id}/chapters?per_page=${PAGE}&fields=title,timecode`);
    if (answer === null) return [];
    const { data } = readAnswer(Chapters, answer, "Vimeo's list of chapters");
    return data.map(({ title, timecode }) => ({ startMs: Math.round(timecode * 1000), title: title ?? "" }));
  }

  /** @returns null for 404, which is also the answer for a page behind the end */
  async #get(path: string): Promise<unknown> {
    const { status, body } = await this.#http.json({ url: `${this.#http.base}${path}`, headers: this.#headers });
    if (status === 404) return null;
    if (status !== 200) throw unexpectedStatus(status, VIMEO);
    return body;
  }
}

function missingScopes(scopes: string[]): MissingPermission[] {
  const needed = [
    { permission: "private", message: "Videos that are not public do not show, and no others' settings." },
    { permission: "video_files", message: "Vimeo gives no addresses of files." },
  ];
  return needed
    .filter(({ permission }) => !scopes.includes(permission))
    .map((scope) => ({ ...scope, isRequired: true }));
}

function missingPlan(plan: string | null): MissingPermission[] {
  if (plan === null || !FREE_PLANS.has(plan)) return [];
  return [
    {
      permission: "a paid Vimeo plan",
      message: "Vimeo gives no addresses of files on its free plans.",
      isRequired: true,
    },
  ];
}
