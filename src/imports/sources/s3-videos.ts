/** Objects of a bucket as videos. Pure. */
import { archived } from "./s3-failures.ts";
import type { ListedObject } from "./s3-xml.ts";
import type { ListedVideo, SourcePolicy } from "./source.ts";

const VIDEO = [
  "mp4",
  "mov",
  "m4v",
  "mkv",
  "webm",
  "avi",
  "ts",
  "mts",
  "m2ts",
  "mpg",
  "mpeg",
  "wmv",
  "flv",
  "3gp",
  "mxf",
  "ogv",
];
const AUDIO = ["mp3", "m4a", "aac", "wav", "flac", "ogg", "opus"];
const MEDIA: readonly string[] = [...VIDEO, ...AUDIO];

/** Storage classes whose objects must be restored before a GET. Intelligent-Tiering has archives, too, which only HEAD tells. */
const ARCHIVES = new Set(["GLACIER", "DEEP_ARCHIVE"]);

/** A user's metadata begin with this. */
const META = "x-amz-meta-";

/** @param extensions null = the usual ones */
export function isMedia(key: string, extensions: readonly string[] | null): boolean {
  const [, extension] = /\.([A-Za-z0-9]{1,12})$/.exec(key) ?? [];
  return extension !== undefined && (extensions ?? MEDIA).includes(extension.toLowerCase());
}

export function videoOf(object: ListedObject, policy: SourcePolicy, nowMs: number): ListedVideo {
  const parts = object.key.split("/");
  const name = parts.pop() ?? object.key;
  const folder = parts.filter((part) => part !== "").join("/");
  return {
    id: object.key,
    title: name.replace(/\.[^.]*$/, "") || name,
    createdAt: object.modifiedAt,
    durationMs: null,
    bytes: object.bytes,
    widthPx: null,
    heightPx: null,
    policy,
    // Its address is what pages have of an object.
    playbackIds: [{ id: object.key, policy }],
    creatorId: null,
    tags: [],
    folder: folder === "" ? null : folder,
    metadata: object.etag === null ? {} : { etag: object.etag },
    captions: [],
    audioTracks: null,
    chapters: [],
    obstacle: obstacleOf(object, nowMs),
    left: [],
    ref: {},
  };
}

function obstacleOf({ bytes, storageClass, restoredUntilMs }: ListedObject, nowMs: number): ListedVideo["obstacle"] {
  if (bytes === 0) return { code: "no_file", message: "The object is empty: it has 0 bytes." };
  if (!ARCHIVES.has(storageClass ?? "") || (restoredUntilMs ?? 0) > nowMs) return null;
  const { code, message } = archived();
  return { code, message };
}

/** The object of a HEAD's answer. */
export function objectOf(key: string, headers: Headers): ListedObject {
  const modified = Date.parse(headers.get("last-modified") ?? "");
  const isArchivedTier = headers.get("x-amz-archive-status") !== null;
  const length = headers.get("content-length");
  return {
    key,
    bytes: length === null || !/^\d{1,15}$/.test(length) ? null : Number(length),
    modifiedAt: Number.isNaN(modified) ? null : new Date(modified).toISOString(),
    etag: headers.get("etag")?.replaceAll('"', "") ?? null,
    storageClass: isArchivedTier ? "GLACIER" : headers.get("x-amz-storage-class"),
    restoredUntilMs: restoredUntil(headers.get("x-amz-restore")),
  };
}

/** Of `ongoing-request="false", expiry-date="Fri, 21 Dec 2012 00:00:00 GMT"`. An object of Intelligent-Tiering has no date: it stays restored. */
function restoredUntil(restore: string | null): number | null {
  if (restore === null || !restore.includes('ongoing-request="false"')) return null;
  const [, date] = /expiry-date="([^"]+)"/.exec(restore) ?? [];
  return date === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(date) || null;
}

export function userMetadata(headers: Headers): Record<string, string> {
  const own = [...headers].filter(([name]) => name.startsWith(META));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(META.length), decodeWords(value)]));
}

/** S3 returns what is not ASCII as encoded words of RFC 2047, in UTF-8. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/(\?=)\s+(=\?)/g, "$1$2")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (word, kind: string, text: string) => {
      try {
        return kind.toLowerCase() === "b"
          ? fromBase64(text)
          : decodeURIComponent(text.replaceAll("_", " ").replaceAll("=", "%"));
      } catch {
        return word;
      }
    });
}

const fromBase64 = (text: string): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
    Uint8Array.from(atob(text), (c) => c.charCodeAt(0)),
  );
