/**
 * The Worker's fetches must not bypass Cloudflare and reach origin servers of its own zone directly. Only Cloudflare's network routes by zone,
 * so this file tests only that the flag is in force, and that local fetches still work.
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
