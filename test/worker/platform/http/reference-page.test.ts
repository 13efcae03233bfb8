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
