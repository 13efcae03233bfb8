import * as durableObjects from "../durable-objects/index.ts";
import { consumePurges } from "./library/assets/index.ts";
import type { CONSUMED_QUEUES } from "./platform/bindings.ts";
import type { Env } from "./platform/env.ts";
import { createFetch } from "./app.ts";
import { runCron } from "./cron.ts";
import { errorFields, logError } from "./platform/log.ts";
import { logFailures } from "./platform/machine/log-failures.ts";
import { consumeClips } from "./live/index.ts";
import { consumeDeadDeliveries, consumeDeliveries } from "./events/webhooks/index.ts";

// By name, because wrangler's types lack the classes of an `export *`.
export {
  AssetMachine,
  EncoderContainer,
  ImageMaker,
  ImportBatch,
  LiveOrigin,
  LiveStreamMachine,
  SearchIndex,
  UploadMachine,
  ViewMachine,
  ViewStore,
  WebhookSender,
} from "../durable-objects/index.ts";
export { PlaybackOrigin } from "./playback/index.ts";

logFailures(durableObjects);

/** A queue without one is of an earlier release. */
const CONSUMERS: Record<(typeof CONSUMED_QUEUES)[number], (env: Env, batch: MessageBatch) => Promise<void>> = {
  purges: consumePurges,
  clips: consumeClips,
  "webhook-deliveries": consumeDeliveries,
  "webhook-deliveries-dead": consumeDeadDeliveries,
};

/** The longest name that fits, since a queue's name may end with another's. */
const consumerOf = (queue: string) =>
  Object.entries(CONSUMERS)
    .toSorted(([one], [other]) => other.length - one.length)
    .find(([name]) => queue === name || queue.endsWith(`-${name}`))?.[1];

async function consumeBatch(batch: MessageBatch, env: Env): Promise<void> {
  const consume = consumerOf(batch.queue);
  if (consume === undefined) throw new Error(`no consumer for the queue ${batch.queue}`);
  await consume(env, batch);
}

export default {
  fetch: createFetch(),
  async queue(batch, env) {
    try {
      await consumeBatch(batch, env);
    } catch (error) {
      // Locally nothing else would say so; the runtime tries the batch again.
      logError("queue.batch_failed", { queue: batch.queue, messages: batch.messages.length, ...errorFields(error) });
      throw error;
    }
  },
  async scheduled(controller, env) {
    try {
      await runCron(env, new Date(controller.scheduledTime));
    } catch (error) {
      logError("cron.failed", { ...errorFields(error) });
      throw error;
    }
  },
} satisfies ExportedHandler<Env>;
