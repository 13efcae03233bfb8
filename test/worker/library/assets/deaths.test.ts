/** A step that crashes its process is repeated a limited number of times. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test, vi } from "vitest";
import { assetMachine } from "../../../../src/library/assets/asset-calls.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";

let workspace: TestWorkspace;
let server: RemoteServer;
beforeAll(async () => {
  workspace = await newWorkspace();
  server = await openSourceServer();
});

const create = async (path: string): Promise<string> => {
  const response = await workspace.request("POST", "/v1/on-demand", videoFrom(`${server.origin}${path}`));
  return (await response.json<MediaAnswer>()).data.id;
};
const media = async (id: string) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<MediaAnswer>()).data as MediaAnswer["data"] & {
    error?: { code: string; fault: string };
  };
const requestsReach = (path: string, count: number) =>
  vi.waitFor(async () => expect((await server.requests(path)).length).toBeGreaterThanOrEqual(count), {
    timeout: 30_000,
    interval: 100,
  });
/** Aborts the object, as when it runs out of memory: none of its code runs afterwards. */
const kill = (id: string) =>
  runInDurableObject(env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id)), (_, state) =>
    state.abort("killed"),
  ).catch(() => undefined);
const wake = (id: string) => assetMachine(env, id).start(id);

test.concurrent(
  "a machine that crashes three times in the same step makes its asset errored and stops reading the source",
  { timeout: 120_000 },
  async () => {
    await server.add("/deadly", { kind: "hang" });
    const id = await create("/deadly");
    for (let death = 1; death <= 3; death++) {
      await requestsReach("/deadly", death);
      await kill(id);
      await wake(id);
    }
    await vi.waitFor(async () => expect((await media(id)).status).toBe("Failed"), { timeout: 30_000, interval: 100 });
    expect((await media(id)).error).toMatchObject({ code: "processing_died", fault: "service" });
    expect(await server.requests("/deadly")).toHaveLength(3);
  },
);

test.concurrent(
  "an asset whose machine crashes twice in a step and then completes it is processed normally",
  { timeout: 120_000 },
  async () => {
    await server.add("/unlucky", { kind: "hang" });
    const id = await create("/unlucky");
    for (let death = 1; death <= 2; death++) {
      await requestsReach("/unlucky", death);
      await kill(id);
      if (death === 2) await server.add("/unlucky", { kind: "content", text: "not a standard source" });
      await wake(id);
    }
    await vi.waitFor(async () => expect((await media(id)).status).toBe("Validating"), {
      timeout: 30_000,
      interval: 100,
    });
  },
);
