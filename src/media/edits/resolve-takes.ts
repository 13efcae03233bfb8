import type { Montage } from "./montage.ts";

/** A take whose end is known. */
export interface ResolvedTake {
  file: number;
  startMs: number;
  endMs: number;
}

/** Times that lie behind the end of a file by no more than this are taken for its end: people round. */
const TOLERANCE_MS = 1000;
/** Shorter takes are left out: less than a picture, and than the cross-fades of sound. */
const SHORTEST_TAKE_MS = 20;

/**
 * Cuts takes at the ends of their files. Pure.
 *
 * @param durationsMs by file
 * @returns what is wrong, in words for the owner, when a take has nothing of its file
 */
export function resolveTakes(
  { files, takes }: Montage,
  durationsMs: readonly number[],
): { takes: ResolvedTake[] } | { problem: string } {
  const resolved: ResolvedTake[] = [];
  for (const { file, startMs, endMs } of takes) {
    const durationMs = durationsMs[file] ?? 0;
    if (startMs > durationMs + TOLERANCE_MS)
      return {
        problem: `${files[file]?.path ?? ""}: the file is ${seconds(durationMs)} seconds long, and has nothing from ${seconds(startMs)} seconds on.`,
      };
    const end = Math.min(endMs ?? durationMs, durationMs);
    if (end - startMs >= SHORTEST_TAKE_MS) resolved.push({ file, startMs, endMs: end });
  }
  return resolved.length === 0 ? { problem: "Nothing is left of the inputs." } : { takes: resolved };
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);
