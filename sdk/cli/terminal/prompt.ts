import { createInterface } from "node:readline/promises";
import { INTERRUPTED } from "./interrupt.ts";
import { UsageError } from "./usage-error.ts";

const { stdin, stderr } = process;

/** Asks for a line. @throws {UsageError} without a terminal */
export async function promptLine(question: string, option: string): Promise<string> {
  if (!stdin.isTTY) throw new UsageError(`Give ${option}, because there is no terminal to ask for it.`);
  const lines = createInterface({ input: stdin, output: stderr });
  lines.on("SIGINT", () => process.exit(INTERRUPTED));
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** Asks for a secret, which the terminal does not show. Without a terminal it is the first line of the standard input. */
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
  return new Promise((done) => {
    const read = (keys: string) => {
      for (const key of keys) {
        if (key === CTRL_C) {
          stdin.setRawMode(false);
          process.exit(INTERRUPTED);
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
