import type { TestPlatform } from "../platform.ts";
import { commandOf, descendantsOf } from "../processes.ts";

const POLL_MS = 25;
const ANSWER_LIMIT_MS = 5000;
const UP_LIMIT_MS = 60_000;

/** Ends the Worker like a crash: its host and workerd at once, with the contents of their queues. */
export function killWorker(platform: TestPlatform): void {
  const host = platform.pids.worker();
  if (host === undefined) throw new Error("the Worker does not run");
  process.kill(host, "SIGSTOP"); // so that it starts no process that would outlive it
  const children = descendantsOf(host);
  const isThere = children.some(isWorkerd);
  for (const pid of [...children, host]) process.kill(pid, "SIGKILL");
  if (!isThere) throw new Error("workerd does not run");
}

const isWorkerd = (pid: number) => /workerd.* serve /.test(commandOf(pid));

/** Finds the Worker's processes now, which takes milliseconds. @returns kills them within microseconds */
export function aimAtWorker(platform: TestPlatform): () => void {
  const host = platform.pids.worker();
  const workerd = host === undefined ? undefined : descendantsOf(host).find(isWorkerd);
  if (workerd === undefined) throw new Error("workerd does not run");
  return () => {
    process.kill(host!, "SIGSTOP");
    process.kill(workerd, "SIGKILL");
    for (const pid of [...descendantsOf(host!), host!]) process.kill(pid, "SIGKILL");
  };
}

/** Resolves when the Worker answers again, with the time it took, ms. */
export async function untilUp(platform: TestPlatform): Promise<number> {
  const beganAtMs = Date.now();
  for (;;) {
    if (await isUp(platform)) return Date.now() - beganAtMs;
    if (Date.now() - beganAtMs > UP_LIMIT_MS) throw new Error("the Worker does not come back");
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

async function isUp(platform: TestPlatform): Promise<boolean> {
  try {
    const response = await fetch(`${platform.baseUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
