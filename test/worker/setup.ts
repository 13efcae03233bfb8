import { applyD1Migrations, env, reset, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach } from "vitest";
import * as worker from "../../src/worker.ts";
import {
  limitBucket,
  limitClass,
  limitDatabase,
  limitGlobalFetch,
  limitHandlers,
  limitNamespace,
  limitQueue,
  limitStorage,
  limitStub,
} from "./limits/cloudflare-limits.ts";

/** What the Worker has logged since the test began. Vitest would take a quarter of the suite's CPU time to collect it line by line. */
let logged: unknown[][] = [];
const print = console.log.bind(console);
console.log = (...words) => void logged.push(words);

beforeEach(() => void (logged = []));
afterEach(({ task }) => {
  if (task.result?.state === "fail") for (const words of logged) print(...words);
});

beforeAll(async () => {
  await reset(); // files share a runtime (`isolate: false`): each begins with empty bindings
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await enforceLimits();
});

/** From here on the bindings refuse what Cloudflare's would. */
async function enforceLimits(): Promise<void> {
  limitGlobalFetch();
  limitDatabase(env.DB);
  limitBucket(env.MEDIA);
  limitQueue(env.PURGES);
  for (const durableObject of [
    worker.AssetMachine,
    worker.ImageMaker,
    worker.LiveStreamMachine,
    worker.LiveOrigin,
    worker.SearchIndex,
    worker.UploadMachine,
    worker.WebhookSender,
  ])
    limitClass(durableObject);
  const stub = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName("limits"));
  limitStub(stub);
  limitNamespace(env.ASSET_MACHINE);
  await runInDurableObject(stub, (_, { storage }) => limitStorage(storage));
  limitHandlers(worker.default);
}
