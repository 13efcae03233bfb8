/** Failed tests in workerd name lines of their files, not of the code that vite has made of these. */
import { transform } from "esbuild";
import { expect, test } from "vitest";
import type { TestModule } from "vitest/node";
import SourceLines from "../../../scripts/suite/source-lines.ts";

const FILE = "/home/me/sluice/test/worker/example.test.ts";
const SOURCE = `/** Types
 * have no code. */
interface Example {
  name: string;
}

export const nameOf = (example: Example | null) =>
  example!.name;
`;

test.each([
  ["worker", "8:3"],
  ["pure", "1:1"], // corrected by vitest
])("of a test of the project %s", async (project, position) => {
  const { code, map } = await transform(SOURCE, { loader: "ts", sourcemap: "external", sourcefile: FILE });
  const at = code.split("\n").findIndex((line) => line.includes("example.name"));
  const place = { line: at + 1, column: code.split("\n")[at]!.indexOf("example.name") + 1 };
  const [line, column] = project === "worker" ? [place.line, place.column] : [1, 1];
  const error = {
    stack: `TypeError: no name\n    at nameOf (${FILE}:${line}:${column})\n    at async run (node:internal/x:7:1)`,
    stacks: [{ method: "nameOf", file: FILE, line, column }],
  };
  const moduleGraph = {
    getModuleById: (id: string) =>
      id === FILE ? { transformResult: { code, map: JSON.parse(map) as object } } : undefined,
  };
  const failed = {
    project: { name: project, vite: { environments: { ssr: { moduleGraph } } } },
    errors: () => [],
    children: { allSuites: () => [], allTests: () => [{ result: () => ({ errors: [error] }) }] },
  };
  new SourceLines().onTestModuleEnd(failed as unknown as TestModule);
  expect(error.stack).toBe(
    `TypeError: no name\n    at nameOf (${FILE}:${position})\n    at async run (node:internal/x:7:1)`,
  );
  expect(error.stacks.map((frame) => `${frame.line}:${frame.column}`)).toEqual([position]);
});
