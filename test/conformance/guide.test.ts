import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { codeBlocks, theBlock } from "../support/guide-blocks.ts";

const GUIDE = codeBlocks("docs/guides/checking-low-latency.md");

/** In a process group of its own, because `npx` does not pass signals on. */
const start = (command: string) => {
  const child = spawn("sh", ["-c", `exec ${command}`], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  onTestFinished(() => {
    if (child.exitCode === null) process.kill(-child.pid!, "SIGTERM");
  });
  return child;
};

const SECTIONS = ["Try it", "Try DASH"];

test.each(SECTIONS)(
  "%s: the guide's two commands find the fault that it shows",
  { timeout: 60_000 },
  async (section) => {
    const origin = start(theBlock(GUIDE, "sh", section));
    await once(origin.stdout, "data");
    const checker = start(theBlock(GUIDE, "bash", section));
    let report = "";
    checker.stdout.on("data", (chunk) => (report += String(chunk)));
    const [code] = await once(checker, "close");
    expect(code).toBe(1);
    expect(report).toContain(theBlock(GUIDE, "text", section));
  },
);
