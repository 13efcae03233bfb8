import type { ListedVideo, SourcePage } from "./source.ts";

const PREFIX = "chosen:";
/** They are read one by one, so a page takes a few seconds. */
const PER_PAGE = 10;

/** A page of videos that were chosen by id, for sources that list them all or describe one. Ids that are unknown there are left out. */
export async function chosenPage(
  cursor: string | null,
  ids: readonly string[],
  describe: (id: string) => Promise<ListedVideo | null>,
): Promise<SourcePage> {
  const begin = cursor === null ? 0 : Number(cursor.slice(PREFIX.length));
  const end = begin + PER_PAGE;
  const videos: ListedVideo[] = [];
  for (const id of ids.slice(begin, end)) {
    const video = await describe(id);
    if (video !== null) videos.push(video);
  }
  return { videos, next: end < ids.length ? PREFIX + end : null };
}
