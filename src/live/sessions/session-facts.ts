import type { LiveSession } from "../streams/repository.ts";

/** A session's row. Times are epoch ms, because messages are stored as JSON. */
export type SessionFacts = Omit<LiveSession, "startedAt" | "endedAt"> & {
  startedAtMs: number;
  endedAtMs: number | null;
};
