import { pause } from "../../../api/pause.ts";
import { ApiError, ConnectionError } from "../../../index.ts";
import type { Batch } from "../records.ts";
import { type ImportSession, ofBatch } from "../session.ts";

const POLL_MS = 1000;
/** Between attempts while the platform does not answer. */
const OUTAGE_POLL_MS = 3000;

/** An answer that a later attempt may change. */
const isOutage = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408));

/**
 * The batch as it is now, once a second, for `for await`. An outage of the platform is told once and ridden out.
 *
 * @throws {ApiError} when the platform refuses, such as for an id that it does not have; the signal's reason
 */
export async function* followBatch(session: ImportSession, importId: string): AsyncGenerator<Batch> {
  const { sluice, signal } = session;
  const call = ridingOut(session);
  for (;;) {
    const batch = await call(
      async () => (await sluice.get("/v1/imports/{importId}", { ...ofBatch(importId), signal })).data,
    );
    yield batch;
    await pause(POLL_MS, signal);
  }
}

/** Repeats a read until the platform answers. */
export function ridingOut({ reporter, signal }: ImportSession): <Value>(read: () => Promise<Value>) => Promise<Value> {
  return async (read) => {
    for (let isOut = false; ; isOut = true) {
      try {
        const value = await read();
        if (isOut) reporter.say({ kind: "recovered" }, (screen) => screen.text("The platform answers again."));
        return value;
      } catch (error) {
        signal.throwIfAborted();
        if (!isOutage(error)) throw error;
        const { message } = error as Error;
        if (!isOut)
          reporter.say({ kind: "outage", message }, (screen) =>
            screen.text(
              `${message.charAt(0).toUpperCase()}${message.slice(1)}; trying again. The batch goes on by itself.`,
            ),
          );
      }
      await pause(OUTAGE_POLL_MS, signal);
    }
  };
}
