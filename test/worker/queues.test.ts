import { createMessageBatch, env } from "cloudflare:test";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import worker from "../../src/worker.ts";
import config from "../../wrangler.toml?raw";

const { queues } = parse(config) as unknown as { queues: { consumers: { queue: string }[] } };
const consume = (queue: string) => worker.queue(createMessageBatch(queue, []), env);

test.each(queues.consumers)("the Worker consumes $queue, also under another installation's name", async ({ queue }) => {
  await expect(consume(queue)).resolves.toBeUndefined();
  await expect(consume(queue.replace("sluice-", "my-video-"))).resolves.toBeUndefined();
});

test("a queue without a consumer is an error, so that its messages are tried again", async () => {
  await expect(consume("sluice-reports")).rejects.toThrow("no consumer for the queue sluice-reports");
});
