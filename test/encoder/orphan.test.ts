import { fork } from "node:child_process";
import { expect, test } from "vitest";

/** Resolves when a process has exited. */
async function untilGone(pid: number): Promise<true> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

const PARENT = `
  const { fork } = require("node:child_process");
  const child = fork(process.argv[1], [], { stdio: ["pipe", "pipe", "pipe", "ipc"] });
  process.send(child.pid);
  setInterval(() => {}, 1000);
`;

test.each(["encoder/live/child.ts", "encoder/jobs/child.ts"])(
  "%s ends with its parent, even when the parent is killed before the child has loaded",
  async (script) => {
    for (const afterMs of [0, 50, 1500]) {
      const parent = fork("-e", [PARENT, script], {
        execPath: process.execPath,
        execArgv: [],
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
      const pid = await new Promise<number>((done) => parent.once("message", (message) => done(Number(message))));
      await new Promise((done) => setTimeout(done, afterMs)); // the child's progress
      parent.kill("SIGKILL");
      expect(await untilGone(pid)).toBe(true);
    }
  },
);
