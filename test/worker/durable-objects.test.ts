import { DurableObject } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as worker from "../../src/worker.ts";

test("classes of Durable Objects inherit Cloudflare's `DurableObject` and nothing else", () => {
  const { AssetMachine, ImageMaker, LiveStreamMachine, LiveOrigin, UploadMachine, WebhookSender } = worker;
  const parents = [AssetMachine, ImageMaker, LiveStreamMachine, LiveOrigin, UploadMachine, WebhookSender].map(
    (durableObject) => Object.getPrototypeOf(durableObject) as unknown,
  );
  expect(parents.map((parent) => parent === DurableObject)).toEqual([true, true, true, true, true, true]);
});
