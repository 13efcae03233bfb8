import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Of a process that has ended and that its parent has not waited for. It has nothing open any more. */
export const ENDED = "ended";

/** Whether there is a process with this id, whoever owns it. One that has ended counts until its parent has waited for it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user's process
  }
}

/** When a process started, as a text that no other process with the same pid has; null = unknown, or there is no such process. */
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
