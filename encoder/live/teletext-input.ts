/** The subtitle pages of a broadcast's teletext, which are shown with the pictures of their time. */
import type { Packet, Stream } from "node-av/lib";
import { AV_CODEC_ID_DVB_TELETEXT, AV_NOPTS_VALUE } from "node-av/constants";
import { Teletext } from "../../protocol/media/captions/teletext.ts";
import { ticksToSeconds } from "../media/source.ts";
import { type SubtitlePage, subtitlePages } from "../media/teletext-captions.ts";
import { type CaptionScreen, ERASED_AFTER_SECONDS } from "./caption-screens.ts";

/** Packets that wait for the picture of their time; there are at most 25 a second. */
const MAX_WAITING = 128;
const MAX_PACKET_BYTES = 64 << 10;
/** Further pages are left out. */
const MAX_PAGES = 6;
/** A page ends with the header of the next one, or when nothing follows for this long. */
const PAUSE_SECONDS = 0.5;

export class TeletextInput {
  /** Index of the stream; null before its first packet. Further streams are left out. */
  #index: number | null = null;
  #pages: SubtitlePage[] = [];
  #decoder: Teletext | null = null;
  #waiting: { data: Buffer; seconds: number }[] = [];
  #lastSeconds = Infinity; // source time of the last packet that was shown
  #isSettled = true;
  #screens: CaptionScreen[] = [];

  /** What the pages show with the newest picture; no page before the first packet. */
  get screens(): CaptionScreen[] {
    return this.#screens;
  }

  /** Takes the packets of the first stream of teletext that has subtitle pages. Packets of other streams have no effect. */
  put({ data, pts }: Packet, stream: Stream): void {
    if (stream.codecpar.codecId !== AV_CODEC_ID_DVB_TELETEXT || data === null || pts === AV_NOPTS_VALUE) return;
    this.#index ??= this.#open(stream);
    if (stream.index !== this.#index || data.length > MAX_PACKET_BYTES) return;
    this.#waiting.push({ data: Buffer.from(data), seconds: ticksToSeconds(pts, stream) });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  #open(stream: Stream): number | null {
    this.#pages = subtitlePages(stream).slice(0, MAX_PAGES);
    if (this.#pages.length === 0) return null;
    this.#decoder = new Teletext(() => {}, new Map(this.#pages.map((page) => [page.number, page.languageCode])));
    return stream.index;
  }

  /** Advances to the picture of this source time. */
  showUntil(seconds: number): void {
    const decoder = this.#decoder;
    if (decoder === null) return;
    let hasChanged = false;
    while (this.#waiting.length > 0 && this.#waiting[0]!.seconds <= seconds) {
      const { data, seconds: at } = this.#waiting.shift()!;
      decoder.push(data, 1000 * at);
      [this.#lastSeconds, this.#isSettled, hasChanged] = [at, false, true];
    }
    if (!this.#isSettled && seconds - this.#lastSeconds >= PAUSE_SECONDS) {
      decoder.settle();
      [this.#isSettled, hasChanged] = [true, true];
    }
    if (seconds - this.#lastSeconds >= ERASED_AFTER_SECONDS) {
      decoder.end(1000 * seconds);
      [this.#lastSeconds, hasChanged] = [Infinity, true];
    }
    if (hasChanged) this.#screens = this.#pages.map((page) => screenOf(page, decoder));
  }

  /** Discards pages whose pictures have not been shown, because the source timeline restarts. What is on the screen stays. */
  forget(): void {
    this.#waiting = [];
  }
}

function screenOf({ number, languageCode, isHearingImpaired }: SubtitlePage, decoder: Teletext): CaptionScreen {
  const { text = "", settings = "" } = decoder.current(number) ?? {};
  return {
    channel: `teletext${number}`,
    text,
    settings,
    ...(languageCode === "und" ? {} : { language: languageCode }),
    ...(isHearingImpaired ? {} : { isSubtitle: true as const }),
  };
}
