/**
 * Starts the processes that read hostile media, with as little as the host allows: nothing of the environment but what is named, no open files
 * but their own pipes, no way to gain privileges, and another user than the service's when that runs as root and `MEDIA_UID` is set.
 */
import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { existsSync } from "node:fs";

const SETPRIV = "/usr/bin/setpriv"; // util-linux

export interface MediaProcessOptions {
  stdio: NonNullable<ForkOptions["stdio"]>;
  heapMiB: number;
  /** Besides PATH. Every process of the same user can read it, so no secret belongs here. */
  environment?: Record<string, string>;
}

/** The system has no room for another process or file. */
export class ProcessNotStarted extends Error {}

/** @throws {ProcessNotStarted} */
export function startMediaProcess(
  script: string,
  { stdio, heapMiB, environment = {} }: MediaProcessOptions,
): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${heapMiB}`];
  const [execPath, ...execArgv] = existsSync(SETPRIV) ? [SETPRIV, "--no-new-privs", "--", ...node] : node;
  const options = {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    serialization: "json",
    stdio,
    execPath: execPath!,
    execArgv,
    ...mediaUser(),
  } satisfies ForkOptions;
  const child = forkOrThrow(script, options);
  child.on("error", () => {}); // its end says so too
  if (child.pid === undefined) throw new ProcessNotStarted("The system refused to start a process.");
  return child;
}

/** The user that media processes run as; null = the service's own. */
export function mediaUser(environment = process.env): { uid: number; gid: number } | null {
  const uid = Number(environment["MEDIA_UID"] ?? Number.NaN);
  const gid = Number(environment["MEDIA_GID"] ?? uid);
  const isUsable = Number.isInteger(uid) && uid > 0 && Number.isInteger(gid) && gid > 0;
  return isUsable && process.getuid?.() === 0 ? { uid, gid } : null;
}

function forkOrThrow(script: string, options: ForkOptions): ChildProcess {
  try {
    return fork(script, [], options);
  } catch (error) {
    throw new ProcessNotStarted("The system refused to start a process.", { cause: error });
  }
}
