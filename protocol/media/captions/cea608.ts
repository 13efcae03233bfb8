import { type Cue, escapeText } from "./cue.ts";

const ROWS = [11, 1, 3, 12, 14, 5, 7, 9];
const COLUMNS = 32;
/** Characters that differ from ASCII (CTA-608 table 50). */
const BASIC: Record<number, string> = {
  0x2a: "á",
  0x5c: "é",
  0x5e: "í",
  0x5f: "ó",
  0x60: "ú",
  0x7b: "ç",
  0x7c: "÷",
  0x7d: "Ñ",
  0x7e: "ñ",
  0x7f: "█",
};
const SPECIAL = "®°½¿™¢£♪à èâêîôû";
const EXTENDED = ["ÁÉÓÚÜü‘¡*’—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»", "ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘"];

interface Cell {
  char: string;
  isItalic: boolean;
}
type Screen = (Cell | null)[][];
const blank = (): Screen => Array.from({ length: 16 }, () => []);

/**
 * Decodes caption words of CEA-608 channel CC1 into cues: pop-on, roll-up and paint-on captions, italics, special and extended characters
 * (CTA-608-E, 47 CFR §79.101). Colours are left out. A cue begins when its text is on the screen, and ends when the text changes.
 */
export class Cea608 {
  readonly #emit: (cue: Cue) => void;
  #shown: Screen = blank();
  #hidden: Screen = blank();
  #mode: "pop-on" | "roll-up" | "paint-on" | "text" = "pop-on";
  #rollRows = 2;
  #row = 15;
  #column = 0;
  #isItalic = false;
  #lastControl = -1;
  #isOtherChannel = false;
  #cue: { startMs: number; text: string; settings: string } | null = null;
  #nowMs = 0;

  constructor(emit: (cue: Cue) => void) {
    this.#emit = emit;
  }

