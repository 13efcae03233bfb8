import { readFile } from "node:fs/promises";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFile(new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** What axe-core finds in a page, by all its rules: "rule: element". */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await AXE); // not as a script element, which the page's policy forbids
  const results = await page.evaluate(async () => {
    const { run } = Reflect.get(window, "axe") as { run: () => Promise<AxeResults> };
    return await run();
  });
  expect(results.passes.length).toBeGreaterThan(5);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  );
}
