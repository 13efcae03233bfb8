import type { ChildProcess, SpawnOptions } from "node:child_process";

export interface Outcome {
  name: string;
  ok: boolean;
  output: string;
  tookMs: number;
}

/** How a program is started, as by `spawn` of Node. */
export type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** Runs a program as a check: it passes when the program ends with 0. */
export type Run = (name: string, command: string, ...args: string[]) => Promise<Outcome>;

export const runBy =
  (spawn: Spawn): Run =>
  async (name, command, ...args) => {
    const startedAt = Date.now();
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
    const code = await new Promise<number | null>((done) => child.once("close", done));
    return { name, ok: code === 0, output, tookMs: Date.now() - startedAt };
  };
