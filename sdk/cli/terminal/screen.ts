import { styleText } from "node:util";

export interface Bar {
  name: string;
  percent: number;
  note: string;
}

const WIDTH = 28;
/** The length of the longest event kind in the demo. */
const NAME_WIDTH = 31;
const dim = (text: string) => styleText("dim", text);

/** The demo's text output: permanent lines, and below them progress bars, on a terminal moving, else printed at every quarter. */
export class Screen {
  /** Lines that are drawn again: bars, or a block. */
  private shownBars = 0;
  private readonly reported = new Map<string, number>();
  private readonly out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.out = out;
  }

  title(text: string): void {
    this.clearBars();
    this.out.write(`\n  ${styleText("bold", text)}\n\n`);
  }

  step(what: string, figure: string, detail = ""): void {
    this.clearBars();
    this.out.write(
      `  ${styleText("green", "✓")} ${what.padEnd(NAME_WIDTH)} ${styleText("bold", figure.padStart(9))}   ${dim(detail)}\n`,
    );
  }

  /** Prints a delivery between the steps. */
  delivery(what: string, figure: string, detail: string): void {
    this.clearBars();
    this.out.write(`  ${styleText("cyan", "→")} ${what.padEnd(NAME_WIDTH)} ${figure.padStart(9)}   ${dim(detail)}\n`);
  }

  failure(what: string, detail: string): void {
    this.clearBars();
    this.out.write(`  ${styleText("red", "✗")} ${what.padEnd(NAME_WIDTH)} ${detail}\n`);
  }

  bars(bars: Bar[]): void {
    if (!this.out.isTTY) return this.printQuarters(bars);
    this.clearBars();
    for (const bar of bars) this.out.write(`${drawBar(bar)}\n`);
    this.shownBars = bars.length;
  }

  /** Lines that the next ones replace. Nothing without a terminal. */
  block(lines: readonly string[]): void {
    if (!this.out.isTTY) return;
    this.clearBars();
    for (const line of lines) this.out.write(`${line}\n`);
    this.shownBars = lines.length;
  }

  /** Permanent lines, as they are. */
  lines(lines: readonly string[]): void {
    this.clearBars();
    for (const line of lines) this.out.write(`${line}\n`);
  }

  /** Of the terminal, in characters. */
  get width(): number {
    return this.out.columns || 80; // 0 where nobody has said it
  }

  get isTerminal(): boolean {
    return this.out.isTTY;
  }

  links(links: [string, string][]): void {
    this.clearBars();
    this.out.write("\n");
    for (const [name, url] of links) this.out.write(`  ${name.padEnd(12)} ${styleText("cyan", url)}\n`);
    this.out.write("\n");
  }

  text(text: string): void {
    this.clearBars();
    this.out.write(`  ${dim(text)}\n`);
  }

  private clearBars(): void {
    if (this.shownBars > 0) this.out.write(`\u001B[${this.shownBars}A\u001B[0J`);
    this.shownBars = 0;
  }

  private printQuarters(bars: Bar[]): void {
    for (const bar of bars) {
      const quarter = Math.floor(bar.percent / 25);
      if (quarter <= (this.reported.get(bar.name) ?? 0)) continue;
      this.reported.set(bar.name, quarter);
      this.out.write(`${drawBar(bar)}\n`);
    }
  }
}

function drawBar({ name, percent, note }: Bar): string {
  const filled = Math.round((percent / 100) * WIDTH);
  const bar = styleText("cyan", "█".repeat(filled)) + dim("░".repeat(WIDTH - filled));
  return `    ${name.padEnd(10)} ${bar} ${`${Math.floor(percent)} %`.padStart(6)}   ${dim(note)}`;
}
