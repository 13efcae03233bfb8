/** Reads the tables of docs/architecture/limits.md. */

export interface Limit {
  id: string;
  /** In the unit of `numberOf`: bytes, milliseconds or a count. */
  bound: number;
  enforcedIn: string[];
  /** The first code span of "Beyond it": a status, an error code, or a word such as `closed`. */
  answer: string;
}

const COLUMNS = ["Id", "What", "Bound", "Per", "Enforced in", "Beyond it"];
const UNITS: Record<string, number> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  "KiB/s": 1024,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** @throws {Error} when a row cannot be parsed: no row is skipped */
export function readLimits(markdown: string): Limit[] {
  const rows = [...markdown.matchAll(/^\|(.*)\|$/gm)].map(([, row]) => row!.split("|").map((cell) => cell.trim()));
  const limits = rows.filter(([first]) => first !== COLUMNS[0] && !/^[-: ]+$/.test(first!)).map(readRow);
  const headings = rows.filter(([first]) => first === COLUMNS[0]);
  if (headings.some((cells) => cells.join() !== COLUMNS.join())) throw new Error("a table has other columns");
  return limits;
}

function readRow(cells: string[]): Limit {
  const [idCell = "", , boundCell = "", , fileCell = "", answerCell = ""] = cells;
  const spans = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
  const [id] = spans(idCell);
  const [answer] = spans(answerCell);
  const enforcedIn = spans(fileCell);
  if (cells.length !== COLUMNS.length || id === undefined || answer === undefined || enforcedIn.length === 0)
    throw new Error(`unreadable row: ${cells.join(" | ")}`);
  return { id, bound: numberOf(boundCell), enforcedIn, answer };
}

/** "64 KiB" → 65536, "10 s" → 10000, "1,200 segments" → 1200. */
export function numberOf(text: string): number {
  const found = /^([\d,]+(?:\.\d+)?) (\S.*)$/.exec(text);
  const value = Number(found?.[1]?.replaceAll(",", "") ?? NaN);
  if (found === null || Number.isNaN(value)) throw new Error(`no number with a unit: "${text}"`);
  return Math.round(value * (UNITS[found[2]!] ?? 1));
}
