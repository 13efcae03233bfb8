import type { z } from "@hono/zod-openapi";
import { type ListItem, ListItemInput, toListItem } from "../../sources/list-item.ts";
import { instantOf } from "./instant-of.ts";
import type { RawRow } from "./raw-row.ts";
import { meaningOf } from "./row-fields.ts";

/** The item of a row, or what is wrong with it, without the row's own words: addresses may be signed. */
export type ReadRow = { item: ListItem } | { message: string };

/** A row as it is, checked. @param onUnknown called with each name that means nothing */
export function readRow(row: RawRow, onUnknown: (name: string) => void): ReadRow {
  if ("message" in row) return row;
  const gathered: Record<string, unknown> = {};
  const metadata: [string, unknown][] = [];
  const captions: unknown[] = [];
  for (const [name, value] of row.fields) {
    const meaning = meaningOf(name);
    if (meaning === null) onUnknown(name);
    else if (value === null || value === undefined || value === "") continue;
    else if ("metadata" in meaning) metadata.push([meaning.metadata, value]);
    else if ("captions" in meaning) captions.push({ languageCode: meaning.captions, url: value });
    else if (!Object.hasOwn(gathered, meaning.field)) gathered[meaning.field] = value;
    else return { message: `${meaning.field}: is said twice, also as ${JSON.stringify(name.slice(0, 64))}` };
  }
  const parsed = ListItemInput.safeParse({ ...converted(gathered), ...withParts(gathered, metadata, captions) });
  if (!parsed.success) return { message: wordsOf(parsed.error.issues[0]!) };
  const item = toListItem(parsed.data);
  return typeof item === "string" ? { message: item } : { item };
}

/** `metadata` and `captions` with what further columns say of them. */
function withParts(given: Record<string, unknown>, metadata: [string, unknown][], captions: unknown[]) {
  const pairs = asJson(given["metadata"]);
  const files = asJson(given["captions"]);
  const isPairs = pairs === undefined || (typeof pairs === "object" && pairs !== null && !Array.isArray(pairs));
  const all = isPairs ? [...Object.entries(pairs ?? {}), ...metadata] : [];
  return {
    ...(isPairs
      ? { metadata: Object.fromEntries(all.flatMap(([name, value]) => pairOf(name, value))) }
      : { metadata: pairs }),
    captions:
      captions.length === 0 ? (files ?? []) : [...(Array.isArray(files) ? (files as unknown[]) : []), ...captions],
  };
}

/** Metadata are texts: what has parts is kept as JSON. */
function pairOf(name: string, value: unknown): [string, unknown][] {
  if (value === null || value === undefined) return [];
  return [[name, typeof value === "object" ? JSON.stringify(value) : value]];
}

/** The fields in the form of a request: spreadsheets have numbers for ids, JSON in cells, and times of many forms. */
function converted(given: Record<string, unknown>): Record<string, unknown> {
  const texts = ["id", "url", "title", "playbackId", "creatorId", "folder"].filter((name) => name in given);
  return {
    ...given,
    ...Object.fromEntries(texts.map((name) => [name, asText(given[name])])),
    ...("url" in given ? { url: trimmed(given["url"]) } : {}),
    ...("chapters" in given ? { chapters: asJson(given["chapters"]) } : {}),
    ...("tags" in given ? { tags: tagsOf(given["tags"]) } : {}),
    ...("createdAt" in given ? { createdAt: instantOf(given["createdAt"]) ?? "" } : {}),
    ...("accessPolicy" in given ? { accessPolicy: policyOf(given["accessPolicy"]) } : {}),
  };
}

const asText = (value: unknown) => (typeof value === "number" ? String(value) : value);
const trimmed = (value: unknown) => (typeof value === "string" ? value.trim() : value);
const policyOf = (value: unknown) => (typeof value === "string" ? value.trim().toLowerCase() : value);

function asJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A JSON array, or words that commas, semicolons or `|` separate. */
function tagsOf(value: unknown): unknown {
  const parsed = asJson(value);
  if (typeof parsed === "number") return [String(parsed)];
  if (typeof parsed !== "string") return parsed;
  return parsed
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

const HINTS: Record<string, string> = {
  url: "must be the address of the file",
  createdAt: "must be a time such as 2026-05-20T12:50:15Z",
  accessPolicy: "must be one of public, private, drm",
  metadata: "must be a JSON object of texts",
  captions: 'must be JSON such as [{"url": "https://…", "languageCode": "en"}]',
  chapters: 'must be JSON such as [{"startMs": 0, "title": "Intro"}]',
  tags: "must be a list of words",
};

function wordsOf({ path, code, ...issue }: z.core.$ZodIssue): string {
  const [field = ""] = path.map(String);
  const name = path.map(String).join(".").slice(0, 64);
  if (code === "too_big")
    return `${name}: has more than ${String((issue as { maximum?: unknown }).maximum)} characters`;
  return `${name}: ${HINTS[field] ?? "is invalid"}`;
}
