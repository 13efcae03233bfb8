import { applyD1Migrations, env, runInDurableObject } from "cloudflare:test";
import { beforeAll } from "vitest";
import * as worker from "../../src/worker.ts";
import {
  asInvocation,
  limitBucket,
  limitClass,
  limitDatabase,
  limitGlobalFetch,
  limitQueue,
  limitStorage,
  limitStub,
} from "./limits/cloudflare-limits.ts";

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await enforceLimits();
});

/** From here on the bindings refuse what Cloudflare's would. */
async function enforceLimits(): Promise<void> {
  limitGlobalFetch();
  limitDatabase(env.DB);
  limitBucket(env.MEDIA);
  limitQueue(env.PURGES);
  for (const durableObject of [worker.AssetMachine, worker.LiveStreamMachine, worker.LiveOrigin, worker.WebhookSender])
    limitClass(durableObject);
  const stub = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName("limits"));
  limitStub(stub);
  await runInDurableObject(stub, (_, { storage }) => limitStorage(storage));
  const handlers = { ...worker.default };
  Object.assign(worker.default, {
    queue: (...event: Parameters<typeof handlers.queue>) => asInvocation(() => handlers.queue(...event)),
    scheduled: (...event: Parameters<typeof handlers.scheduled>) => asInvocation(() => handlers.scheduled(...event)),
  });
}
