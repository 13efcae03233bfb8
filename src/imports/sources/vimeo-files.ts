/** The file of a Vimeo video that a migration fetches. Documents: "About video file download links from the API", read November 2026. Pure. */
import { z } from "@hono/zod-openapi";

const VimeoFile = z.object({
  quality: z.string().nullish(),
  type: z.string().nullish(),
  size: z.number().nullish(),
  height: z.number().nullish(),
  link: z.string().nullish(),
  /** Of `download`. */
  expires: z.string().nullish(),
  /** Of `files`. */
  link_expiration_time: z.string().nullish(),
});
export type VimeoFile = z.infer<typeof VimeoFile>;

/** Without the scope `video_files`, or on a plan without files, Vimeo leaves both fields out and says nothing. */
export const VimeoFiles = z.object({ download: z.array(VimeoFile).nullish(), files: z.array(VimeoFile).nullish() });
export type VimeoFiles = z.infer<typeof VimeoFiles>;

export const hasFileFields = ({ download, files }: VimeoFiles): boolean =>
  Array.isArray(download) || Array.isArray(files);

/** The original of the upload, else the largest download, else the largest progressive MP4. Null: there is none. */
export function bestFile({ download, files }: VimeoFiles): VimeoFile | null {
  const downloads = (download ?? []).filter(isWhole);
  const original = downloads.find(({ quality }) => quality === "source");
  return original ?? largest(downloads) ?? largest((files ?? []).filter(isWhole));
}

/** Playlists of HLS and DASH are among the files. */
const isWhole = ({ quality, type }: VimeoFile): boolean =>
  quality !== "hls" && quality !== "dash" && (type ?? "video/mp4").startsWith("video/");

function largest(files: VimeoFile[]): VimeoFile | null {
  return files.toSorted((a, b) => (b.height ?? 0) - (a.height ?? 0) || (b.size ?? 0) - (a.size ?? 0))[0] ?? null;
}

/** Epoch ms; null = the file does not say. */
export function expiryOf({ expires, link_expiration_time: linkExpires }: VimeoFile): number | null {
  const expiresMs = Date.parse(expires ?? linkExpires ?? "");
  return Number.isNaN(expiresMs) ? null : expiresMs;
}
