import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
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

/** Starts a parent that starts the script. @returns the parent, and the process id of the script */
async function startParent(script: string): Promise<{ parent: ChildProcess; pid: number }> {
  const parent = fork("test/encoder/parent-child.ts", [script], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const [pid] = await once(parent, "message");
  return { parent, pid: Number(pid) };
}

test.each(["encoder/live/child.ts", "encoder/jobs/child.ts"])(
  "%s ends with its parent, even when the parent is killed before the child has loaded",
  async (script) => {
    for (const afterMs of [0, 50, 1500]) {
      const { parent, pid } = await startParent(script);
      await new Promise((done) => setTimeout(done, afterMs)); // the child's progress
      parent.kill("SIGKILL");
      expect(await untilGone(pid)).toBe(true);
    }
  },
);

test("a process that ends by itself after its parent does not wait for a native call", async () => {
  const { parent, pid } = await startParent("test/encoder/busy-child.ts");
  try {
    parent.send("begin");
    await new Promise((done) => setTimeout(done, 1500)); // the call is running
    parent.kill("SIGKILL");
    expect(await untilGone(pid)).toBe(true);
  } finally {
    if (parent.exitCode === null) parent.kill("SIGKILL");
  }
});
