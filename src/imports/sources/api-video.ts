/**
 * api.video. Documents: API reference (Videos, Captions, Chapters), "Private mp4 video playback and delivery", "Private Video Session Tokens",
 * "Too many requests", read November 2026.
 */
import { z } from "@hono/zod-openapi";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { CaptionsError } from "../../media/captions/cue.ts";
import { plainText } from "../../media/captions/markup.ts";
import { parseWebVtt } from "../../media/captions/webvtt.ts";
import { readAnswer } from "./read-answer.ts";
import { API_VIDEO, ApiVideoClient } from "./api-video-client.ts";
import { ApiVideo, ApiVideoStatus, listedOf, obstacleOf, withStatus } from "./api-video-videos.ts";
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
  type Resolution,
  type Selection,
  type Source,
  type SourcePage,
} from "./source.ts";

const Options = z.strictObject({
  sandbox: z
    .boolean()
    .default(false)
    .describe("Whether the API key is one of the sandbox, whose videos have a watermark."),
});
type Options = z.infer<typeof Options>;
const Credentials = z.strictObject({
  apiKey: z.string().min(1).max(512).describe("API key of the project, from the dashboard of api.video."),
});
type Credentials = z.infer<typeof Credentials>;

const Caption = z.object({ src: z.string(), srclang: z.string(), languageName: z.string().nullish() });
const Chapters = z.object({ src: z.string(), language: z.string().nullish() });

const HOUR_MS = 3_600_000;
/** A session lasts 24 hours. */
const SESSION_MS = 23 * HOUR_MS;
/** Of a private address without a session: it works once. */
const ONCE_MS = 60_000;

export const apiVideoSource: SourceDefinition<Options, Credentials> = {
  kind: "api_video",
  name: "api.video",
  baseOf: ({ sandbox }) => (sandbox ? "https://sandbox.api.video" : "https://ws.api.video"),
  basePath: "",
  options: Options,
  credentials: Credentials,
  isOpenToAll: false,
  open: ({ credentials, nowMs }, http) => new ApiVideoSource(credentials, nowMs, http),
};

class ApiVideoSource implements Source {
  // The limits of a project are in X-RateLimit-Limit, a minute; the documents have no figure.
  readonly pace = { readsPerSecond: 8, writesPerSecond: 1, concurrency: 8 };
  readonly neverKept = [
    "play counts and analytics",
    "thumbnails that were chosen by hand",
    "watermarks as settings",
    "player themes",
  ];
  readonly needsRelease = false;
  readonly changesAtSource = false;
  readonly listIsPartial = true;
  readonly #client: ApiVideoClient;
  readonly #apiKey: string;
  readonly #nowMs: () => number;

  constructor({ apiKey }: Credentials, nowMs: () => number, http: SourceHttp) {
    this.#client = new ApiVideoClient(http, apiKey, nowMs);
    this.#apiKey = apiKey;
    this.#nowMs = nowMs;
  }

