import type { Playable } from "./resolve.ts";

/** Why an asset has nothing to play. For manifests and the hosted page. */
export interface UnplayableState {
  /** It never becomes playable. Otherwise it is being processed. */
  hasFailed: boolean;
  /** The code of the failure, or the one for which the source is being tried again (docs/guides/errors.md); null = none. */
  reason: string | null;
  /** How far processing is, in whole percent. */
  percent: number;
}

export function unplayableState({
  status,
  errorCode,
  retryReason,
  percent,
}: Pick<Playable, "status" | "errorCode" | "retryReason" | "percent">): UnplayableState {
  const hasFailed = status === "errored";
  return { hasFailed, reason: hasFailed ? errorCode : retryReason, percent: Math.floor(percent) };
}
