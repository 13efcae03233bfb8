import { Cea608, type Cea608Channel } from "./cea608.ts";
import { Cea708, type Cea708Service } from "./cea708.ts";
import type { Cue } from "./cue.ts";

const CHANNELS: readonly Cea608Channel[] = [1, 2, 3, 4];
const SERVICES: readonly Cea708Service[] = [1, 2, 3, 4, 5, 6];
/** Names as `INSTREAM-ID` of HLS has them (RFC 8216 §4.3.4.1). */
export const CEA608_CHANNELS = ["CC1", "CC2", "CC3", "CC4"] as const;
export const CC_CHANNELS = [...CEA608_CHANNELS, ...SERVICES.map((n) => `SERVICE${n}` as const)] as const;
export type CcChannel = (typeof CC_CHANNELS)[number];

/** Decodes the caption words of pictures: four channels of CEA-608 and six services of CEA-708. */
export class ClosedCaptions {
  readonly #channels: Cea608[];
  readonly #services: Cea708[];

  constructor(emit: (channel: CcChannel, cue: Cue) => void) {
    this.#channels = CHANNELS.map((n) => new Cea608((cue) => emit(`CC${n}`, cue), n));
    this.#services = SERVICES.map((n) => new Cea708((cue) => emit(`SERVICE${n}`, cue), n));
  }

  /** @param ccData triplets as `ccDataOf` gives them, in the order of display @param atMs when their picture is shown */
  push(ccData: Uint8Array, atMs: number): void {
    for (let at = 0; at + 3 <= ccData.length; at += 3) {
      const [type, first, second] = [ccData[at]! & 3, ccData[at + 1]!, ccData[at + 2]!];
      if (type >= 2) for (const service of this.#services) service.push(type, first, second, atMs);
      else if (hasOddParity(first)) {
        // A damaged second byte is no character. A control word is dropped: it is sent twice.
        const isControl = (first & 0x7f) >= 0x10 && (first & 0x7f) < 0x20;
        const isIntact = hasOddParity(second);
        if (!isIntact && isControl) continue;
        for (const n of [2 * type, 2 * type + 1]) this.#channels[n]!.push(first, isIntact ? second : 0, atMs);
      }
    }
  }

  /** The cue on the screen of a channel, whose end is not known; null when there is none. */
  current(channel: CcChannel): Omit<Cue, "endMs"> | null {
    const at = CC_CHANNELS.indexOf(channel);
    return (this.#channels[at] ?? this.#services[at - CHANNELS.length])!.current;
  }

  /** No more pictures follow. @param atMs the end of the cues that are on the screen */
  end(atMs: number): void {
    for (const decoder of [...this.#channels, ...this.#services]) decoder.end(atMs);
  }
}

/** Whether an odd number of eight bits are set (CTA-608-E §4.1). */
function hasOddParity(byte: number): boolean {
  let folded = byte ^ (byte >> 4);
  folded ^= folded >> 2;
  return ((folded ^ (folded >> 1)) & 1) === 1;
}
