import { CaptionsError } from "./cue.ts";

/** More lines are no captions: 100,000 cues of a dozen lines are 1,200,000. */
const MAX_LINES = 2_000_000;

/** The lines of a text, which end with CR, LF or both, read one after the other: an array of them needs several times the memory of the text. */
export class Lines {
  readonly #text: string;
  #at: number;
  /** The next one of each; Infinity: there is none. */
  #carriageReturn = -1;
  #lineFeed = -1;
  #count = 0;
  #peeked: string | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  /** @returns null at the end @throws {CaptionsError} captions_too_large */
  peek(): string | null {
    return (this.#peeked ??= this.#read());
  }

  /** @returns null at the end @throws {CaptionsError} captions_too_large */
  next(): string | null {
    const line = this.peek();
    this.#peeked = null;
    return line;
  }

  #read(): string | null {
    const at = this.#at;
    if (at > this.#text.length) return null;
    this.#count += 1;
    if (this.#count > MAX_LINES) throw new CaptionsError("captions_too_large");
    if (this.#carriageReturn < at) this.#carriageReturn = this.#find("\r");
    if (this.#lineFeed < at) this.#lineFeed = this.#find("\n");
    const end = Math.min(this.#carriageReturn, this.#lineFeed, this.#text.length);
    this.#at = this.#carriageReturn === end && this.#lineFeed === end + 1 ? end + 2 : end + 1;
    return this.#text.slice(at, end);
  }

  #find(character: string): number {
    const found = this.#text.indexOf(character, this.#at);
    return found < 0 ? Infinity : found;
  }
}
