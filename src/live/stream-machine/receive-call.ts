import type { StreamCalls } from "../streams/stream-calls.ts";
import { configure } from "./configure.ts";
import { connect } from "./connect.ts";
import { currentSession, isLatestSession } from "./current-session.ts";
import { disable, enable, finish, remove } from "./owner-actions.ts";
import type { StreamComponents } from "./components.ts";
import { onHeartbeat } from "./session-heartbeat.ts";
import { onLeft } from "./session-left.ts";
import { onStarted } from "./session-started.ts";
import { wakeStream } from "./wake-stream.ts";

type Answer<Name extends keyof StreamCalls> = StreamCalls[Name]["answer"];
type Handlers = {
  [Name in keyof StreamCalls]: (order: StreamCalls[Name]["order"]) => Answer<Name> | Promise<Answer<Name>>;
};

/** Answers a call of `StreamCalls`. */
export async function receiveCall(machine: StreamComponents, name: string, order: unknown): Promise<unknown> {
  const handlers = handlersOf(machine) as unknown as Record<string, ((order: unknown) => unknown) | undefined>;
  const handle = handlers[name];
  if (handle === undefined) throw new Error(`unknown call of a live stream machine: ${name}`);
  return await handle(order);
}

const handlersOf = (machine: StreamComponents): Handlers => ({
  connect: (order) => connect(machine, order),
  started: (order) => onStarted(machine, order),
  heartbeat: (order) => onHeartbeat(machine, order),
  check: (order) => ({
    isCurrent: currentSession(machine, order) !== null,
    isLatest: isLatestSession(machine, order),
  }),
  ended: (order) => onLeft(machine, order),
  finish: (order) => finish(machine, order),
  disable: (order) => disable(machine, order),
  enable: (order) => enable(machine, order),
  remove: (order) => remove(machine, order),
  configure: ({ reconnectWindowS }) => configure(machine, reconnectWindowS),
  watched: ({ sessionId, viewers }) => {
    machine.viewers.report(sessionId, viewers, machine.clock());
    return null;
  },
  viewers: () => ({ views: machine.viewers.read(machine.session?.id, machine.clock()) }),
  wake: (order) => wakeStream(machine, order),
});
