import { openDatabase } from "../../platform/database.ts";
import { log, logWarning } from "../../platform/log.ts";
import { removeList } from "../lists/delete-list.ts";
import { addVideo, NO_TOTALS } from "../report/totals.ts";
import { findImported, type ImportedVideo } from "../store/claims.ts";
import { ITEM_ERRORS, type ListedVideo, type Source, type SourcePage } from "../sources/source.ts";
import type { BatchProblem, DryRunTotals } from "../batches/batch-calls.ts";
import { accountOf, requireAccount } from "./account.ts";
import type { BatchComponents } from "./components.ts";
import { sourceOf } from "./open-batch-source.ts";
import { boundVideo } from "./bound-video.ts";
import { sampleStep } from "./sample.ts";
import { moveBatch } from "./announce.ts";
import { noteStart } from "./commands.ts";

/** Beyond it a scan ends. */
const MAX_ITEMS = 500_000;
/** Pages in a row without a new video, after which the source is taken to circle. The rows of a list come to an end, whatever they repeat. */
const MAX_STALE_PAGES = 3;
/** Pages in a row without any video, such as those of a bucket with ten million other files. */
const MAX_EMPTY_PAGES = 10_000;
/** Described videos of a page, when the batch names its videos. */
const IDS_A_PAGE = 20;

/**
 * One step of the scan: a page of the source's list, or a part of the sample. The place is stored with the page's items, so that a crash
 * repeats nothing and leaves nothing out.
 *
 * @throws {SourceFailure}
 */
export async function scanStep(batch: BatchComponents): Promise<void> {
  const source = await sourceOf(batch);
  await requireAccount(batch, source);
  const { scan, order } = batch;
  if (!scan.isComplete) return takePage(batch, await nextPage(batch, source));
  if (order.dryRun && (await sampleStep(batch, source))) return;
  await forgetFetchedList(batch);
  endScan(batch);
}

interface ScannedPage extends SourcePage {
  /** Ids that the batch names and the source does not have. */
  gone: string[];
}

/** @throws {SourceFailure} */
async function nextPage(batch: BatchComponents, source: Source): Promise<ScannedPage> {
  const { scan, order } = batch;
  const { ids, createdAfterMs, createdBeforeMs } = order.selection;
  if (ids.length === 0) {
    const selection = {
      ...(createdAfterMs === null ? {} : { createdAfterMs }),
      ...(createdBeforeMs === null ? {} : { createdBeforeMs }),
    };
    return { ...(await source.listPage(scan.cursor, selection)), gone: [] };
  }
  const at = Number(scan.cursor ?? 0);
  const wanted = ids.slice(at, at + IDS_A_PAGE);
  const found = await Promise.all(wanted.map((id) => source.describe(id)));
  const next = at + IDS_A_PAGE < ids.length ? String(at + IDS_A_PAGE) : null;
  const gone = wanted.filter((_, n) => found[n] === null);
  return { videos: found.filter((video) => video !== null), next, gone };
}

/** Stores what a page has, with the place of the next one, in one commit. */
async function takePage(batch: BatchComponents, page: ScannedPage): Promise<void> {
  const chosen = page.videos.filter((video) => isSelected(video, batch)).map(boundVideo);
  const sourceIds = chosen.map(({ id }) => id);
  const known = await findImported(openDatabase(batch.env.DB), accountOf(batch), sourceIds);
  batch.commit(() => {
    const { scan, documents, cursors } = batch;
    const { added, isFull } = addItems(batch, chosen, page.gone, known);
    const isStale = added === 0 && (chosen.length > 0 || isSeen(batch, page));
    const stale = isStale ? scan.stale + 1 : 0;
    const empty = page.videos.length > 0 ? 0 : scan.empty + 1;
    const isEndless = (stale >= MAX_STALE_PAGES && batch.order.source !== "list") || empty >= MAX_EMPTY_PAGES;
    const circles = page.next !== null && (!cursors.add(page.next) || isEndless);
    documents.put("scan", {
      ...scan,
      cursor: page.next,
      read: scan.read + page.videos.length + page.gone.length,
      stale,
      empty,
      isComplete: page.next === null || isFull || circles,
    });
    if (circles) noteProblem(batch, CIRCLES);
    batch.timers.bringForward("show", batch.clock() + 1000);
  });
}

/** Whether none of a page's videos is selected, and a page before had the same ones. */
const isSeen = ({ cursors }: BatchComponents, { videos }: ScannedPage): boolean =>
  videos.length > 0 && !cursors.add(`videos ${JSON.stringify([videos.length, videos[0]!.id, videos.at(-1)!.id])}`);

/**
 * @returns how many of them are new, and whether the batch is known to take no further ones. A batch that has as many as a batch may have reads on,
 *   so that it can say whether there are more
 */
