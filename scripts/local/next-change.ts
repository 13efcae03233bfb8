import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What `wrangler dev` bundles. */
const FOLDERS = ["src", "durable-objects", "protocol", "player"];
const CONFIG = "wrangler.toml";
const POLL_MS = 500;

/**
 * Resolves when the Worker's code is newer than this time. The change may precede the call, because wrangler takes seconds to end.
 *
 * @param sinceMs epoch ms
 * @returns the time of the check, epoch ms
 */
export async function changeSince(sinceMs: number): Promise<number> {
  for (;;) {
    const lookedAtMs = Date.now();
    if ((await lastChangeMs()) > sinceMs) return lookedAtMs;
    await sleep(POLL_MS);
  }
}

/** Includes folders: removing or renaming a file changes the time of its folder. */
async function lastChangeMs(): Promise<number> {
  const entries = FOLDERS.map(async (folder) => {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    return [folder, ...names.map((name) => join(folder, name))];
  });
  const paths = (await Promise.all(entries)).flat();
  const times = [...paths, CONFIG].map((path) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0, // removed in between
    ),
  );
  return Math.max(...(await Promise.all(times)));
}
