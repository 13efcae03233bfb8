/** Subtitle pages of a stream of DVB teletext. */
import type { Packet, Stream } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
import { isLatin } from "../../protocol/media/captions/teletext-characters.ts";
import { Teletext } from "../../protocol/media/captions/teletext.ts";
import type { CueFile } from "./cue-file.ts";
import { ticksToSeconds } from "./source.ts";

/** Types of a teletext descriptor (ETSI EN 300 468 table 100). */
const [SUBTITLES, SUBTITLES_FOR_HEARING_IMPAIRED] = [2, 5];

export interface SubtitlePage {
  /** Three digits, such as "888". */
  number: string;
  languageCode: string; // ISO 639-2, "und" when the descriptor has none
  isHearingImpaired: boolean;
}

/** The subtitle pages of a stream, as its descriptor lists them; without those whose letters are not Latin. */
export function subtitlePages({ codecpar, metadata }: Stream): SubtitlePage[] {
  const entries = codecpar.extradata ?? Buffer.alloc(0); // two bytes for each entry: type and magazine, and the page
  const languages = (metadata?.get("language") ?? "").split(",");
  const pages = Array.from({ length: Math.floor(entries.length / 2) }, (_, n) => {
    const [typeAndMagazine, page] = [entries[2 * n]!, entries[2 * n + 1]!];
    const type = typeAndMagazine >> 3;
    const languageCode = /^[a-z]{3}$/.test(languages[n] ?? "") ? languages[n]! : "und";
    return {
      number: `${typeAndMagazine & 7 || 8}${page.toString(16).padStart(2, "0")}`,
      languageCode,
      isHearingImpaired: type === SUBTITLES_FOR_HEARING_IMPAIRED,
      isSubtitle: type === SUBTITLES || type === SUBTITLES_FOR_HEARING_IMPAIRED,
    };
  });
  const seen = new Set<string>();
  return pages.filter(({ number, languageCode, isSubtitle }) => {
    if (!isSubtitle || !isLatin(languageCode) || seen.has(number)) return false;
    seen.add(number);
    return /^\d{3}$/.test(number);
  });
}

/** Decodes the packets of one stream. */
export class TeletextCaptions {
  readonly #stream: Stream;
  readonly #decoder: Teletext;
  #endMs = 0;

  /** @param files by page */
  constructor(stream: Stream, files: ReadonlyMap<string, CueFile>) {
    this.#stream = stream;
    const pages = subtitlePages(stream).filter(({ number }) => files.has(number));
    this.#decoder = new Teletext(
      (page, { startMs, endMs, text, settings }) =>
        files.get(page)?.add(startMs, endMs, text, settings, Buffer.byteLength(text)),
      new Map(pages.map(({ number, languageCode }) => [number, languageCode])),
    );
  }

  push({ data, pts }: Packet): void {
    if (data === null || pts === AV_NOPTS_VALUE) return;
    this.#endMs = ticksToSeconds(pts, this.#stream) * 1000;
    this.#decoder.push(data, this.#endMs);
  }

  /** What is on the screen ends with the last packet: pages are sent again all the time. */
  end(): void {
    this.#decoder.end(this.#endMs);
  }
}
