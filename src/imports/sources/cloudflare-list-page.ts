import { SourceFailure, type Selection, type SourcePage } from "./source.ts";
import { VideosAnswer, type Video } from "./cloudflare-answers.ts";
import type { CloudflareApi } from "./cloudflare-api.ts";
import { listedVideo } from "./cloudflare-listed.ts";
import {
  beyondQuery,
  borderOf,
  freshOf,
  MOST_PER_CALL,
  nextBorder,
  pageQuery,
  STEPS_US,
  type Border,
} from "./cloudflare-pages.ts";

/**
 * A page of the list. Its end costs three calls more than there are pages: that no answer has anything new is the only sure sign of it.
 *
 * @throws {SourceFailure} source_unreadable also for more videos of one time than an answer holds
 */
export async function listPage(api: CloudflareApi, cursor: string | null, selection: Selection): Promise<SourcePage> {
  const border = borderOf(cursor);
  if (border === null) return pageOf(freshOf(await videosOf(api, pageQuery(null, selection, 0)), null), null);
  for (const stepUs of STEPS_US) {
    const videos = await videosOf(api, pageQuery(border, selection, stepUs));
    const fresh = freshOf(videos, border);
    if (fresh.length > 0) return pageOf(fresh, border);
    if (videos.length === 0) return END;
    if (videos.length >= MOST_PER_CALL && stepUs === STEPS_US.at(-1)) throw tooManyOfOneTime();
  }
  // An answer that was not full had everything, unless Cloudflare has begun to answer fewer videos than its documents say.
  const beyond = await videosOf(api, beyondQuery(border, selection));
  if (freshOf(beyond, border).length > 0) throw tooManyOfOneTime();
  return END;
}

const END: SourcePage = { videos: [], next: null };

function pageOf(fresh: Video[], border: Border | null): SourcePage {
  if (fresh.length === 0) return END;
  return { videos: fresh.map(listedVideo), next: JSON.stringify(nextBorder(fresh, border)) };
}

async function videosOf(api: CloudflareApi, query: URLSearchParams): Promise<Video[]> {
  const answer = await api.read(
    { path: `${api.stream()}?${query.toString()}` },
    VideosAnswer,
    "Cloudflare's list of videos",
  );
  if (answer === null) throw new SourceFailure("credentials_invalid", "Cloudflare knows no account with this ID.");
  return answer.result;
}

function tooManyOfOneTime(): SourceFailure {
  const message =
    "More videos share one time of creation than an answer of Cloudflare holds, and its list offers no way to read beyond them.";
  return new SourceFailure("source_unreadable", message);
}
