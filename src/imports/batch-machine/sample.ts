import { fetchSource, SourceError } from "../../library/sources/index.ts";
import { type ListedVideo, type Source, SourceFailure } from "../sources/source.ts";
import type { BatchComponents, SampledVideo } from "./components.ts";
import { describedNow } from "./open-batch-source.ts";

/** Videos of a dry run whose files are tried. */
const SAMPLE_SIZE = 50;
const AT_ONCE = 5;
/** Failures of the source in a row, after which a video counts as one that cannot be fetched. */
const PATIENCE = 3;

/**
 * Tries the next files of a dry run's sample, which is spread evenly over the items. Nothing is changed at the source: where a file must be
 * ordered or opened first, the source is only asked for the video.
 *
 * @returns false when the sample is complete
 */
export async function sampleStep(batch: BatchComponents, source: Source): Promise<boolean> {
  const { items, scan, documents } = batch;
  const { total } = items.counts;
  const size = Math.min(SAMPLE_SIZE, total);
  if (scan.sampled >= size) return false;
  const places = Array.from({ length: Math.min(AT_ONCE, size - scan.sampled) }, (_, n) => scan.sampled + n);
  const tried = await Promise.all(
    places.map(async (place) => {
      const [item] = items.page({ status: null, after: Math.floor((place * total) / size), limit: 1 });
      return item?.status === "pending" ? await tryVideo(batch, source, item.video) : undefined;
    }),
  );
  const found = tried.filter((one) => one !== null && one !== undefined);
  batch.commit(() => {
    documents.put("sample", [...(documents.get("sample") ?? []), ...found]);
    documents.put("scan", {
      ...scan,
      sampled: scan.sampled + places.length,
      tried: scan.tried + tried.filter((one) => one !== undefined).length,
    });
  });
  return true;
}

/** Null = nothing stands against it. @throws {SourceFailure} which concerns the whole source, and is tried again */
async function tryVideo(batch: BatchComponents, source: Source, video: ListedVideo): Promise<SampledVideo | null> {
  const failed = (code: string, message: string) => ({ sourceId: video.id, title: video.title, code, message });
  try {
    const current = await describedNow(batch, source, video);
    if (current === null) return failed("video_gone", "The source has no such video any more.");
    if (current.obstacle !== null) return failed(current.obstacle.code, current.obstacle.message);
    if (source.changesAtSource) return null;
    const resolved = await source.resolve(current, null);
    if (resolved.status !== "ready") return null;
    const { body } = await fetchSource(batch.env, resolved.url, { range: { first: 0, last: 1023 } });
    await body.cancel();
    return null;
  } catch (error) {
    if (error instanceof SourceError) return failed(error.code, error.message);
    if (!(error instanceof SourceFailure) || concernsAll(batch, error)) throw error;
    return failed(error.code, error.message);
  }
}

/** A source that fails several times in a row for one video fails because of the video. */
const concernsAll = ({ documents }: BatchComponents, { code, retryAfterMs }: SourceFailure): boolean =>
  code === "source_rate_limited" ||
  code === "credentials_invalid" ||
  (retryAfterMs !== null && (documents.get("failures") ?? 0) < PATIENCE);