  /** One word: two bytes with odd parity, which is not checked. @param atMs when it is received */
  push(first: number, second: number, atMs: number): void {
    this.#nowMs = atMs;
    const [a, b] = [first & 0x7f, second & 0x7f];
    const isControl = a >= 0x10 && a < 0x20;
    // Control words are sent twice; the second one has no effect.
    if (isControl && this.#lastControl === (a << 8) + b) this.#lastControl = -1;
    else if (isControl) {
      this.#lastControl = (a << 8) + b;
      this.#isOtherChannel = (a & 0x08) !== 0;
      if (!this.#isOtherChannel) this.#control(a, b);
    } else {
      if (a !== 0 || b !== 0) this.#lastControl = -1;
      if (!this.#isOtherChannel && this.#mode !== "text") for (const code of [a, b]) this.#character(code);
    }
    if (this.#mode === "paint-on" || this.#mode === "roll-up") this.#update();
  }

  /** No more words follow: what is on the screen ends a few seconds later. */
  end(): void {
    this.#nowMs += 4000;
    this.#shown = blank();
    this.#update();
  }

  #control(a: number, b: number): void {
    if (b >= 0x40) return this.#preamble(a, b);
    if (a === 0x11 && b >= 0x30) return this.#put(SPECIAL[b - 0x30]!);
    if ((a === 0x12 || a === 0x13) && b >= 0x20) {
      this.#column = Math.max(0, this.#column - 1); // replaces the plain character before it
      return this.#put(EXTENDED[a - 0x12]![b - 0x20]!);
    }
    if (a === 0x11 && b >= 0x20) {
      this.#isItalic = (b & 0x0e) === 0x0e;
      return this.#put(" ");
    }
    if (a === 0x17 && b >= 0x21 && b <= 0x23) this.#column = Math.min(COLUMNS - 1, this.#column + b - 0x20);
    if (a === 0x14) this.#command(b);
  }

  #command(b: number): void {
    switch (b) {
      case 0x20: // resume caption loading
        this.#mode = "pop-on";
        return;
      case 0x21: // backspace
        this.#column = Math.max(0, this.#column - 1);
        this.#target()[this.#row]![this.#column] = null;
        return;
      case 0x24: // delete to the end of the row
        this.#target()[this.#row]!.length = Math.min(this.#target()[this.#row]!.length, this.#column);
        return;
      case 0x25:
      case 0x26:
      case 0x27: // roll-up captions, 2 to 4 rows
        if (this.#mode !== "roll-up") this.#erase();
        this.#mode = "roll-up";
        this.#rollRows = b - 0x23;
        [this.#row, this.#column] = [15, 0];
        return;
      case 0x29: // resume direct captioning
        this.#mode = "paint-on";
        return;
      case 0x2a:
      case 0x2b: // text mode
        this.#mode = "text";
        return;
      case 0x2c: // erase displayed memory
        return this.#erase();
      case 0x2d: // carriage return
        if (this.#mode === "roll-up") this.#roll();
        return;
      case 0x2e: // erase non-displayed memory
        this.#hidden = blank();
        return;
      case 0x2f: // end of caption
        this.#mode = "pop-on";
        [this.#shown, this.#hidden] = [this.#hidden, this.#shown];
        this.#update();
    }
  }

  /** A preamble address code: row, indent or italics. */
  #preamble(a: number, b: number): void {
    const row = a === 0x10 ? ROWS[0]! : ROWS[a & 0x07]! + (b >= 0x60 ? 1 : 0);
    if (this.#mode !== "roll-up") this.#row = row;
    const attribute = b & 0x1e;
    this.#isItalic = attribute === 0x0e;
    this.#column = attribute >= 0x10 ? (attribute - 0x10) * 2 : 0;
  }

  #character(code: number): void {
    if (code >= 0x20) this.#put(BASIC[code] ?? String.fromCharCode(code));
  }

  #put(char: string): void {
    if (this.#mode === "text") return;
    this.#target()[this.#row]![this.#column] = { char, isItalic: this.#isItalic };
    this.#column = Math.min(COLUMNS - 1, this.#column + 1);
  }

  #target = (): Screen => (this.#mode === "pop-on" ? this.#hidden : this.#shown);

  #erase(): void {
    this.#shown = blank();
    this.#update();
  }

  #roll(): void {
    this.#update();
    const first = this.#row - this.#rollRows + 1;
    for (let row = 1; row < this.#row; row += 1) this.#shown[row] = row >= first ? this.#shown[row + 1]! : [];
    this.#shown[this.#row] = [];
    [this.#column, this.#isItalic] = [0, false];
  }

  /** Ends the cue on the screen when the text has changed, and begins the next one. */
  #update(): void {
    const text = textOf(this.#shown);
    if (text === (this.#cue?.text ?? "")) return;
    if (this.#cue !== null) this.#emit({ ...this.#cue, endMs: this.#nowMs });
    const isAtTop = this.#shown.findIndex((row) => row.some((cell) => cell !== null)) <= 4;
    this.#cue = text === "" ? null : { startMs: this.#nowMs, text, settings: isAtTop ? "line:0" : "" };
  }
}

function textOf(screen: Screen): string {
  return screen
    .map(rowText)
    .filter((row) => row !== "")
    .join("\n");
}

function rowText(row: (Cell | null)[]): string {
  let out = "";
  let isItalic = false;
  const cells = Array.from({ length: row.length }, (_, column) => row[column] ?? { char: " ", isItalic: false });
  while (cells[0]?.char === " ") cells.shift();
  while (cells.at(-1)?.char === " ") cells.pop();
  for (const cell of cells) {
    if (cell.isItalic !== isItalic && cell.char !== " ") {
      out += cell.isItalic ? "<i>" : "</i>";
      isItalic = cell.isItalic;
    }
    out += escapeText(cell.char);
  }
  return isItalic ? `${out}</i>` : out;
}
