import { spawn } from "node:child_process";

export interface Outcome {
  name: string;
  ok: boolean;
  output: string;
  tookMs: number;
}

/** Runs a program as a check: it passes when the program ends with 0. */
export async function run(name: string, command: string, ...args: string[]): Promise<Outcome> {
  const startedAt = Date.now();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { name, ok: code === 0, output, tookMs: Date.now() - startedAt };
}
