import type { Cue } from "./cue.ts";
import { ShownText } from "./shown-text.ts";
import { character, hamming24, hamming8, reversed } from "./teletext-coding.ts";
import { regionOf } from "./teletext-characters.ts";
import { type Enhancement, TeletextPage } from "./teletext-page.ts";

const UNIT_BYTES = 46;
/** Data units of subtitles, and of other teletext. */
const [PLAIN_UNIT, SUBTITLE_UNIT] = [0x02, 0x03];
const PACKET_BYTES = 42;
const MAGAZINES = 8;

interface Selected {
  page: TeletextPage;
  text: ShownText;
  region: number;
}

/**
 * Decodes subtitle pages of DVB teletext into cues (ETSI EN 300 472, EN 300 706): the boxed text of level 1 with the national characters of Latin
 * languages, colours of text, and accents and further characters of level 1.5. Backgrounds and sizes are left out. A cue begins with the header of
 * its page.
 */
export class Teletext {
  readonly #pages: Map<string, Selected>;
  /** The page that each magazine is sending. */
  readonly #sending: (Selected | undefined)[] = Array.from({ length: MAGAZINES });
  /** Region of a magazine's characters, as the service says it. */
  readonly #regions: (number | undefined)[] = Array.from({ length: MAGAZINES });

  /** @param pages by number, such as "888", and their language in ISO 639-2 */
  constructor(emit: (page: string, cue: Cue) => void, pages: ReadonlyMap<string, string>) {
    this.#pages = new Map(
      [...pages].map(([number, languageCode]) => [
        number,
        {
          page: new TeletextPage(),
          text: new ShownText((cue) => emit(number, cue)),
          region: regionOf(languageCode),
        },
      ]),
    );
  }

  /** @param pes payload of a PES packet, from its data_identifier on @param atMs its presentation time */
  push(pes: Uint8Array, atMs: number): void {
    if ((pes[0]! & 0xf0) !== 0x10) return;
    for (let at = 1; at + UNIT_BYTES <= pes.length; at += 2 + pes[at + 1]!) {
      const isTeletext = pes[at] === PLAIN_UNIT || pes[at] === SUBTITLE_UNIT;
      if (!isTeletext || pes[at + 1] !== UNIT_BYTES - 2) continue;
      this.#readPacket(pes.subarray(at + UNIT_BYTES - PACKET_BYTES, at + UNIT_BYTES).map(reversed), atMs);
    }
  }

  /** The cue that a page shows, whose end is not known; null when there is none. */
  current(page: string): Omit<Cue, "endMs"> | null {
    return this.#pages.get(page)?.text.current ?? null;
  }

  /** Nothing follows for a while, so the pages that are being sent are complete. */
  settle(): void {
    for (let magazine = 0; magazine < MAGAZINES; magazine += 1) this.#complete(magazine);
  }

  /** No more packets follow. @param atMs the end of the cues on the screen */
  end(atMs: number): void {
    this.settle();
    for (const { text } of this.#pages.values()) text.replace({ text: "", settings: "" }, atMs);
  }

  /** A packet: its address, and 40 bytes (EN 300 706 §7.1). */
  #readPacket(packet: Uint8Array, atMs: number): void {
    const [low, high] = [hamming8(packet[0]), hamming8(packet[1])];
    if (low < 0 || high < 0) return;
    const magazine = low & 7;
    const number = (low >> 3) | (high << 1);
    const data = packet.subarray(2);
    if (number === 0) return this.#readHeader(magazine, data, atMs);
    const isDesignation = (number === 28 || number === 29) && hamming8(data[0]) === 0;
    if (isDesignation) this.#designate(magazine, data);
    const page = this.#sending[magazine]?.page;
    if (page === undefined) return;
    if (number <= 24) page.setRow(number, data.map(character));
    else if (number === 26) page.enhance(enhancementsOf(data));
  }

  /** A page header ends the page before it (§9.3.1). */
  #readHeader(magazine: number, data: Uint8Array, atMs: number): void {
    const values = Array.from({ length: 8 }, (_, n) => hamming8(data[n]));
    if (values.some((value) => value < 0)) return; // rows that follow are of the page before it
    const [units, tens, , erase, , subtitle, , option] = values as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const isSerial = (option & 1) !== 0;
    for (let other = 0; other < MAGAZINES; other += 1) if (isSerial || other === magazine) this.#complete(other);
    const number = `${magazine || MAGAZINES}${tens.toString(16)}${units.toString(16)}`;
    const selected = this.#pages.get(number);
    this.#sending[magazine] = selected;
    selected?.page.begin({
      atMs,
      isErased: (erase & 8) !== 0,
      isBoxed: (subtitle & 0b1100) !== 0,
      region: this.#regions[magazine] ?? selected.region,
      nationalOption: ((option & 2) << 1) | ((option & 4) >> 1) | ((option & 8) >> 3),
    });
  }

  #complete(magazine: number): void {
    const selected = this.#sending[magazine];
    this.#sending[magazine] = undefined;
    if (selected !== undefined) selected.text.replace(selected.page.shown(), selected.page.atMs);
  }

  /** X/28/0 and M/29/0: the region of the characters (§9.4.2, §9.5.1). */
  #designate(magazine: number, data: Uint8Array): void {
    const triplet = hamming24(data[1]!, data[2]!, data[3]!);
    if (triplet < 0 || (triplet & 0x0f) !== 0) return;
    const region = (triplet >> 10) & 0x0f;
    this.#regions[magazine] = region;
    this.#sending[magazine]?.page.setRegion(region);
  }
}

/** X/26 (§12.3): triplets behind the designation code. */
function enhancementsOf(data: Uint8Array): Enhancement[] {
  return Array.from({ length: 13 }, (_, n) => hamming24(data[1 + 3 * n]!, data[2 + 3 * n]!, data[3 + 3 * n]!)).map(
    (triplet) => ({
      address: triplet & 0x3f,
      mode: (triplet >> 6) & 0x1f,
      data: (triplet >> 11) & 0x7f,
      isDamaged: triplet < 0,
    }),
  );
}
