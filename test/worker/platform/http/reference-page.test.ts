import { expect, test } from "vitest";
import { send } from "../../workspace.ts";

const text = async (path: string) => await (await send(new Request(`http://sluice.test${path}`))).text();

test("the reference page loads the reference from its own origin, and cannot be embedded", async () => {
  const answer = await send(new Request("http://sluice.test/v1/reference"));
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url)).toEqual([
    "data:,",
    "/player/scalar.js",
    "/player/reference.js",
    "/v1/openapi.json",
  ]);
  const policy = answer.headers.get("content-security-policy")!;
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
    expect(policy.split("; ")).toContain(rule);
});

test("the API's description mentions only existing operations", async () => {
  const document = JSON.parse(await text("/v1/openapi.json")) as {
    info: { description: string };
    paths: Record<string, object>;
  };
  const paths = Object.keys(document.paths);
  const operations: Record<string, RegExp> = {
    upload: /upload/,
    "on-demand": /on-demand/,
    live: /\/live\//,
    webhook: /\/webhooks/,
    playback: /playback/,
  };
  for (const [word, pattern] of Object.entries(operations))
    expect([word, document.info.description.toLowerCase().includes(word)]).toEqual([
      word,
      paths.some((path) => pattern.test(path)),
    ]);
});
