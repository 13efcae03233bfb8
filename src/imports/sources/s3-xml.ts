/** What S3 answers in XML. Documents: Amazon S3 API reference, ListObjectsV2 and "Error responses", read November 2026. Pure. */
import { parseXml, type XmlDocument, type XmlElement } from "@rgrove/parse-xml";
import { SourceFailure } from "./source.ts";

export interface ListedObject {
  key: string;
  /** Null = the answer does not say. */
  bytes: number | null;
  /** RFC 3339. */
  modifiedAt: string | null;
  /** Without quotes. */
  etag: string | null;
  storageClass: string | null;
  /** Of an archived object of which a copy was restored: when the copy goes, epoch ms. */
  restoredUntilMs: number | null;
}

export interface ObjectPage {
  objects: ListedObject[];
  next: string | null;
}

/** A page of ListObjectsV2. @throws {SourceFailure} source_unreadable */
export function readObjectPage(text: string): ObjectPage {
  const root = rootOf(text);
  if (root?.name !== "ListBucketResult") throw unreadable("no list of objects");
  const decode = textOf(root, "EncodingType") === "url" ? decodeKey : (key: string) => key;
  const next = textOf(root, "NextContinuationToken");
  const isTruncated = textOf(root, "IsTruncated") === "true";
  if (isTruncated && next === null) throw unreadable("a list that goes on without a continuation token");
  return {
    objects: childrenOf(root, "Contents").map((entry) => readObject(entry, decode)),
    next: isTruncated ? next : null,
  };
}

/** Code of an error and the region that it names. Null fields: the body is no error of S3. */
export function readS3Error(text: string): { code: string | null; region: string | null } {
  let root: XmlElement | null = null;
  try {
    root = rootOf(text);
  } catch {
    return { code: null, region: null };
  }
  if (root?.name !== "Error") return { code: null, region: null };
  return { code: plainWord(textOf(root, "Code")), region: plainWord(textOf(root, "Region")) };
}

/** Names and values of GetObjectTagging. @throws {SourceFailure} source_unreadable */
export function readTagSet(text: string): [string, string][] {
  const root = rootOf(text);
  const set = root === null ? undefined : childrenOf(root, "TagSet")[0];
  if (set === undefined) throw unreadable("no tags");
  return childrenOf(set, "Tag").map((tag) => [textOf(tag, "Key") ?? "", textOf(tag, "Value") ?? ""]);
}

/** Codes and regions are shown to people, so nothing else may stand in their place. */
const plainWord = (text: string | null): string | null =>
  text !== null && /^[A-Za-z0-9-]{1,64}$/.test(text) ? text : null;

function readObject(entry: XmlElement, decode: (key: string) => string): ListedObject {
  const key = textOf(entry, "Key");
  const bytes = Number(textOf(entry, "Size") ?? Number.NaN);
  if (key === null || key === "" || !Number.isSafeInteger(bytes)) throw unreadable("an object without key or size");
  const restore = childrenOf(entry, "RestoreStatus")[0];
  const isRestored = restore !== undefined && textOf(restore, "IsRestoreInProgress") !== "true";
  const until = isRestored ? Date.parse(textOf(restore, "RestoreExpiryDate") ?? "") : Number.NaN;
  return {
    key: decode(key),
    bytes,
    modifiedAt: textOf(entry, "LastModified"),
    etag: textOf(entry, "ETag")?.replaceAll('"', "") ?? null,
    storageClass: textOf(entry, "StorageClass"),
    restoredUntilMs: Number.isNaN(until) ? null : until,
  };
}

/** `encoding-type=url` writes a space as `+`, as forms do. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", "%20"));
  } catch (error) {
    throw unreadable("a key that cannot be decoded", error);
  }
}

function rootOf(text: string): XmlElement | null {
  let document: XmlDocument;
  try {
    document = parseXml(text);
  } catch (error) {
    throw unreadable("no XML", error);
  }
  return document.root;
}

const childrenOf = (parent: XmlElement, name: string): XmlElement[] =>
  parent.children.filter(
    (child): child is XmlElement => child.type === "element" && (child as XmlElement).name === name,
  );

const textOf = (parent: XmlElement, name: string): string | null => childrenOf(parent, name)[0]?.text ?? null;

const unreadable = (what: string, cause?: unknown) =>
  new SourceFailure("source_unreadable", `The store answered ${what}.`, { cause });
