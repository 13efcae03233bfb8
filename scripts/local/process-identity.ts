import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** When a process started, as a text that no other process with the same pid has; null = unknown, or there is no such process. */
export const processIdentity = async (pid: number): Promise<string | null> =>
  (await ofLinux(pid).catch(() => null)) ?? (await ofPs(pid).catch(() => null));

/** Field 22 of /proc/PID/stat, in ticks since the boot. The second field is a name in parentheses, which may contain anything. */
async function ofLinux(pid: number): Promise<string | null> {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile("/proc/sys/kernel/random/boot_id", "utf8"),
  ]);
  const startTicks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return startTicks === undefined ? null : `${boot.trim()} ${startTicks}`;
}

async function ofPs(pid: number): Promise<string | null> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]);
  return stdout.trim() || null;
}
