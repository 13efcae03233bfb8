/** Runs programs with the CPU time that nothing else wants. */
import { spawn } from "node:child_process";
import { access, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Spawn } from "../check/run.ts";

/** Where control groups of the CPU are mounted: version 1, then version 2. */
const ROOTS = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"];

/** Moves the shell into the group and becomes the program, so that every process of the program belongs to the group. */
const ENTER = 'echo $$ > "$0/cgroup.procs" && exec "$@"';

export interface Background {
  spawn: Spawn;
  close(): Promise<void>;
}

/**
 * Makes a control group with `cpu.idle` (Linux 5.15 and later). `nice` is no substitute: Linux weighs whole sessions against each other, and each local
 * Worker and each browser of the tests has one of its own.
 *
 * @returns null where that is not possible: another system, no root, or a container that may not make control groups
 */
export async function openBackground(): Promise<Background | null> {
  for (const root of ROOTS) {
    const group = join(root, `sluice-tests-${process.pid}`);
    try {
      await access(join(root, "cgroup.procs"));
      await mkdir(group);
    } catch {
      continue;
    }
    try {
      await writeFile(join(group, "cpu.idle"), "1");
      if ((await readFile(join(group, "cpu.idle"), "utf8")).trim() !== "1") throw new Error("cpu.idle has no effect");
      return {
        spawn: (command, args, options) => spawn("sh", ["-c", ENTER, group, command, ...args], options),
        close: () => rmdir(group).catch(() => {}), // a process that a test left behind keeps it
      };
    } catch {
      await rmdir(group);
    }
  }
  return null;
}
