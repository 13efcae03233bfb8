import { errorFields, logWarning } from "../../platform/log.ts";
import { endBroadcast, stopGracefully } from "./end-broadcast.ts";
import type { StreamComponents } from "./components.ts";

type Moved = Promise<{ moved: boolean }>;

/** Ends a broadcast. A stream that was never active has nothing to finish (media contract, live streams). */
export async function finish(machine: StreamComponents, streamId: string): Moved {
  await stopGracefully(machine, "finished");
  const isFinishable = machine.state.status !== "preparing";
  return act(machine, streamId, () => isFinishable && endBroadcast(machine, "finish", "finished"));
}

export const disable = (machine: StreamComponents, streamId: string): Moved =>
  act(machine, streamId, () => endBroadcast(machine, "disable", "disabled"));

export const enable = (machine: StreamComponents, streamId: string): Moved =>
  act(machine, streamId, () => machine.move("enable"));

export const remove = (machine: StreamComponents, streamId: string): Moved =>
  act(machine, streamId, () => endBroadcast(machine, "remove", "deleted"));

/** An action of the stream's owner. Its effect is in D1 before the answer, unless D1 fails; then the outbox retries. */
async function act(machine: StreamComponents, streamId: string, action: () => boolean): Moved {
  machine.documents.put("name", streamId);
  const moved = action();
  await machine.outbox.drain().catch((error: unknown) => {
    logWarning("live.outbox_waits", { streamId, ...errorFields(error) });
  });
  return { moved };
}

/** A changed reconnect window applies to the session that is open. */
export function changeReconnectWindow({ documents, session }: StreamComponents, reconnectWindowS: number): void {
  if (session !== null) documents.put("session", { ...session, reconnectWindowS });
}
