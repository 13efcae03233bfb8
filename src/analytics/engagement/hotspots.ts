export interface Hotspot {
  startMs: number;
  endMs: number;
  /** Average plays of its intervals. */
  plays: number;
}

const MAX_HOTSPOTS = 5;

/**
 * Parts that were watched unusually often: adjacent intervals with more plays than the average plus one standard deviation. The most watched
 * part comes first. Pure.
 */
export function hotspotsOf(plays: readonly number[], originMs: number, intervalMs: number): Hotspot[] {
  if (plays.length === 0) return [];
  const mean = plays.reduce((sum, count) => sum + count, 0) / plays.length;
  const deviation = Math.sqrt(plays.reduce((sum, count) => sum + (count - mean) ** 2, 0) / plays.length);
  const spots: { from: number; counts: number[] }[] = [];
  for (const [index, count] of plays.entries()) {
    if (deviation === 0 || count <= mean + deviation) continue;
    const last = spots.at(-1);
    if (last !== undefined && last.from + last.counts.length === index) last.counts.push(count);
    else spots.push({ from: index, counts: [count] });
  }
  return spots
    .map(({ from, counts }) => ({
      startMs: originMs + from * intervalMs,
      endMs: originMs + (from + counts.length) * intervalMs,
      plays: counts.reduce((sum, count) => sum + count, 0) / counts.length,
    }))
    .toSorted((one, other) => other.plays - one.plays)
    .slice(0, MAX_HOTSPOTS);
}
