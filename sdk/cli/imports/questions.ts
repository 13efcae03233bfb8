import { promptLine } from "../terminal/prompt.ts";

/** Writes beside the output, as the questions do: the output may go to a file. */
export const remark = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Asks until the answer can be read.
 *
 * @param read the value of an answer, or what is wrong with it
 * @param option that gives the answer without a terminal, such as `--bucket`
 * @throws {UsageError} without a terminal
 */
export async function ask<Value>(
  question: string,
  option: string,
  read: (answer: string) => { value: Value } | { wrong: string },
): Promise<Value> {
  for (;;) {
    const found = read(await promptLine(`${question}: `, option));
    if ("value" in found) return found.value;
    remark(`  ${found.wrong}`);
  }
}

/** @param usual the answer to an empty line; null = there must be one */
export const askText = (question: string, option: string, usual: string | null = null): Promise<string> =>
  ask(usual === null || usual === "" ? question : `${question} [${usual}]`, option, (answer) => {
    const text = answer === "" ? usual : answer;
    return text === null ? { wrong: "This is needed." } : { value: text };
  });

/** @returns undefined for an empty line */
export const askOptional = async (question: string, option: string): Promise<string | undefined> =>
  (await askText(`${question} (empty = none)`, option, "")) || undefined;

export const askYes = (question: string, option: string, usual: boolean): Promise<boolean> =>
  ask(`${question} [${usual ? "Y/n" : "y/N"}]`, option, (answer) => {
    if (answer === "") return { value: usual };
    if (/^y(es)?$/i.test(answer)) return { value: true };
    return /^no?$/i.test(answer) ? { value: false } : { wrong: "Answer y or n." };
  });

/** A numbered menu. @param choices the values, each with what it says */
export async function askChoice<Value extends string>(
  question: string,
  option: string,
  choices: readonly (readonly [Value, string])[],
  usual: Value | null = null,
): Promise<Value> {
  remark(`${question}:`);
  for (const [n, [, text]] of choices.entries()) remark(`  ${n + 1}  ${text}`);
  const place = choices.findIndex(([value]) => value === usual) + 1;
  return ask(place > 0 ? `Choose [${place}]` : "Choose", option, (answer) => {
    const chosen =
      answer === ""
        ? usual
        : choiceOf(
            answer,
            choices.map(([value]) => value),
          );
    return chosen === null ? { wrong: `Answer with a number from 1 to ${choices.length}.` } : { value: chosen };
  });
}

/** By its number, or by its own name. */
function choiceOf<Value extends string>(answer: string, values: readonly Value[]): Value | null {
  const numbered = /^\d+$/.test(answer) ? values[Number(answer) - 1] : undefined;
  return numbered ?? values.find((value) => value === answer) ?? null;
}
