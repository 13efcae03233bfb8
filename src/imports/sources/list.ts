import { z } from "@hono/zod-openapi";
import { checkPublicUrl } from "../../platform/network/public-url.ts";
import type { SourceDefinition } from "./definition.ts";
import { ListItemInput, type ListItem, toListItem } from "./list-item.ts";
import { type RowReader, inlineRows } from "./row-reader.ts";
import { type ListedCaption, type ListedVideo, type Source, SourceFailure } from "./source.ts";

export const LIST_FORMATS = ["csv", "json", "ndjson"] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

const MAX_INLINE_ITEMS = 100;

/** Exactly one of `items`, `listId` and `url`. */
export const ListOptions = z
  .strictObject({
    items: z
      .array(ListItemInput)
      .min(1)
      .max(MAX_INLINE_ITEMS)
      .optional()
      .openapi({ description: "The videos themselves. A longer list is sent to `POST /v1/imports/lists` first" }),
    listId: z.uuid().toLowerCase().optional().openapi({ description: "Of `POST /v1/imports/lists`" }),
    url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .openapi({ description: "A public address from which the list is fetched once" }),
    format: z
      .enum(LIST_FORMATS)
      .optional()
      .openapi({ description: "Of `url`. Default: what its server or the end of its path says" }),
  })
  .superRefine(({ items, listId, url, format }, context) => {
    const given = [items, listId, url].filter((one) => one !== undefined);
    if (given.length !== 1)
      context.addIssue({ code: "custom", path: ["items"], message: "needs exactly one of items, listId and url" });
    if (format !== undefined && url === undefined)
      context.addIssue({ code: "custom", path: ["format"], message: "belongs to url" });
    for (const [position, item] of (items ?? []).entries()) {
      const read = toListItem(item);
      if (typeof read === "string")
        context.addIssue({ code: "custom", path: ["items", position, "id"], message: read.replace(/^id: /, "") });
    }
  });
export type ListOptions = z.output<typeof ListOptions>;

/** Lists have no account of their own: an id means the same video in every list of a workspace. */
const ACCOUNT = "list";

/** The files are on servers that nothing is known of, and each has its own. */
const PACE = { readsPerSecond: 50, writesPerSecond: 50, concurrency: 16 };

/** A batch opens lists that are stored by `openList`, with the reader of their pages. */
export const listSource: SourceDefinition<ListOptions, null> = {
  kind: "list",
  name: "List",
  baseOf: () => "",
  basePath: "",
  options: ListOptions,
  credentials: null,
  isOpenToAll: true,
  open({ options }) {
    if (options.items === undefined) throw new Error("a stored list is opened with the reader of its rows");
    return openList(inlineRows(options.items), { allowsPrivateNetwork: false });
  },
};

/**
 * A list as a source. Repeats of an id are listed each time.
 *
 * @param allowsPrivateNetwork accepts private addresses and local names, for local use
 */
export function openList(rows: RowReader, { allowsPrivateNetwork }: { allowsPrivateNetwork: boolean }): Source {
  const listed = (item: ListItem) => toListed(item, allowsPrivateNetwork);
  return {
    pace: PACE,
    neverKept: [],
    needsRelease: false,
    changesAtSource: false,
    listIsPartial: false,
    check: async () => ({ account: ACCOUNT, accountName: null, missing: [] }),
    async listPage(cursor) {
      const page = await rows.page(cursor);
      return { videos: page.rows.map(listed), next: page.next };
    },
    async describe(id) {
      const found = await rows.find(id);
      return found && listed(found);
    },
    async resolve({ obstacle, ref }) {
      const url = ref["url"];
      if (typeof url !== "string")
        throw new SourceFailure("invalid_url", obstacle?.message ?? "The list has no address.");
      return { status: "ready", url, expiresAtMs: null };
    },
    captions: async ({ captions }) => captions ?? [],
    release: async () => undefined,
  };
}

function toListed(item: ListItem, allowsPrivateNetwork: boolean): ListedVideo {
  const checked = checkPublicUrl(item.url, allowsPrivateNetwork);
  const policy = item.accessPolicy ?? "private";
  const left: string[] = [];
  const captions = item.captions.flatMap(({ url, ...caption }): ListedCaption[] => {
    if (checkPublicUrl(url, allowsPrivateNetwork).ok) return [{ ...caption, url, text: null }];
    left.push(`captions in ${caption.languageCode}, whose address is not a public http or https URL`);
    return [];
  });
  return {
    id: item.id,
    title: item.title,
    createdAt: item.createdAt,
    durationMs: null,
    bytes: null,
    widthPx: null,
    heightPx: null,
    policy,
    playbackIds: [{ id: item.playbackId ?? item.id, policy }],
    creatorId: item.creatorId,
    tags: item.tags,
    folder: item.folder,
    metadata: item.metadata,
    captions,
    audioTracks: null,
    chapters: item.chapters,
    obstacle: checked.ok ? null : { code: "invalid_url", message: `The address of the file ${checked.message}.` },
    left,
    ref: checked.ok ? { url: item.url } : {},
  };
}
