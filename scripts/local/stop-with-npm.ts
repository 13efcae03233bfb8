import { execFile } from "node:child_process";
import { basename } from "node:path";
import { promisify } from "node:util";
import { isAlive } from "./process-identity.ts";

const INTERVAL_MS = 500;

/**
 * Sends this process a SIGTERM when the npm that runs it is gone: npm does not pass signals on, and a SIGKILL cannot be. Without npm nothing is
 * watched, because a script in the background outlives the shell that started it.
 */
export function stopWithNpm(): void {
  const script = process.env["npm_lifecycle_script"];
  if (script === undefined || !script.includes(basename(process.argv[1] ?? ""))) return;
  const parentPid = process.ppid;
  let npmPid = parentPid;
  void parentOfShell(parentPid, script).then((pid) => (npmPid = pid ?? parentPid));
  const timer = setInterval(() => {
    // Both: a process that nobody waits for still counts as alive, and a SIGKILL of npm leaves the shell between them.
    if (process.ppid === parentPid && isAlive(npmPid)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, INTERVAL_MS);
  timer.unref();
}

/** npm starts a script by `sh -c`, and some shells replace themselves by it. Null = this process is no shell, or there is no `ps`. */
async function parentOfShell(pid: number, script: string): Promise<number | null> {
  const found = await promisify(execFile)("ps", ["-ww", "-o", "ppid=,args=", "-p", String(pid)]).catch(() => null);
  const [, parent, command] = /^\s*(\d+)\s+(.*)/.exec(found?.stdout ?? "") ?? [];
  return command?.includes(` -c ${script}`) === true ? Number(parent) : null;
}
