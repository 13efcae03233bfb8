import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { styleText } from "node:util";

/** One figure of merit: the measured value and its yardstick from the same run. */
export interface Figure {
  name: string;
  value: string;
  yardstick: string;
  /** The aim, and whether it was met; null = the figure has no aim. */
  aim: string;
  isMet: boolean | null;
  /** All measured values, for the JSON. */
  raw: unknown;
}

export const quantile = (values: number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};
export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
};
export const milliseconds = (value: number) =>
  value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

export function printFigures(title: string, figures: Figure[]): void {
  console.log(`\n${styleText("bold", title)}`);
  const widths = [
    Math.max(...figures.map(({ name }) => name.length)),
    Math.max(...figures.map(({ value }) => value.length)),
    Math.max(...figures.map(({ yardstick }) => yardstick.length)),
  ] as const;
  for (const { name, value, yardstick, aim, isMet } of figures) {
    const mark = isMet === null ? " " : isMet ? styleText("green", "✓") : styleText("red", "✗");
    console.log(
      `  ${mark} ${name.padEnd(widths[0])}  ${styleText("bold", value.padEnd(widths[1]))}  ${yardstick.padEnd(widths[2])}  ${styleText("dim", aim)}`,
    );
  }
}

/** Stores the figures in bench/results/{name}.json, with a description of the machine. */
export async function keepFigures(name: string, figures: Figure[]): Promise<void> {
  await mkdir("bench/results", { recursive: true });
  const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version };
  await writeFile(
    `bench/results/${name}.json`,
    `${JSON.stringify({ name, at: new Date().toISOString(), machine, figures }, null, 2)}\n`,
  );
}

const SHOWN_VIOLATIONS = 5;

/** A row for each guarantee of a soak, which holds when nothing violates it. Prints the first violations. */
export const guaranteeFigures = <Name extends string>(
  guarantees: Record<Name, string>,
  verdict: Record<Name, readonly unknown[]>,
): Figure[] =>
  (Object.keys(guarantees) as Name[]).map((name) => {
    const violations = verdict[name];
    for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) console.error(`  ${name}: ${String(violation)}`);
    return {
      name: guarantees[name],
      value: `${violations.length} violations`,
      yardstick: "",
      aim: "0",
      isMet: violations.length === 0,
      raw: violations,
    };
  });
