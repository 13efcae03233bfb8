/**
 * Cloudflare Stream, by the API v4: https://developers.cloudflare.com/api/resources/stream,
 * https://developers.cloudflare.com/stream/viewing-videos/download-videos, …/securing-your-stream, and
 * https://developers.cloudflare.com/fundamentals/api/reference/limits, read in November 2026. Cloudflare keeps no original: the file is the
 * MP4 that it makes when a download is ordered. `release` deletes one that was ordered for the migration.
 */
import { z } from "@hono/zod-openapi";
import { chosenPage } from "./chosen-page.ts";
import { AudioAnswer, CaptionsAnswer, VideoAnswer } from "./cloudflare-answers.ts";
import { CloudflareApi, type CloudflareCredentials } from "./cloudflare-api.ts";
import { missingPermissions, verifyToken } from "./cloudflare-check.ts";
import { deleteDownload, resolveDownload } from "./cloudflare-files.ts";
import { listPage } from "./cloudflare-list-page.ts";
import { listedVideo } from "./cloudflare-listed.ts";
import type { SourceDefinition } from "./definition.ts";
import { HEADER_TEXT, readAnswer, textOrNull } from "./read-answer.ts";
import {
  SourceFailure,
  type CredentialCheck,
  type ListedCaption,
  type ListedVideo,
  type Resolution,
  type Selection,
  type Source,
  type SourcePage,
} from "./source.ts";

const Options = z.strictObject({});

const Credentials = z.strictObject({
  apiToken: z
    .string()
    .regex(HEADER_TEXT)
    .max(512)
    .describe("API token of a user or of the account, with the permissions Stream Read and Stream Write (Edit)."),
  accountId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("ID of the account, as Cloudflare's dashboard shows it: 32 hexadecimal digits."),
});

export const cloudflareStreamSource: SourceDefinition<z.infer<typeof Options>, CloudflareCredentials> = {
  kind: "cloudflare_stream",
  name: "Cloudflare Stream",
  baseOf: () => "https://api.cloudflare.com/client/v4",
  basePath: "/client/v4",
  options: Options,
  credentials: Credentials,
  isOpenToAll: false,
  open: ({ credentials, nowMs }, http) =>
    new CloudflareStreamSource(new CloudflareApi(http, credentials), credentials.accountId, nowMs),
};

class CloudflareStreamSource implements Source {
  /** Together below 1,200 calls in 5 minutes. Beyond it all calls of the token's owner are blocked for 5 minutes, those of others, too. */
  readonly pace = { readsPerSecond: 2.5, writesPerSecond: 1, concurrency: 8 };
  readonly needsRelease = true;
  readonly changesAtSource = true;
  readonly listIsPartial = false;
  readonly neverKept = [
    "the file that was uploaded: Cloudflare does not keep it, and the MP4 that it makes is what can be fetched",
    "audio tracks beyond the first",
    "views and other analytics",
    "signing keys and tokens",
    "thumbnails",
  ];
  readonly #api: CloudflareApi;
  readonly #accountId: string;
  readonly #nowMs: () => number;

  constructor(api: CloudflareApi, accountId: string, nowMs: () => number) {
    this.#api = api;
    this.#accountId = accountId.toLowerCase();
    this.#nowMs = nowMs;
  }

  async check(): Promise<CredentialCheck> {
    await verifyToken(this.#api);
    return { account: this.#accountId, accountName: null, missing: await missingPermissions(this.#api) };
  }

  listPage(cursor: string | null, selection: Selection): Promise<SourcePage> {
    if (selection.ids !== undefined) return chosenPage(cursor, selection.ids, (id) => this.describe(id));
    return listPage(this.#api, cursor, selection);
  }

  /** Says more than the list: it counts the sounds. */
  async describe(id: string): Promise<ListedVideo | null> {
    const answer = await this.#api.read({ path: this.#api.stream(id) }, VideoAnswer, "Cloudflare's answer for a video");
    if (answer === null) return null;
    const video = listedVideo(answer.result);
    const more = await this.#furtherSounds(id);
    if (more === 0) return video;
    return {
      ...video,
      audioTracks: 1 + more,
      left: [...video.left, `${more} additional audio tracks: the MP4 has the first one`],
    };
  }

  /**
   * Counts the sounds with the file, so that verification notes those that the MP4 lacks. A list does not say them, and a call for each video of
   * a scan would take as long as the migration.
   */
  async resolve(video: ListedVideo, state: Record<string, unknown> | null): Promise<Resolution> {
    const resolution = await resolveDownload(this.#api, video, state, this.#nowMs());
    if (resolution.status !== "ready" || video.audioTracks !== null) return resolution;
    const more = await this.#furtherSounds(video.id);
    return more === 0 ? resolution : { ...resolution, audioTracks: 1 + more };
  }

  /** Sounds beside the first one. 0 also where Cloudflare does not say it: then nothing is compared. */
  async #furtherSounds(id: string): Promise<number> {
    const { body, status } = await this.#api.json({ path: this.#api.stream(id, "/audio") });
    if (status >= 400) return 0;
    const { result } = readAnswer(AudioAnswer, body, "Cloudflare's list of audio tracks");
    return (Array.isArray(result) ? result : (result?.audio ?? [])).length;
  }

  async captions(video: ListedVideo): Promise<ListedCaption[]> {
    const answer = await this.#api.read(
      { path: this.#api.stream(video.id, "/captions") },
      CaptionsAnswer,
      "Cloudflare's list of captions",
    );
    const captions: ListedCaption[] = [];
    for (const { language, label, status } of answer?.result ?? []) {
      if (status != null && status !== "ready") continue;
      const text = await this.#api.text(this.#api.stream(video.id, `/captions/${encodeURIComponent(language)}/vtt`));
      if (text === null) continue; // Deleted since.
      if (!text.replace(/^\uFEFF/, "").startsWith("WEBVTT")) {
        const message = `Cloudflare's captions "${language.slice(0, 40)}" are not the documented WebVTT.`;
        throw new SourceFailure("source_unreadable", message);
      }
      captions.push({ languageCode: language, name: textOrNull(label), url: null, text });
    }
    return captions;
  }

  release(video: ListedVideo): Promise<void> {
    return deleteDownload(this.#api, video);
  }
}
