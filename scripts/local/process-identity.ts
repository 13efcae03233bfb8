import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Identity of a process that has ended but that its parent has not reaped. It holds no resources. */
export const ENDED = "ended";

/** Whether a process with this id exists, whoever owns it. An ended one counts until its parent has reaped it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user's process
  }
}

/** Start of a process, as a text that differs from any other process with the same pid; null = unknown, or no such process. */
export const processIdentity = async (pid: number): Promise<string | null> =>
  (await ofLinux(pid).catch(() => null)) ?? (await ofPs(pid).catch(() => null));

/** Field 22 of /proc/PID/stat, in ticks since the boot. The second field is a name in parentheses, which may contain anything. */
async function ofLinux(pid: number): Promise<string | null> {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile("/proc/sys/kernel/random/boot_id", "utf8"),
  ]);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z") return ENDED;
  const startTicks = fields[19];
  return startTicks === undefined ? null : `${boot.trim()} ${startTicks}`;
}

async function ofPs(pid: number): Promise<string | null> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
  const [state = "", ...started] = stdout.trim().split(/\s+/);
  return state.startsWith("Z") ? ENDED : started.join(" ") || null;
}
