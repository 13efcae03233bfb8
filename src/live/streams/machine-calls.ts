import type { StreamCalls } from "../../../durable-objects/live-stream-machine.ts";
import { tell } from "../../../durable-objects/machine.ts";
import type { Env } from "../../platform/env.ts";

/** Tells a stream's machine something and gives back its answer. */
export const callMachine = <Name extends keyof StreamCalls>(
  env: Env,
  streamId: string,
  name: Name,
  order: StreamCalls[Name]["order"],
): Promise<StreamCalls[Name]["answer"]> => tell(env.LIVE_STREAM_MACHINE, streamId, name, order);
