/**
 * Starts the processes that read hostile media with minimal privileges: only the listed environment variables, no open files except their
 * pipes, no new privileges, and a separate user when the service runs as root and `MEDIA_UID` is set.
 */
import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { logOutput } from "./child-output.ts";

const SETUP = new URL("./child-setup.ts", import.meta.url).href;
const SETPRIV = "/usr/bin/setpriv"; // util-linux

export interface MediaProcessOptions {
  stdio: NonNullable<ForkOptions["stdio"]>;
  heapMiB: number;
  /** In addition to PATH and NODE_COMPILE_CACHE. Readable by every process of the same user, so it must not contain secrets. */
  environment?: Record<string, string>;
}

/** Each libav call occupies a libuv thread; decoder, filter and every encoder of a ladder run at the same time. */
const LIBUV_THREADS = 12;
/** The environment of a process that calls libav. */
export const LIBAV_ENVIRONMENT: Record<string, string> = { UV_THREADPOOL_SIZE: String(LIBUV_THREADS) };

/** The system cannot start another process or open another file. */
export class ProcessNotStarted extends Error {}

/** @throws {ProcessNotStarted} */
export function startMediaProcess(
  script: string,
  { stdio, heapMiB, environment = {} }: MediaProcessOptions,
): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${heapMiB}`, `--import=${SETUP}`];
  const [execPath, ...execArgv] = existsSync(SETPRIV) ? [SETPRIV, "--no-new-privs", "--", ...node] : node;
  const options = {
    env: { PATH: process.env["PATH"] ?? "", ...compileCache(), ...environment },
    serialization: "json",
    stdio,
    execPath: execPath!,
    execArgv,
    ...mediaUser(),
  } satisfies ForkOptions;
  const child = forkOrThrow(script, options);
  child.on("error", () => {}); // reported by the supervisor
  logOutput(child, `${basename(dirname(script))}/${basename(script)}`);
  if (child.pid === undefined) throw new ProcessNotStarted("The system refused to start a process.");
  return child;
}

/**
 * The folder of compiled modules (Node's compile cache), which halves the startup time of a process. In the container, the image's build fills it,
 * and media processes cannot write to it, so none can change the code of the next.
 */
function compileCache(): Record<string, string> {
  const folder = process.env["NODE_COMPILE_CACHE"];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

/** The user of media processes; null = the service's own. */
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
