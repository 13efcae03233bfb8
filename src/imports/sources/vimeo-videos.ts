/** Videos of Vimeo in the form of the list. Document: API reference 3.4, "Get all the videos that a user has uploaded", read November 2026. Pure. */
import { z } from "@hono/zod-openapi";
import type { ListedVideo, SourcePolicy } from "./source.ts";
import { bestFile, hasFileFields, VimeoFiles } from "./vimeo-files.ts";

const Named = z.object({ name: z.string() });

export const VimeoVideo = VimeoFiles.extend({
  uri: z.string().regex(/^\/videos\/\d{1,20}(?::[a-z0-9]+)?$/i),
  name: z.string().nullish(),
  description: z.string().nullish(),
  link: z.string().nullish(),
  player_embed_url: z.string().nullish(),
  duration: z.number().nullish(),
  width: z.number().nullish(),
  height: z.number().nullish(),
  created_time: z.string().nullish(),
  language: z.string().nullish(),
  license: z.string().nullish(),
  privacy: z.object({ view: z.string().nullish(), embed: z.string().nullish() }).nullish(),
  tags: z.array(Named).nullish(),
  categories: z.array(Named).nullish(),
  parent_folder: z
    .object({
      name: z.string().nullish(),
      metadata: z.object({ connections: z.object({ ancestor_path: z.array(Named).nullish() }).nullish() }).nullish(),
    })
    .nullish(),
  spatial: z.object({ projection: z.string().nullish() }).nullish(),
  status: z.string().nullish(),
  transcode: z.object({ status: z.string().nullish() }).nullish(),
  metadata: z
    .object({ connections: z.object({ texttracks: z.object({ total: z.number().nullish() }).nullish() }).nullish() })
    .nullish(),
});
export type VimeoVideo = z.infer<typeof VimeoVideo>;

/** Asked for by name, which raises the rate limit ("API Best Practices"). Links of files are left out: they are signed. */
export const VIDEO_FIELDS = `
  uri name description link player_embed_url duration width height created_time language license privacy.view privacy.embed tags.name
  categories.name spatial.projection status transcode.status parent_folder.name parent_folder.metadata.connections.ancestor_path
  metadata.connections.texttracks.total download.quality download.type download.size download.height files.quality files.type files.size
  files.height
`
  .trim()
  .split(/\s+/)
  .join(",");

const idOf = (uri: string): string => /\d+/.exec(uri)?.[0] ?? uri;

export function listedOf(video: VimeoVideo): ListedVideo {
  const id = idOf(video.uri);
  const policy: SourcePolicy = isPublic(video) ? "public" : "private";
  return {
    id,
    title: video.name ?? null,
    createdAt: video.created_time ?? null,
    durationMs: video.duration ? Math.round(video.duration * 1000) : null,
    bytes: bestFile(video)?.size ?? null,
    widthPx: video.width ?? null,
    heightPx: video.height ?? null,
    policy,
    playbackIds: [{ id, policy }],
    creatorId: null,
    tags: (video.tags ?? []).map(({ name }) => name),
    folder: folderOf(video),
    metadata: metadataOf(video),
    captions: video.metadata?.connections?.texttracks?.total === 0 ? [] : null,
    audioTracks: null,
    chapters: [],
    obstacle: obstacleOf(video),
    left: leftOf(video),
    ref: {},
  };
}

/** Here every page may show what is public; at Vimeo pages may be limited to some, or to none, while anybody may watch at vimeo.com. */
const isPublic = ({ privacy }: VimeoVideo): boolean =>
  privacy?.view === "anybody" && (privacy.embed ?? "public") === "public";

/** Vimeo's ancestors begin with the nearest folder (as its own client for Android documents); a path begins with the outermost. */
function folderOf({ parent_folder: folder }: VimeoVideo): string | null {
  if (!folder?.name) return null;
  const ancestors = (folder.metadata?.connections?.ancestor_path ?? []).map(({ name }) => name).toReversed();
  return [...ancestors, folder.name].join("/");
}

function metadataOf(video: VimeoVideo): Record<string, string> {
  const hash = video.privacy?.view === "unlisted" ? hashOf(video) : null;
  const categories = (video.categories ?? []).map(({ name }) => name).join(", ");
  const { description, language, license } = video;
  const entries: [string, string | null | undefined][] = Object.entries({
    description,
    language,
    license,
    categories,
    hash,
  });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Pages need it beside the id of an unlisted video: `vimeo.com/76979871/8272103f6e`, `player.vimeo.com/video/76979871?h=8272103f6e`. */
function hashOf({ link, player_embed_url: player }: VimeoVideo): string | null {
  const [, inLink] = /vimeo\.com\/\d+\/([0-9a-z]+)/i.exec(link ?? "") ?? [];
  const [, inPlayer] = /[?&]h=([0-9a-z]+)/i.exec(player ?? "") ?? [];
  return inLink ?? inPlayer ?? null;
}

const UNFINISHED = new Set(["uploading", "transcode_starting", "transcoding"]);
const FAILED = new Set(["uploading_error", "transcoding_error", "quota_exceeded", "total_cap_exceeded", "unavailable"]);

export function obstacleOf(video: VimeoVideo): ListedVideo["obstacle"] {
  const { status, transcode } = video;
  if (transcode?.status === "error" || FAILED.has(status ?? "")) {
    return { code: "no_file", message: "Vimeo failed to process the video, or has made it unavailable." };
  }
  if (transcode?.status === "in_progress" || UNFINISHED.has(status ?? "")) {
    return { code: "video_not_ready", message: "Vimeo has not finished the video." };
  }
  if (!hasFileFields(video)) {
    return {
      code: "permission_missing",
      message:
        "Vimeo shows no files of the video: the access token needs the scope `video_files`, and the account a paid plan.",
    };
  }
  if (bestFile(video) === null) return { code: "no_file", message: "Vimeo offers no file of the video." };
  return null;
}

function leftOf({ privacy, spatial }: VimeoVideo): string[] {
  return [
    ...(privacy?.view === "password" ? ["the password of the video"] : []),
    ...(privacy?.embed === "whitelist" ? ["the domains that may embed the video: it is private here"] : []),
    ...(privacy?.embed === "private" ? ["that no page may embed the video: it is private here"] : []),
    ...(spatial?.projection ? ["360° playback"] : []),
  ];
}
