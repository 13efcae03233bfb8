import { expect, test } from "vitest";
import { send } from "../../workspace.ts";

const root = (accept: string, host = "sluice.test") => send(new Request(`http://${host}/`, { headers: { accept } }));

test("a browser at the root sees what this is, with links that lead somewhere; an API client gets the usual 404", async () => {
  const page = await root("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8");
  expect([page.status, page.headers.get("vary")]).toEqual([200, "Accept"]);
  const links = [...(await page.text()).matchAll(/href="([^"]+)"/g)].map(([, path]) => path!);
  expect(links).toHaveLength(3);
  for (const path of links) expect((await send(new Request(`http://sluice.test${path}`))).status).not.toBe(404);
  expect((await root("application/json")).status).toBe(404);
  expect((await root("*/*")).status).toBe(404);
  expect((await root("application/json, text/html;q=0.5")).status).toBe(404);
  expect((await root("text/html;q=0, */*")).status).toBe(404);
});

test("the root of a play. host is the hosted page's, also for a browser", async () => {
  expect(await (await root("text/html", "play.sluice.test")).text()).not.toContain("API reference");
});
