import { DurableObject } from "cloudflare:workers";
import { StreamComponents } from "../src/live/stream-machine/components.ts";
import { connect } from "../src/live/stream-machine/connect.ts";
import { endConnection } from "../src/live/stream-machine/end-broadcast.ts";
import { keepOnAir, startBroadcast } from "../src/live/stream-machine/on-air.ts";
import { changeReconnectWindow, disable, enable, finish, remove } from "../src/live/stream-machine/owner-actions.ts";
import { checkConnection } from "../src/live/stream-machine/sessions.ts";
import { streamTimers, wakeStream } from "../src/live/stream-machine/timers.ts";
import type { StreamCalls } from "../src/live/streams/stream-calls.ts";
import type { Env } from "../src/platform/env.ts";
import { serveCalls } from "../src/platform/machine/itty.ts";

/** Owns the state of one live stream: its broadcaster, its session and its reconnect window (docs/architecture/live.md). */
export class LiveStreamMachine extends DurableObject<Env> {
  readonly components: StreamComponents;
  readonly #serve: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const machine = new StreamComponents(ctx, env);
    this.components = machine;
    this.#serve = serveCalls<StreamCalls>({
      connect: (order) => connect(machine, order),
      startBroadcast: (connection, started) => startBroadcast(machine, connection, started),
      keepOnAir: (connection, heartbeat) => keepOnAir(machine, connection, heartbeat),
      checkConnection: (connection) => checkConnection(machine, connection),
      endConnection: (connection) => endConnection(machine, connection),
      finish: (streamId) => finish(machine, streamId),
      disable: (streamId) => disable(machine, streamId),
      enable: (streamId) => enable(machine, streamId),
      remove: (streamId) => remove(machine, streamId),
      changeReconnectWindow: (reconnectWindowS) => changeReconnectWindow(machine, reconnectWindowS),
      reportViewers: (sessionId, viewers) => machine.viewers.report(sessionId, viewers, machine.clock()),
      countViewers: () => machine.viewers.read(machine.session?.id, machine.clock()),
      wake: (streamId) => wakeStream(machine, streamId),
    });
  }

  override fetch(request: Request): Promise<Response> {
    return this.#serve(request);
  }

  override alarm(): Promise<void> {
    return this.components.timers.runDue(streamTimers(this.components));
  }
}
