import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { access, constants as fileConstants, readdir, rm, statfs } from "node:fs/promises";
import { constants, freemem } from "node:os";
import { join } from "node:path";
import { isAlive } from "../local/process-identity.ts";

/** A file system in memory, which Linux has here. That of a container may have 64 MB. */
const IN_MEMORY = "/dev/shm";
const NAME = /^sluice-tests-(\d+)$/;
/** The files of a whole run take up to 1.2 GB at the same time. */
const MIN_SPACE_BYTES = 4 * 1024 ** 3;
/** For these files, and the processes beside them. */
const MIN_MEMORY_BYTES = 8 * 1024 ** 3;

/**
 * Makes the folder of the tests' temporary files in memory, if there is room (docs/decisions/0126-two-tiers-of-tests.md). It goes with this process.
 *
 * @returns null = the tests use the system's own folder, or that of `TMPDIR`
 */
export async function makeTemporaryFolder(): Promise<string | null> {
  if (process.env["TMPDIR"] !== undefined) return null;
  const space = await statfs(IN_MEMORY).catch(() => null);
  if (space === null || !(await isWritable()) || !hasRoom(space.bavail * space.bsize, freemem())) return null;
  await removeAbandoned();
  const folder = join(IN_MEMORY, `sluice-tests-${process.pid}`);
  mkdirSync(folder);
  chmodSync(folder, 0o711); // players that do not run as root, and media processes of another user, pass through it
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  return folder;
}

export const hasRoom = (freeSpaceBytes: number, freeMemoryBytes: number): boolean =>
  freeSpaceBytes >= MIN_SPACE_BYTES && freeMemoryBytes >= MIN_MEMORY_BYTES;

const isWritable = (): Promise<boolean> =>
  access(IN_MEMORY, fileConstants.W_OK).then(
    () => true,
    () => false,
  );

/** Folders of runs that were killed, one of which may have had the id of this process. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(IN_MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    const isAbandoned = pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)));
    if (isAbandoned) await rm(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}
