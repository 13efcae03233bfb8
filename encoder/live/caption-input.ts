/** The captions that the pictures of a broadcast carry, and its teletext, in presentation order. They are read from the packets, without decoding them. */
import { avGetCodecName } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
import { CC_CODECS, ccDataOf, nalLengthBytes } from "../../protocol/media/captions/cc-data.ts";
import { ticksToSeconds } from "../media/source.ts";
import { type CaptionScreen, CaptionScreens } from "./caption-screens.ts";
import type { TimedPacket } from "./live-source.ts";
import type { TeletextInput } from "./teletext-input.ts";

/** Pictures whose captions are kept until they are shown. Decoders reorder by at most 16 pictures. */
const MAX_WAITING = 64;
const ROUNDING_SECONDS = 1e-4;

interface WaitingWords {
  triplets: Uint8Array;
  seconds: number;
}

export class CaptionInput {
  readonly #screens: CaptionScreens;
  readonly #teletext: TeletextInput;
  /** In ascending order of time. */
  #waiting: WaitingWords[] = [];

  /** @param captionLanguages ISO 639-2 by channel, as the source announces them */
  constructor({
    captionLanguages,
    teletext,
  }: {
    captionLanguages: ReadonlyMap<string, string>;
    teletext: TeletextInput;
  }) {
    this.#screens = new CaptionScreens(captionLanguages);
    this.#teletext = teletext;
  }

  /** What the captions show with the newest picture. */
  get screens(): CaptionScreen[] {
    const { screens } = this.#teletext;
    return screens.length === 0 ? this.#screens.shown : [...this.#screens.shown, ...screens];
  }

  /** Called with every picture packet, in decode order. */
  put({ packet, stream, decodeSeconds }: TimedPacket): void {
    const { codecId, extradata } = stream.codecpar;
    const name = avGetCodecName(codecId);
    const codec = CC_CODECS.find((one) => one === name);
    const { data } = packet;
    if (codec === undefined || data === null) return;
    const triplets = ccDataOf(codec, data, nalLengthBytes(codec, extradata));
    if (triplets.length === 0) return;
    const seconds = packet.pts === AV_NOPTS_VALUE ? decodeSeconds : ticksToSeconds(packet.pts, stream);
    const at = this.#waiting.findLastIndex((one) => one.seconds <= seconds);
    this.#waiting.splice(at + 1, 0, { triplets, seconds });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Advances to the picture of this source time. */
  showUntil(seconds: number): void {
    while (this.#waiting.length > 0 && this.#waiting[0]!.seconds <= seconds + ROUNDING_SECONDS) {
      const { triplets, seconds: at } = this.#waiting.shift()!;
      this.#screens.push(triplets, at);
    }
    this.#screens.passUntil(seconds);
    this.#teletext.showUntil(seconds + ROUNDING_SECONDS);
  }

  /** Discards captions whose pictures have not been shown, because the source timeline restarts. What is on the screen stays. */
  forget(): void {
    this.#waiting = [];
    this.#teletext.forget();
  }
}
