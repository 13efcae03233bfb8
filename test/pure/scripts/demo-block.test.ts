import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { asReader, withDemoOutput } from "../../../scripts/readme/demo-block.ts";

const readme = await readFile("README.md", "utf8");

test("the README's block of output is replaced, and nothing else", () => {
  const renewed = withDemoOutput(readme, "\n  ✓ Ready   \n\n");
  expect(renewed).toContain("```text\n  ✓ Ready\n```");
  expect(withDemoOutput(renewed, "other")).toBe(withDemoOutput(readme, "other"));
  expect(renewed.split("\n## ").slice(1)).toEqual(readme.split("\n## ").slice(1));
});

test("a README without the markers is refused", () => {
  expect(() => withDemoOutput("# Sluice", "output")).toThrow("markers");
  expect(() => withDemoOutput(`${readme}${readme}`, "output")).toThrow("markers");
});

test("readers see the default address, and no path of the machine that made the output", () => {
  const output = "http://127.0.0.1:23456/player/1 /tmp/sluice-1/local.json http://127.0.0.1:23456";
  expect(asReader(output, { origin: "http://127.0.0.1:23456", home: "/tmp/sluice-1" })).toBe(
    "http://127.0.0.1:8787/player/1 /path/to/sluice/.sluice/local.json http://127.0.0.1:8787",
  );
});
