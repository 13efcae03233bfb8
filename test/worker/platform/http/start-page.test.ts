import { expect, test } from "vitest";
import { send } from "../../workspace.ts";

const root = (accept: string, host = "sluice.test") => send(new Request(`http://${host}/`, { headers: { accept } }));

test("a browser at the root gets the start page, whose links are valid; an API client gets the usual 404", async () => {
  const page = await root("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8");
  expect([page.status, page.headers.get("vary")]).toEqual([200, "Accept"]);
  const links = [...(await page.text()).matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path!);
  expect(links).toHaveLength(3);
  for (const path of links) expect((await send(new Request(`http://sluice.test${path}`))).status).not.toBe(404);
  expect((await root("application/json")).status).toBe(404);
  expect((await root("*/*")).status).toBe(404);
  expect((await root("application/json, text/html;q=0.5")).status).toBe(404);
  expect((await root("text/html;q=0, */*")).status).toBe(404);
});

test("the root of a play.* host serves the hosted page, also to a browser", async () => {
  expect(await (await root("text/html", "play.sluice.test")).text()).not.toContain("API reference");
});

test("an address that does not exist is a page in a browser, and JSON for an API client", async () => {
  const open = (accept: string) => send(new Request("http://sluice.test/nowhere", { headers: { accept } }));
  const page = await open("text/html,*/*;q=0.8");
  expect([page.status, page.headers.get("vary")]).toEqual([404, "Accept"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; style-src 'self'");
  expect(await page.text()).toContain("<h1>This page does not exist</h1>");
  const answer = await open("*/*");
  expect([answer.status, await answer.json()]).toEqual([
    404,
    {
      success: false,
      error: { code: 404, message: "not found", description: "there is no such route; /v1/reference lists them all" },
    },
  ]);
});
