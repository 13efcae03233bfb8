import { expect, test } from "vitest";
import { send } from "../../workspace.ts";

const text = async (path: string) => await (await send(new Request(`http://sluice.test${path}`))).text();

test("the reference lists every operation and writes every body out", async () => {
  const page = await text("/v1/reference");
  const { paths } = JSON.parse(await text("/v1/openapi.json")) as { paths: Record<string, Record<string, object>> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `<code>${method.toUpperCase()} ${path}</code>`),
  );
  expect(operations.length).toBeGreaterThan(30);
  expect(operations.filter((operation) => page.split(operation).length < 3)).toEqual([]); // in the list, and as a heading
  expect(page).not.toContain("$ref");
  expect(page).toContain("accessPolicy");
});

test("the API's description names only what has an operation", async () => {
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
