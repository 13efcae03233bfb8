import { expect, test } from "vitest";
import { type ErrorBody, newWorkspace } from "../../workspace.ts";

test("a list names the query parameters that it ignored, and the one that was probably meant", async () => {
  const workspace = await newWorkspace();
  const warningsOf = async (path: string) => {
    const answer = await workspace.request("GET", path);
    return [answer.status, (await answer.json<{ warnings?: object[] }>()).warnings];
  };
  const meant = (field: string, known: string) => ({
    field,
    message: `unknown query parameter \`${field}\`; did you mean \`${known}\`?`,
  });
  expect(await warningsOf("/v1/on-demand?limt=5&order_by=asc")).toEqual([
    200,
    [meant("limt", "limit"), meant("order_by", "orderBy")],
  ]);
  expect(await warningsOf("/v1/live/streams?state=active")).toEqual([
    200,
    [{ field: "state", message: "unknown query parameter `state`" }],
  ]);
  expect(await warningsOf("/v1/events?cursr=x")).toEqual([200, [meant("cursr", "cursor")]]);
  expect(await warningsOf("/v1/on-demand?limit=5&offset=1&orderBy=asc")).toEqual([200, undefined]);
  const many = Array.from({ length: 30 }, (_, n) => `p${n}q=1`).join("&");
  expect((await warningsOf(`/v1/on-demand?${many}`))[1]).toHaveLength(20);
});

test("a refused query names its unknown parameters at the end of `hints`", async () => {
  const workspace = await newWorkspace();
  const answer = await workspace.request("GET", "/v1/on-demand?limit=51&ofset=2");
  const { error } = await answer.json<ErrorBody>();
  expect([answer.status, error.fields]).toEqual([422, [{ field: "limit", message: "is invalid" }]]);
  expect(error.hints?.at(-1)).toEqual({
    field: "ofset",
    message: "unknown query parameter `ofset`; did you mean `offset`?",
  });
});
