import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { codeBlocks, theBlock } from "../support/guide-blocks.ts";

const GUIDE = codeBlocks("docs/guides/checking-low-latency.md");

const start = (command: string) => {
  const child = spawn("sh", ["-c", `exec ${command}`], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  return child;
};

test("the guide's two commands find the fault that the guide shows", { timeout: 60_000 }, async () => {
  const origin = start(theBlock(GUIDE, "sh", "Try it"));
  await once(origin.stdout, "data");
  const checker = start(theBlock(GUIDE, "bash", "Try it"));
  let report = "";
  checker.stdout.on("data", (chunk) => (report += String(chunk)));
  const [code] = await once(checker, "close");
  expect(code).toBe(1);
  expect(report).toContain(theBlock(GUIDE, "text", "Try it"));
});
