import type { ChildProcess } from "node:child_process";
import { log } from "../../protocol/log.ts";

/** Limit per process: hostile media can make a native library repeat a message. */
const MOST_CHARACTERS = 20_000;

/** Logs what a media process writes to its console. Reads all of it, so that a full pipe never stops the process. */
export function logOutput({ pid, stderr }: ChildProcess, script: string): void {
  let left = MOST_CHARACTERS;
  stderr?.on("data", (chunk: Buffer) => {
    const text = chunk.toString("utf8").trimEnd().slice(0, left);
    left -= text.length;
    if (text !== "") log("child.output", { pid: pid ?? null, script, text });
  });
}
