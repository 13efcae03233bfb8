import { execFile } from "node:child_process";
import { basename } from "node:path";
import { promisify } from "node:util";
import { isAlive } from "./process-identity.ts";

const INTERVAL_MS = 500;

/**
 * Sends this process a SIGTERM when the npm that runs it has ended: npm does not forward signals, and nobody can forward a SIGKILL. Does nothing
 * without npm, because a background script must outlive the shell that started it.
 */
export function stopWithNpm(): void {
  const script = process.env["npm_lifecycle_script"];
  if (script === undefined || !script.includes(basename(process.argv[1] ?? ""))) return;
  const parentPid = process.ppid;
  let npmPid = parentPid;
  void parentOfShell(parentPid, script).then((pid) => (npmPid = pid ?? parentPid));
  const timer = setInterval(() => {
    // Checks both: a process that was not reaped still counts as alive, and after a SIGKILL of npm the shell in between remains.
    if (process.ppid === parentPid && isAlive(npmPid)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, INTERVAL_MS);
  timer.unref();
}

/** npm starts a script by `sh -c`, and some shells replace themselves by the script. Null = this process is not a shell, or `ps` is missing. */
async function parentOfShell(pid: number, script: string): Promise<number | null> {
  const found = await promisify(execFile)("ps", ["-ww", "-o", "ppid=,args=", "-p", String(pid)]).catch(() => null);
  const [, parent, command] = /^\s*(\d+)\s+(.*)/.exec(found?.stdout ?? "") ?? [];
  return command?.includes(` -c ${script}`) === true ? Number(parent) : null;
}
