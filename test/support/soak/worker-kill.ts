import type { TestPlatform } from "../platform.ts";
import { commandOf, descendantsOf } from "../processes.ts";

const POLL_MS = 25;
const UP_LIMIT_MS = 60_000;

/** Ends the Worker as a crash would, its host and workerd at once: with them goes what their queues held. */
export function killWorker(platform: TestPlatform): void {
  const host = platform.pids.worker();
  if (host === undefined) throw new Error("the Worker does not run");
  const workerd = descendantsOf(host).filter((pid) => /workerd.* serve /.test(commandOf(pid)));
  if (workerd.length === 0) throw new Error("workerd does not run");
  for (const pid of [...workerd, host]) process.kill(pid, "SIGKILL");
}

/** Resolves when the Worker answers again; how long that took, ms. */
export async function untilUp(platform: TestPlatform): Promise<number> {
  const beganAtMs = Date.now();
  for (;;) {
    const isUp = await fetch(`${platform.baseUrl}/healthz`).then(
      async (response) => (await response.text()) !== "" && response.ok,
      () => false,
    );
    if (isUp) return Date.now() - beganAtMs;
    if (Date.now() - beganAtMs > UP_LIMIT_MS) throw new Error("the Worker does not come back");
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}
