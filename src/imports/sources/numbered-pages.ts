/**
 * Lists that have numbered pages and no cursor. A video that is deleted moves all that follow it one place forward, across the border of a
 * page that was read already. The total tells: when it has shrunk, as many videos before the page are read again.
 * Pure.
 */
import { SourceFailure, type ListedVideo, type Selection, type SourcePage } from "./source.ts";

export interface NumberedPage {
  /** 1 = the first. */
  number: number;
  isLast: boolean;
  /** Videos on a full page, as the source reports it. */
  size: number;
  /** Of the whole list; null = the page is behind the list's end, and the source says no more. */
  total: number | null;
  videos: ListedVideo[];
}

interface Place {
  page: number;
  /** When the page before was read. */
  total: number;
}

export type Direction = "asc" | "desc";

/**
 * By creation, oldest first: new videos then join at the end and move nothing. For videos after a time, newest first, so that the list ends
 * there.
 */
export const directionOf = ({ createdAfterMs }: Selection): Direction =>
  createdAfterMs === undefined ? "asc" : "desc";

/**
 * @param cursor `next` of the page before
 * @param read one page; its videos are in the order of `directionOf`
 */
export async function readNumbered(
  cursor: string | null,
  selection: Selection,
  vendor: string,
  read: (page: number) => Promise<NumberedPage>,
): Promise<SourcePage> {
  const place = cursor === null ? null : (JSON.parse(cursor) as Place);
  const page = await readExactly(place?.page ?? 1, vendor, read);
  const missed = place === null ? [] : await readMissed(place, page, vendor, read);
  const isOver = page.isLast || page.videos.some((video) => isPast(video, selection));
  const next: Place = { page: page.number + 1, total: page.total ?? 0 };
  return { videos: [...missed, ...page.videos], next: isOver ? null : JSON.stringify(next) };
}

/** @throws {SourceFailure} source_unreadable for another page than was asked for: such a list may have no end */
async function readExactly(
  number: number,
  vendor: string,
  read: (page: number) => Promise<NumberedPage>,
): Promise<NumberedPage> {
  const page = await read(number);
  if (page.number === number) return page;
  throw new SourceFailure("source_unreadable", `${vendor} answered page ${page.number} for page ${number}.`);
}

async function readMissed(
  place: Place,
  { number, size, total }: NumberedPage,
  vendor: string,
  read: (page: number) => Promise<NumberedPage>,
): Promise<ListedVideo[]> {
  const moved = total === null ? 1 : Math.max(0, place.total - total);
  const first = Math.max(1, number - Math.ceil(moved / Math.max(1, size)));
  const videos: ListedVideo[] = [];
  for (let again = first; again < number; again++) videos.push(...(await readExactly(again, vendor, read)).videos);
  // Nothing before these can have moved across the border.
  return total === null ? videos : videos.slice(videos.length - Math.min(moved, videos.length));
}

function isPast({ createdAt }: ListedVideo, { createdAfterMs, createdBeforeMs }: Selection): boolean {
  const createdMs = Date.parse(createdAt ?? "");
  if (Number.isNaN(createdMs)) return false;
  return createdAfterMs === undefined
    ? createdBeforeMs !== undefined && createdMs >= createdBeforeMs
    : createdMs < createdAfterMs;
}