  /** Asks for a token and one video. No call names the project of a key, but the token does. */
  async check(): Promise<CredentialCheck> {
    const projectId = projectOf(await this.#client.accessToken());
    await this.#client.page("/videos", 1, 1);
    const account = projectId ?? `key-${(await sha256Hex(this.#apiKey)).slice(0, 32)}`;
    return { account, accountName: null, missing: [] };
  }

  listPage(cursor: string | null, selection: Selection): Promise<SourcePage> {
    if (selection.ids !== undefined) return chosenPage(cursor, selection.ids, (id) => this.describe(id));
    const path = `/videos?sortBy=createdAt&sortOrder=${directionOf(selection)}`;
    return readNumbered(cursor, selection, API_VIDEO, (page) => this.#page(path, page));
  }

  /** Three calls, so it has what a list has not: duration, dimensions, readiness and chapters. */
  async describe(id: string): Promise<ListedVideo | null> {
    const path = `/videos/${encodeURIComponent(id)}`;
    const video = await this.#client.get(path);
    if (video === null) return null;
    const status = await this.#client.get(`${path}/status`);
    if (status === null) return null; // deleted in between
    const listed = withStatus(
      listedOf(readAnswer(ApiVideo, video, "api.video's video")),
      readAnswer(ApiVideoStatus, status, "api.video's status of a video"),
    );
    const { chapters, others } = await this.#chapters(path, listed.metadata["language"]);
    return { ...listed, chapters, left: [...listed.left, ...others.map((language) => `chapters in ${language}`)] };
  }

  /**
   * The MP4 file. That of a private video has a token that works once, and each GET of the video makes another; a session is opened with it,
   * so the address serves ranges of one download and its repeats for 23 hours. The documents say that a session spans several requests; they
   * do not say whether they must come from one address.
   */
  async resolve({ id }: ListedVideo): Promise<Resolution> {
    const answer = await this.#client.get(`/videos/${encodeURIComponent(id)}`);
    if (answer === null) throw new SourceFailure("video_gone", "api.video has no such video any more.");
    const video = readAnswer(ApiVideo, answer, "api.video's video");
    const obstacle = obstacleOf(video);
    const mp4 = video.assets?.mp4;
    if (obstacle !== null || !mp4)
      throw new SourceFailure(obstacle?.code ?? "no_file", obstacle?.message ?? "There is no MP4 file.");
    if (video.public) return { status: "ready", url: mp4, expiresAtMs: null };
    const url = await this.#client.withSession(mp4);
    return { status: "ready", url, expiresAtMs: this.#nowMs() + (url === mp4 ? ONCE_MS : SESSION_MS) };
  }

  /** Those of a private video are read here, as their addresses hold tokens. */
  async captions({ id, policy }: ListedVideo): Promise<ListedCaption[]> {
    const sessions = new Map<string, Promise<string>>();
    const entries = await this.#client.all(`/videos/${encodeURIComponent(id)}/captions`);
    return Promise.all(
      entries.map(async (entry) => {
        const { src, srclang, languageName } = readAnswer(Caption, entry, "api.video's caption");
        const named = { languageCode: srclang, name: languageName ?? null };
        if (policy === "public") return { ...named, url: src, text: null };
        return { ...named, url: null, text: await this.#client.file(await this.#client.withSession(src, sessions)) };
      }),
    );
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  async #page(path: string, number: number): Promise<NumberedPage> {
    const answer = await this.#client.page(path, number);
    if (answer === null) return { number, isLast: true, size: 1, total: null, videos: [] };
    const { data, pagination } = answer;
    return {
      number: pagination.currentPage,
      isLast: number >= pagination.pagesTotal,
      size: pagination.pageSize,
      total: pagination.itemsTotal,
      videos: readAnswer(z.object({ data: z.array(ApiVideo) }), { data }, "api.video's list of videos").data.map(
        listedOf,
      ),
    };
  }

  /** Chapters are one WebVTT file a language; ours have one language: the video's, else the first. */
  async #chapters(
    path: string,
    language: string | undefined,
  ): Promise<{ chapters: ListedChapter[]; others: string[] }> {
    const files = (await this.#client.all(`${path}/chapters`)).map((entry) =>
      readAnswer(Chapters, entry, "api.video's chapters"),
    );
    const chosen = files.find((file) => file.language === language) ?? files[0];
    if (chosen === undefined) return { chapters: [], others: [] };
    const text = await this.#client.file(await this.#client.withSession(chosen.src));
    return {
      chapters: chaptersOf(text),
      others: files.filter((file) => file !== chosen).map((file) => file.language ?? "another language"),
    };
  }
}

/** api.video checks no file that it takes; of one that is no WebVTT, nothing is kept. */
function chaptersOf(text: string): ListedChapter[] {
  try {
    return parseWebVtt(text).cues.map(({ startMs, text: title }) => ({ startMs, title: plainText(title) }));
  } catch (error) {
    if (error instanceof CaptionsError) return [];
    throw error;
  }
}

/** Access tokens are JWTs with a `projectId`, which is the same for every key of a project. The API does not promise their form. */
function projectOf(token: string): string | null {
  try {
    const payload = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const { projectId } = JSON.parse(payload) as { projectId?: unknown };
    return typeof projectId === "string" && /^[A-Za-z0-9]{1,64}$/.test(projectId) ? projectId : null;
  } catch {
    return null;
  }
}