function addItems(
  batch: BatchComponents,
  chosen: readonly ListedVideo[],
  gone: readonly string[],
  known: ReadonlyMap<string, ImportedVideo>,
): { added: number; isFull: boolean } {
  const { order, documents, items } = batch;
  const totals = structuredClone(documents.get("totals") ?? NO_TOTALS);
  const limit = Math.min(order.selection.limit ?? MAX_ITEMS, MAX_ITEMS);
  const before = items.counts.total;
  let added = 0;
  let leavesOut = false;
  for (const video of chosen) {
    if (before + added < limit) {
      if (addItem(batch, video, known.get(video.id), totals)) added += 1;
      else noteRepeat(batch, video);
    } else leavesOut ||= items.bySourceId(video.id) === null;
  }
  if (leavesOut && limit === MAX_ITEMS) noteProblem(batch, TOO_MANY);
  for (const id of gone)
    if (items.add(nameless(id), "failed", { code: "video_gone", message: ITEM_ERRORS.video_gone })) added += 1;
  documents.put("totals", totals);
  return { added, isFull: before + added >= limit && (leavesOut || limit < MAX_ITEMS) };
}

const CIRCLES: BatchProblem = {
  code: "source_unreadable",
  message: "The source's list repeats its pages, so the scan ended there. Videos may be missing.",
};
const TOO_MANY: BatchProblem = {
  code: "item_limit_reached",
  message: `A batch has at most ${MAX_ITEMS.toLocaleString("en-US")} videos. The source has more, which another batch can take.`,
};

/** Said of the batch from then on. */
function noteProblem({ documents, order, scan }: BatchComponents, problem: BatchProblem): void {
  if (documents.get("scanProblem") !== undefined) return;
  logWarning("import.scan_ended", {
    batchId: order.batchId,
    source: order.source,
    read: scan.read,
    code: problem.code,
  });
  documents.put("scanProblem", problem);
}

/** @returns whether it is a new item */
function addItem(
  { items, order }: BatchComponents,
  video: ListedVideo,
  imported: ImportedVideo | undefined,
  totals: DryRunTotals,
): boolean {
  if (imported !== undefined) {
    const isNew = items.add(video, "skipped", { code: "already_imported", message: ITEM_ERRORS.already_imported });
    if (!isNew) totals.repeated += 1;
    const item = isNew ? items.bySourceId(video.id) : null;
    if (item !== null) items.set(item.seq, { mediaId: imported.mediaId, playbackId: imported.playbackId });
    totals.alreadyImported += isNew ? 1 : 0;
    return isNew;
  }
  const isNew = items.add(video, video.obstacle === null ? "pending" : "failed", video.obstacle);
  if (isNew) addVideo(totals, video, order.settings);
  else totals.repeated += 1;
  return isNew;
}

/** Repeats that the report names. */
const MAX_REPEATS = 100;

/**
 * Lists of platforms repeat videos at the borders of pages, which costs nothing. A row with another address is another file, which its owner would
 * miss.
 */
function noteRepeat({ items, documents }: BatchComponents, { id, title, ref }: ListedVideo): void {
  const url = ref["url"];
  if (url === undefined || url === items.bySourceId(id)?.video.ref["url"]) return;
  const repeats = documents.get("repeats") ?? [];
  if (repeats.length === MAX_REPEATS) return;
  documents.put("repeats", [...repeats, { sourceId: id, title: title?.slice(0, 255) ?? null, ...REPEATED }]);
}

const REPEATED = {
  code: "repeated",
  message:
    "A row of the list is left out: another row with this id, and another address, is before it. Give each row an `id`.",
};

function isSelected({ createdAt }: ListedVideo, { order }: BatchComponents): boolean {
  const { createdAfterMs, createdBeforeMs } = order.selection;
  if (createdAfterMs === null && createdBeforeMs === null) return true;
  const atMs = createdAt === null ? NaN : Date.parse(createdAt);
  if (Number.isNaN(atMs)) return false;
  return (createdAfterMs === null || atMs >= createdAfterMs) && (createdBeforeMs === null || atMs < createdBeforeMs);
}

/** A video that the batch names and the source does not have. */
const nameless = (id: string): ListedVideo => ({
  id,
  title: null,
  createdAt: null,
  durationMs: null,
  bytes: null,
  widthPx: null,
  heightPx: null,
  policy: "public",
  playbackIds: [],
  creatorId: null,
  tags: [],
  folder: null,
  metadata: {},
  captions: [],
  audioTracks: null,
  chapters: [],
  obstacle: null,
  left: [],
  ref: {},
});

/** A list that the batch has fetched is nobody else's. */
async function forgetFetchedList({ env, order, documents }: BatchComponents): Promise<void> {
  const listId = documents.get("listId");
  if (listId === undefined) return;
  await removeList(env, { workspaceId: order.workspaceId, listId });
  documents.delete("listId");
}

/** A dry run ends here; every other batch begins to run. */
function endScan(batch: BatchComponents): void {
  const { order, items } = batch;
  log("import.scanned", { batchId: order.batchId, source: order.source, items: items.counts.total });
  if (order.dryRun) moveBatch(batch, "scanned");
  else moveBatch(batch, "start", () => noteStart(batch));
  batch.timers.schedule("work", batch.clock());
}
