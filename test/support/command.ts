/** Runs a command as a user does, and shows what it says while it runs. */
import { spawn } from "node:child_process";
import { expect } from "vitest";

export interface RunningCommand {
  /** Everything on standard output and standard error so far. */
  readonly output: () => string;
  /** The objects that it has printed, one per line. */
  readonly said: () => Said[];
  /** Resolves with the first object of this kind, or fails after a time. */
  until(kind: string, isMeant?: (said: Said) => boolean): Promise<Said>;
  /** Writes to its standard input. */
  write(text: string | Uint8Array): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** The exit status; null = ended by a signal. */
  exit: Promise<number | null>;
}

export interface Said {
  kind: string;
  [more: string]: unknown;
}

const LIMIT_MS = 60_000;

/** @param env replaces the environment, apart from PATH */
export function startCommand(
  [file = "", ...args]: readonly string[],
  { env = {}, cwd = process.cwd() }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): RunningCommand {
  const { PATH } = process.env;
  const child = spawn(file, args, { env: { PATH, NO_COLOR: "1", ...env }, cwd });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += String(piece)));
  child.stdin.on("error", () => undefined); // it may end before it has read everything
  const exit = new Promise<number | null>((done) => child.once("close", done));
  const said = () =>
    output
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Said);
  return {
    exit,
    output: () => output,
    said,
    async until(kind, isMeant = () => true) {
      const find = () => said().find((one) => one.kind === kind && isMeant(one));
      await expect.poll(() => find() ?? output, { timeout: LIMIT_MS, interval: 20 }).toMatchObject({ kind });
      return find()!;
    },
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
  };
}

/** Runs a command to its end. @param input its standard input */
export async function runCommand(
  words: readonly string[],
  { input = "", ...options }: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string } = {},
): Promise<{ status: number | null; output: string; said: Said[] }> {
  const command = startCommand(words, options);
  command.write(input);
  command.endInput();
  const status = await command.exit;
  return { status, output: command.output(), said: command.said() };
}
