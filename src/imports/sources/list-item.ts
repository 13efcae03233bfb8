import { z } from "@hono/zod-openapi";
import { dropSigning, hasJwtInPath, withoutPathTokens } from "./address-secrets.ts";
import type { ListedChapter } from "./source.ts";

/** A video of a list, complete: what its row does not say is null or empty. */
export interface ListItem {
  id: string;
  url: string;
  title: string | null;
  playbackId: string | null;
  /** RFC 3339. */
  createdAt: string | null;
  metadata: Record<string, string>;
  captions: { url: string; languageCode: string; name: string | null }[];
  chapters: ListedChapter[];
  creatorId: string | null;
  tags: string[];
  folder: string | null;
  accessPolicy: "public" | "private" | "drm" | null;
}

/** `ListedVideo.id` is no longer. */
const MAX_ID_LENGTH = 1024;
/** Beyond what `checkPublicUrl` accepts, so that the report can say of a long one what is wrong with it. */
const MAX_URL_LENGTH = 8192;

const id = z.string().min(1).max(MAX_ID_LENGTH);
const url = z.string().min(1).max(MAX_URL_LENGTH);
const Value = z.union([z.string(), z.number(), z.boolean()]);

/** A video of a list, as a request or a row of a file says it. */
export const ListItemInput = z
  .strictObject({
    id: id.optional().openapi({
      description:
        "Identifies the video for ever: one with the same id is not migrated again. Default: `url` without what signs it",
    }),
    url: url.openapi({ description: "Where the file is: http or https, without credentials" }),
    title: z
      .string()
      .optional()
      .openapi({ description: "Kept whole in the report; the media has its first 255 characters" }),
    playbackId: id.optional().openapi({ description: "The old one, which pages have. Default: `id`" }),
    createdAt: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: "When the video was made at its source" }),
    metadata: z.record(z.string().min(1), Value).optional().openapi({ description: "Names and values of your own" }),
    captions: z
      .array(
        z.strictObject({
          url,
          languageCode: z.string().min(1).max(35),
          name: z.string().min(1).optional(),
        }),
      )
      .optional()
      .openapi({ description: "Files of WebVTT or SRT" }),
    chapters: z.array(z.strictObject({ startMs: z.int().min(0), title: z.string().min(1) })).optional(),
    creatorId: z.string().optional(),
    tags: z.array(z.string().min(1)).optional(),
    folder: z.string().optional().openapi({ description: "Names of folders, separated by `/`" }),
    accessPolicy: z.enum(["public", "private", "drm"]).optional().openapi({
      description:
        'Used where the settings say `"asSource"`. Default: private, because nothing says that all may see it',
    }),
  })
  .openapi("ImportListItem");
export type ListItemInput = z.output<typeof ListItemInput>;

/**
 * The item with everything that its row leaves out.
 *
 * @returns a message in place of an item whose address cannot identify it
 */
export function toListItem(given: ListItemInput): ListItem | string {
  if (given.id === undefined && isNameless(given.url))
    return "id: is needed, because url has a token in place of what identifies the video";
  const itemId = given.id ?? idOfUrl(given.url);
  if (itemId.length > MAX_ID_LENGTH) return `id: is needed, because url is longer than ${MAX_ID_LENGTH} characters`;
  return {
    id: itemId.toWellFormed(),
    url: given.url,
    title: textOf(given.title),
    playbackId: textOf(given.playbackId),
    createdAt: given.createdAt ?? null,
    metadata: Object.fromEntries(
      Object.entries(given.metadata ?? {}).map(([name, value]) => [name.toWellFormed(), String(value).toWellFormed()]),
    ),
    captions: (given.captions ?? []).map(({ name, ...caption }) => ({ ...caption, name: textOf(name) })),
    chapters: (given.chapters ?? []).map(({ startMs, title }) => ({ startMs, title: title.toWellFormed() })),
    creatorId: textOf(given.creatorId),
    tags: (given.tags ?? []).map((tag) => tag.toWellFormed()),
    folder: textOf(given.folder),
    accessPolicy: given.accessPolicy ?? null,
  };
}

/** Half of a surrogate pair is no character, and the API accepts none. Empty texts say nothing. */
const textOf = (text: string | undefined): string | null =>
  text === undefined || text === "" ? null : text.toWellFormed();

/**
 * An address without its fragment, its user and what signs it. Otherwise a list that is signed anew would have other ids, and reports, which
 * show ids, would have addresses that open files.
 */
export function idOfUrl(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*$/s, "").replace(/\/\/[^/]*@/, "//") || "no address";
  const parsed = new URL(url);
  parsed.hash = "";
  parsed.username = "";
  parsed.password = "";
  const isSigned = dropSigning(parsed);
  const path = withoutPathTokens(parsed.pathname);
  if (!isSigned && path === parsed.pathname && !/[#@]/.test(url)) return url;
  parsed.pathname = path;
  return parsed.href;
}

/** Whether the address has a token in place of what would identify the video. */
const isNameless = (url: string): boolean => URL.canParse(url) && hasJwtInPath(new URL(url).pathname);
