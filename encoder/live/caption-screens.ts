/** What the captions of a source show, by channel. Pure. */
import { CC_CHANNELS, ClosedCaptions } from "../../protocol/media/captions/closed-captions.ts";

export interface CaptionScreen {
  /** Name of the channel (CAPTION_CHANNEL of protocol/live.ts). */
  channel: string;
  /** Payload of a WebVTT cue; "" = the screen is empty. */
  text: string;
  settings: string;
  /** ISO 639-2; absent when the source does not say it. */
  language?: string;
  /** Absent: captions, for viewers who do not hear the sound. */
  isSubtitle?: true;
}

/** Captions, and pages of teletext, that get no words for this long are erased (47 CFR §79.101), so that text does not stay when their source has gone. */
export const ERASED_AFTER_SECONDS = 16;

export class CaptionScreens {
  readonly #captions = new ClosedCaptions(() => {});
  #wordSeconds = Infinity; // source time of the last word
  #shown: CaptionScreen[] = [];
  readonly #languages: ReadonlyMap<string, string>;

  /** @param languages ISO 639-2 by channel, as the source announces them */
  constructor(languages: ReadonlyMap<string, string> = new Map()) {
    this.#languages = languages;
  }

  /** What the channels show now; no channel before the first word. */
  get shown(): CaptionScreen[] {
    return this.#shown;
  }

  /** @param triplets valid ones of one picture (`ccDataOf`) @param seconds source time of the picture */
  push(triplets: Uint8Array, seconds: number): void {
    if (!hasWords(triplets)) return;
    this.#captions.push(triplets, 1000 * seconds);
    this.#update(seconds);
  }

  /** Erases the screens when words have stopped. @param seconds source time */
  passUntil(seconds: number): void {
    if (seconds - this.#wordSeconds < ERASED_AFTER_SECONDS) return;
    this.#captions.end(1000 * seconds);
    this.#update(Infinity);
  }

  #update(wordSeconds: number): void {
    this.#wordSeconds = wordSeconds;
    this.#shown = CC_CHANNELS.map((name) => {
      const { text = "", settings = "" } = this.#captions.current(name) ?? {};
      // CC1 is the same captions as service 1.
      const language = this.#languages.get(name) ?? (name === "CC1" ? this.#languages.get("SERVICE1") : undefined);
      return { channel: name.toLowerCase(), text, settings, ...(language === undefined ? {} : { language }) };
    });
  }
}

/** Pictures without captions carry idle words, which are zero but for their parity. */
function hasWords(triplets: Uint8Array): boolean {
  for (let at = 0; at + 2 < triplets.length; at += 3)
    if (((triplets[at + 1]! | triplets[at + 2]!) & 0x7f) !== 0) return true;
  return false;
}
