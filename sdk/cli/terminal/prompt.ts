import { createInterface } from "node:readline/promises";
import { Interrupted, UsageError } from "./usage-error.ts";

const { stdin, stderr } = process;

/** Whether somebody can be asked. */
export const hasTerminal = (): boolean => stdin.isTTY;

/** Asks for a line. @throws {UsageError} without a terminal @throws {Interrupted} after Ctrl-C or Ctrl-D */
export async function promptLine(question: string, option: string): Promise<string> {
  if (!stdin.isTTY) throw new UsageError(`Give ${option}, because there is no terminal to ask for it.`);
  const lines = createInterface({ input: stdin, output: stderr });
  const left = new Promise<never>((_, failed) => {
    for (const event of ["SIGINT", "close"] as const) lines.on(event, () => failed(new Interrupted()));
  });
  left.catch(() => undefined); // closing after the answer
  try {
    return (await Promise.race([lines.question(question), left])).trim();
  } finally {
    lines.close();
  }
}

/**
 * Asks for a secret, which the terminal does not show. Without a terminal it is the first line of the standard input.
 *
 * @throws {Interrupted} after Ctrl-C
 */
export async function promptSecret(question: string): Promise<string> {
  if (!stdin.isTTY) return firstLine();
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  try {
    return await typedLine();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

async function firstLine(): Promise<string> {
  let text = "";
  for await (const piece of stdin) {
    text += String(piece);
    if (text.includes("\n")) break;
  }
  return (text.split("\n")[0] ?? "").trim();
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ["\u0003", "\u0004", "\b", "\u007F"];

/** The keys up to Enter, in raw mode. */
function typedLine(): Promise<string> {
  let typed = "";
  return new Promise((done, failed) => {
    const read = (keys: string) => {
      for (const key of keys) {
        if (key === CTRL_C) {
          stdin.off("data", read);
          return failed(new Interrupted());
        }
        if (key === "\r" || key === "\n" || key === CTRL_D) {
          stdin.off("data", read);
          return done(typed.trim());
        }
        typed = key === BACKSPACE || key === DELETE ? typed.slice(0, -1) : typed + key;
      }
    };
    stdin.on("data", read);
    stdin.resume();
  });
}
