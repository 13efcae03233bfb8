/** Compares what was answered with what the API knows. Every list contains descriptions of violations: empty = the guarantee held. */
import type { BeaconSoakResult } from "./soak.ts";

export const GUARANTEES = {
  kept: "every event of a beacon that was answered is in its view, once and in order",
  final: "every view is final once its last event is answered",
  once: "every view is counted once, by the list and by the metrics",
  announced: "every view has exactly one playback.completed or playback.errored",
  answered: "every beacon was answered 200, or 503 while it could not be stored",
} as const;
export type Guarantee = keyof typeof GUARANTEES;

export function judge(result: BeaconSoakResult): Record<Guarantee, string[]> {
  const { played, seen, refusals } = result;
  return {
    kept: played.flatMap(({ viewId, answered }) => {
      const expected = [...answered].toSorted((one, other) => one - other).map((sequence) => sequence * 1000);
      const found = (seen.get(viewId)?.events ?? []).map(({ pt }) => pt);
      return String(found) === String(expected) ? [] : [`${viewId} has ${found.join()} instead of ${expected.join()}`];
    }),
    final: played.flatMap(({ viewId }) => (seen.get(viewId)?.isFinal === true ? [] : [`${viewId} is not final`])),
    once: [...judgeOnce(result)],
    announced: [...judgeAnnounced(result)],
    answered: refusals,
  };
}

function* judgeOnce({ played, listed, counted }: BeaconSoakResult): Generator<string> {
  if (counted !== played.length) yield `the metrics count ${counted} views, and ${played.length} were played`;
  const times = Map.groupBy(listed, (viewId) => viewId);
  for (const { viewId } of played)
    if (times.get(viewId)?.length !== 1) yield `${viewId} is listed ${times.get(viewId)?.length ?? 0} times`;
  if (listed.length !== played.length) yield `${listed.length} views are listed, and ${played.length} were played`;
}

function* judgeAnnounced({ played, announced }: BeaconSoakResult): Generator<string> {
  const byView = Map.groupBy(announced, ({ viewId }) => viewId);
  for (const { viewId, hasFailed } of played) {
    const types = (byView.get(viewId) ?? []).map(({ type }) => type).join();
    const expected = hasFailed ? "playback.errored" : "playback.completed";
    if (types !== expected) yield `${viewId} is announced by ${types || "nothing"} instead of ${expected}`;
  }
}
