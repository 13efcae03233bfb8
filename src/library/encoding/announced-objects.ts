import type { JobRow } from "./job-store.ts";

/**
 * Whether viewers may have fetched an object that `job` writes. The init segment is announced once any job of its rendition has reported
 * segments. A media segment is announced once this job has reported it as stored; before that, no playlist lists it.
 */
export function isAnnounced(
  { rendition, file }: { rendition: string; file: string },
  job: JobRow,
  all: JobRow[],
): boolean {
  if (file.startsWith("init")) return all.some((other) => reportedRenditions(other).includes(rendition));
  return job.partial?.name === rendition && Number.parseInt(file, 10) < job.partial.segments.length;
}

function reportedRenditions({ result, partial }: JobRow): string[] {
  if (result?.kind === "video") return result.renditions.map(({ name }) => name);
  if (result?.kind === "audio") return [result.rendition.name];
  return partial === null ? [] : [partial.name];
}
