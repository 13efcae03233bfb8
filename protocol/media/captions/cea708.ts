import { charactersOf, EXTENSION, parameterBytes } from "./cea708-codes.ts";
import { CaptionWindow } from "./cea708-window.ts";
import type { Cue } from "./cue.ts";
import { settingsOf } from "./place.ts";
import { type Shown, ShownText } from "./shown-text.ts";

/** The standard services; those from 7 on are in use by nobody. */
export type Cea708Service = 1 | 2 | 3 | 4 | 5 | 6;

const WINDOWS = 8;
const EXTENDED_SERVICES = 7;
/** `cc_type`: the words of a packet, and its first one. */
const [CC_PACKET_DATA, CC_PACKET_START] = [2, 3];

/**
 * Decodes one service of CEA-708 into cues: the text of the windows that are visible, from top to bottom (CTA-708-E §5 to §8). Colours of
 * text, italics, underlines, the alignment and the place in a wide picture are kept; backgrounds and fonts are not. Windows that are shown together
 * are one cue. Delays (DLY) are not waited for.
 */
export class Cea708 {
  readonly #service: Cea708Service;
  readonly #text: ShownText;
  #packet: number[] = [];
  #packetBytes = 0;
  #windows: (CaptionWindow | undefined)[] = [];
  #current: CaptionWindow | undefined;
  /** The beginning of a command whose end is in the next block. */
  #rest = new Uint8Array();
  #nowMs = 0;

  constructor(emit: (cue: Cue) => void, service: Cea708Service = 1) {
    this.#text = new ShownText(emit);
    this.#service = service;
  }

  /** The cue that is on the screen, whose end is not known; null when there is none. */
  get current(): Omit<Cue, "endMs"> | null {
    return this.#text.current;
  }

  /** @param ccType 2 or 3 @param atMs when the word is received */
  push(ccType: number, first: number, second: number, atMs: number): void {
    if (ccType === CC_PACKET_START) {
      this.#packet = []; // one whose end was lost is dropped
      const size = first & 0x3f;
      this.#packetBytes = size === 0 ? 128 : size * 2;
    } else if (ccType !== CC_PACKET_DATA || this.#packetBytes === 0) return;
    this.#packet.push(first, second);
    if (this.#packet.length < this.#packetBytes) return;
    this.#nowMs = atMs;
    this.#readPacket(Uint8Array.from(this.#packet.slice(1)));
    [this.#packet, this.#packetBytes] = [[], 0];
  }

  /** No more words follow. @param atMs the end of the last cue; by default some seconds after the last word */
  end(atMs: number = this.#nowMs + 4000): void {
    this.#nowMs = atMs;
    this.#reset();
  }

  /** Service blocks (CTA-708-E §6.2). */
  #readPacket(packet: Uint8Array): void {
    for (let at = 0; at < packet.length;) {
      const header = packet[at++]!;
      const bytes = header & 0x1f;
      let service = header >> 5;
      if (service === 0 || bytes === 0) return;
      if (service === EXTENDED_SERVICES) service = (packet[at++] ?? 0) & 0x3f;
      if (service === this.#service) this.#readService(packet.subarray(at, at + bytes));
      at += bytes;
    }
  }

  #readService(block: Uint8Array): void {
    const codes = Uint8Array.of(...this.#rest, ...block);
    this.#rest = new Uint8Array();
    for (let at = 0; at < codes.length;) {
      const isExtended = codes[at] === EXTENSION;
      const begin = at + (isExtended ? 2 : 1);
      const code = codes[begin - 1] ?? 0;
      const end = begin + parameterBytes(isExtended, code, codes[begin] ?? 0);
      if (end > codes.length) {
        this.#rest = codes.slice(at); // continues in the next block
        return;
      }
      const given = codes.subarray(begin, end);
      at = end;
      const char = charactersOf(isExtended, code, given);
      if (char !== "") this.#put(char);
      else if (!isExtended && code < 0x20) this.#format(code);
      else if (!isExtended && code >= 0x80 && code < 0xa0) this.#command(code, given);
    }
  }

  #put(char: string): void {
    this.#current?.put(char);
    if (this.#current?.isVisible === true) this.#text.grow(this.#shown(), this.#nowMs);
  }

  #format(code: number): void {
    const window = this.#current;
    if (window === undefined) return;
    if (code === 0x08) window.backspace();
    else if (code === 0x0c) window.clear();
    else if (code === 0x0d) window.carriageReturn();
    else if (code === 0x0e) window.clearRow();
    else return;
    if (!window.isVisible) return;
    if (code === 0x08) this.#text.grow(this.#shown(), this.#nowMs);
    else if (code === 0x0d) this.#text.roll(this.#shown(), this.#nowMs);
    else this.#replace();
  }

  #command(code: number, given: Uint8Array): void {
    if (code <= 0x87) this.#current = this.#windows[code - 0x80];
    else if (code >= 0x98) this.#define(code - 0x98, given);
    else if (code === 0x8f) this.#reset();
    else if (code === 0x90) this.#current?.setPen(given);
    else if (code === 0x91) this.#current?.setColour(given);
    else if (code === 0x92) this.#current?.moveTo(given[0]! & 0x0f, given[1]! & 0x3f);
    else if (code === 0x97) this.#current?.setAttributes(given);
    else if (code <= 0x8c) this.#changeWindows(code, given[0]!);
  }

  #define(id: number, given: Uint8Array): void {
    this.#windows[id] ??= new CaptionWindow();
    this.#windows[id].define(given);
    this.#current = this.#windows[id];
    this.#replace();
  }

  /** Clear, display, hide, toggle and delete. @param which a bit for each window */
  #changeWindows(code: number, which: number): void {
    for (let id = 0; id < WINDOWS; id += 1) {
      const window = this.#windows[id];
      if (window === undefined || (which & (1 << id)) === 0) continue;
      if (code === 0x88) window.clear();
      else if (code === 0x89) window.isVisible = true;
      else if (code === 0x8a) window.isVisible = false;
      else if (code === 0x8b) window.isVisible = !window.isVisible;
      else {
        this.#windows[id] = undefined;
        if (this.#current === window) this.#current = undefined;
      }
    }
    this.#replace();
  }

  #reset(): void {
    [this.#windows, this.#current, this.#rest] = [[], undefined, new Uint8Array()];
    this.#replace();
  }

  #replace(): void {
    this.#text.replace(this.#shown(), this.#nowMs);
  }

  #shown(): Shown {
    const visible = this.#windows
      .filter((window) => window?.isVisible === true && window.text !== "")
      .map((window) => window!)
      .toSorted((a, b) => a.top - b.top);
    const boxes = visible.map(({ box }) => box);
    const [alignment] = visible.map((window) => window.alignment);
    if (alignment === undefined) return { text: "", settings: "" };
    const around = {
      top: Math.min(...boxes.map(({ top }) => top)),
      bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
      left: Math.min(...boxes.map(({ left }) => left)),
      right: Math.max(...boxes.map(({ right }) => right)),
    };
    return { text: visible.map(({ text }) => text).join("\n"), settings: settingsOf(around, alignment) };
  }
}
