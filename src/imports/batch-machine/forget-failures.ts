import type { BatchComponents } from "./components.ts";

/** What was wrong with the source is over: it may be asked at once. */
export function forgetFailures({ documents }: BatchComponents): void {
  documents.delete("failures", "waits", "quietUntilMs", "problem");
}
