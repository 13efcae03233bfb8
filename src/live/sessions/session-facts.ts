import type { LiveSession } from "../streams/repository.ts";

/** Times as epoch ms: messages are kept as JSON. */
export type SessionFacts = Omit<LiveSession, "startedAt" | "endedAt"> & {
  startedAtMs: number;
  endedAtMs: number | null;
};
