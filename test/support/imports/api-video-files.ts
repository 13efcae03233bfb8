/** Addresses of the api.video stand-in's files, and the tokens and sessions in those of private videos. */
import { randomUUID } from "node:crypto";
import type { StandInAnswer, StandInCall } from "./stand-in.ts";
import type { StandInVideo } from "./stand-in-library.ts";

/** `own` of a video in this stand-in: fields of its object, and files of chapters by language. */
export interface ApiVideoOwn {
  chapters?: Record<string, string>;
}

interface Token {
  videoId: string;
  isUsed: boolean;
  session: string | null;
}

const FORBIDDEN: StandInAnswer = { status: 403, text: "Forbidden", contentType: "text/plain" };
const NO_FILE: StandInAnswer = { status: 404, text: "Not found", contentType: "text/plain" };

export class ApiVideoFiles {
  readonly #videos: ReadonlyMap<string, StandInVideo>;
  readonly #tokens = new Map<string, Token>();

  constructor(videos: ReadonlyMap<string, StandInVideo>) {
    this.#videos = videos;
  }

  /** The video object. Each one of a private video has a token of its own. */
  video(video: StandInVideo, origin: string): Record<string, unknown> {
    const { chapters: _, ...own } = video.own as ApiVideoOwn & Record<string, unknown>;
    const isPublic = video.policy === "public";
    const token = isPublic ? null : this.#makeToken(video.id);
    const root = rootOf(video, origin, token);
    const createdAt = atom(video.createdAtMs);
    const mp4Support = own["mp4Support"] !== false;
    return {
      videoId: video.id,
      title: video.title ?? "",
      description: "",
      public: isPublic,
      panoramic: false,
      mp4Support,
      publishedAt: createdAt,
      createdAt,
      updatedAt: createdAt,
      discarded: false,
      tags: [],
      metadata: [],
      language: null,
      languageOrigin: null,
      source: { type: "upload", uri: `/videos/${video.id}/source` },
      assets: {
        player: `https://embed.api.video/vod/${video.id}${token === null ? "" : `?token=${token}`}`,
        hls: `${root}/hls/manifest.m3u8`,
        thumbnail: `${root}/thumbnail.jpg`,
        ...(mp4Support ? { mp4: `${root}/mp4/source.mp4` } : {}),
      },
      ...own,
    };
  }

  /** The entries of one answer share a token. */
  captions(video: StandInVideo, origin: string): unknown[] {
    const root = rootOf(video, origin, video.policy === "public" ? null : this.#makeToken(video.id));
    return video.captions.map(({ languageCode, name }, index) => ({
      uri: `/videos/${video.id}/captions/${languageCode}`,
      src: `${root}/captions/${languageCode}.vtt`,
      srclang: languageCode,
      languageName: name,
      default: index === 0,
    }));
  }

  chapters(video: StandInVideo, origin: string): unknown[] {
    const root = rootOf(video, origin, video.policy === "public" ? null : this.#makeToken(video.id));
    return Object.keys((video.own as ApiVideoOwn).chapters ?? {}).map((language) => ({
      uri: `/videos/${video.id}/chapters/${language}`,
      src: `${root}/chapters/${language}.vtt`,
      language,
    }));
  }

  answer({ path, query }: StandInCall): StandInAnswer {
    const [, id = "", token, file = ""] = /^\/vod\/([^/]+)(?:\/token\/([^/]+))?\/(.+)$/.exec(path) ?? [];
    const video = this.#videos.get(id);
    if (video === undefined) return NO_FILE;
    if (file === "session") return this.#openSession(id, token);
    if (video.policy !== "public" && !this.#admits(id, token, query.get("avh"))) return FORBIDDEN;
    return fileOf(video, file);
  }

  #openSession(videoId: string, text: string | undefined): StandInAnswer {
    const token = this.#tokens.get(text ?? "");
    if (token === undefined || token.videoId !== videoId || token.isUsed) return FORBIDDEN;
    token.isUsed = true;
    token.session = randomUUID();
    return { status: 200, json: { session_token: token.session } };
  }

  /** A token serves one request, or all those of its session. */
  #admits(videoId: string, text: string | undefined, session: string | null): boolean {
    const token = this.#tokens.get(text ?? "");
    if (token === undefined || token.videoId !== videoId) return false;
    if (token.isUsed) return session !== null && session === token.session;
    token.isUsed = true;
    return true;
  }

  #makeToken(videoId: string): string {
    const token = randomUUID();
    this.#tokens.set(token, { videoId, isUsed: false, session: null });
    return token;
  }
}

function fileOf(video: StandInVideo, file: string): StandInAnswer {
  if (file === "mp4/source.mp4" && video.own["mp4Support"] !== false) {
    return { status: 200, content: video.clip.content, contentType: "video/mp4" };
  }
  const [, kind, language = ""] = /^(captions|chapters)\/(.+)\.vtt$/.exec(file) ?? [];
  const text =
    kind === "chapters"
      ? (video.own as ApiVideoOwn).chapters?.[language]
      : video.captions.find(({ languageCode }) => languageCode === language)?.text;
  return text === undefined ? NO_FILE : { status: 200, text, contentType: "text/vtt" };
}

const rootOf = ({ id }: StandInVideo, origin: string, token: string | null): string =>
  `${origin}/vod/${id}${token === null ? "" : `/token/${token}`}`;

/** ATOM, as the documents name it: seconds, with the offset in digits. */
const atom = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "+00:00");
