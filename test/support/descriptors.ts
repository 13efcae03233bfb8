/** Limits the file descriptors of a running process. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";

/** Lets a process open only this many more descriptors. */
export function leaveDescriptors(pid: number, count: number): void {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let free = 0; free < count || open.has(limit); limit += 1) if (!open.has(limit)) free += 1;
  limitDescriptors(pid, limit);
}

export const limitDescriptors = (pid: number, limit: number): void =>
  void execFileSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`]);
