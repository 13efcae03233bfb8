/** Objects of the S3 stand-in, in XML and in headers. */
import { createHash } from "node:crypto";
import type { StandInVideo } from "./stand-in-library.ts";

/** `own` of a video in an S3 stand-in. */
export interface S3Own {
  storageClass: string;
  /** Of a restored copy: RFC 3339. */
  restoredUntil: string | null;
  /** Of Intelligent-Tiering: ARCHIVE_ACCESS, DEEP_ARCHIVE_ACCESS. */
  archiveStatus: string | null;
  isEmpty: boolean;
  /** As S3 sends them: what is not ASCII is in encoded words. */
  userMetadata: Record<string, string>;
  tags: Record<string, string>;
}

const PLAIN: S3Own = {
  storageClass: "STANDARD",
  restoredUntil: null,
  archiveStatus: null,
  isEmpty: false,
  userMetadata: {},
  tags: {},
};

export const ownOf = ({ own }: StandInVideo): S3Own => ({ ...PLAIN, ...(own as Partial<S3Own>) });

export function objectHeaders(video: StandInVideo): Record<string, string> {
  const { storageClass, restoredUntil, archiveStatus, userMetadata, tags } = ownOf(video);
  const tagCount = Object.keys(tags).length;
  return {
    etag: `"${createHash("md5").update(video.id).digest("hex")}"`,
    "last-modified": new Date(video.createdAtMs).toUTCString(),
    ...(storageClass === "STANDARD" ? {} : { "x-amz-storage-class": storageClass }),
    ...(restoredUntil === null
      ? {}
      : { "x-amz-restore": `ongoing-request="false", expiry-date="${new Date(restoredUntil).toUTCString()}"` }),
    ...(archiveStatus === null ? {} : { "x-amz-archive-status": archiveStatus }),
    ...(tagCount === 0 ? {} : { "x-amz-tagging-count": String(tagCount) }),
    ...Object.fromEntries(Object.entries(userMetadata).map(([name, value]) => [`x-amz-meta-${name}`, value])),
  };
}

/** As S3 encodes keys of a list with `encoding-type=url`: as forms do, but with slashes. */
export const urlEncoded = (key: string): string =>
  new URLSearchParams({ k: key }).toString().slice(2).replaceAll("%2F", "/");

/** @param content markup, or text that is escaped */
export function element(name: string, content: string | { text: string }): string {
  return `<${name}>${typeof content === "string" ? content : escaped(content.text)}</${name}>`;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
