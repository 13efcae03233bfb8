import { rmSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ENDED, isAlive, processIdentity } from "./process-identity.ts";
import { StartError } from "./settings.ts";

const FILE = "running.json";
const ANSWER_LIMIT_MS = 2000;

interface Claim {
  pid: number;
  /** Distinguishes the process from a later one with the same pid; null or absent = unknown. */
  identity?: string | null;
  baseUrl: string;
}

/**
 * Claims a folder of data for this process: two platforms on one database would lock each other out. The claim ends with the process, unless
 * it is killed.
 *
 * @returns a function that releases the claim
 * @throws {StartError} when another running process has claimed it
 */
export async function claimFolder(folder: string, baseUrl: string): Promise<() => Promise<void>> {
  const path = join(folder, FILE);
  const claim: Claim = { pid: process.pid, identity: await processIdentity(process.pid), baseUrl };
  for (;;) {
    try {
      await writeFile(path, JSON.stringify(claim), { flag: "wx" });
      return releaseOf(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const other = await ownerOf(path);
    if (other !== null)
      throw new StartError(
        `Sluice already runs on the data in ${folder}: process ${other.pid}, at ${other.baseUrl}. Stop it first. To run two at the same time, give a second npm start a SLUICE_HOME and ports of its own; a second npm run dev needs another copy of the repository (docs/guides/developing.md).`,
      );
    await rm(path, { force: true }); // claimed by a process that was killed
  }
}

function releaseOf(path: string): () => Promise<void> {
  const atExit = () => rmSync(path, { force: true });
  process.once("exit", atExit);
  return async () => {
    process.off("exit", atExit);
    await rm(path, { force: true });
  };
}

async function ownerOf(path: string): Promise<Claim | null> {
  let owner: Claim;
  try {
    owner = JSON.parse(await readFile(path, "utf8")) as Claim;
  } catch {
    return null; // removed in between, or truncated by a crash
  }
  return isAlive(owner.pid) && (await isSameProcess(owner)) ? owner : null;
}

/** Pids are reused, most often in containers. If the start of a process is unknown, the claim holds only while the platform answers. */
async function isSameProcess({ pid, identity, baseUrl }: Claim): Promise<boolean> {
  const found = await processIdentity(pid);
  if (found === ENDED) return false;
  if (found !== null && typeof identity === "string") return found === identity;
  return await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }).then(
    () => true,
    () => false,
  );
}
