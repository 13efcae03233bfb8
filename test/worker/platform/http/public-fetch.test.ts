/**
 * A fetch of the Worker's must not reach the origin servers of its own zone past Cloudflare's front door. Only Cloudflare's network routes by
 * zone, so here it can be seen that the flag is in force, and that what has to be fetched locally still is.
 */
import { expect, test } from "vitest";
import { openSourceServer } from "../../library/sources/source-servers.ts";

interface Runtime {
  compatibilityFlags: Record<string, boolean>;
}

test("the runtime enforces global_fetch_strictly_public", () => {
  const { compatibilityFlags } = (globalThis as unknown as { Cloudflare: Runtime }).Cloudflare;
  expect(compatibilityFlags["global_fetch_strictly_public"]).toBe(true);
});

test("a server of this machine is still fetched when the operator allows it", async () => {
  const server = await openSourceServer();
  await server.add("/film", { kind: "content", text: "bytes" });
  const response = await fetch(`${server.origin}/film`);
  expect(await response.text()).toBe("bytes");
});
