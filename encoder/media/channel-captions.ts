/** Captions of the channels of one stream: CEA-608 and CEA-708 in the packets of a picture, or of a track of caption words. */
import { avGetCodecName, type Packet, type Stream } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
import { CC_CODECS, type CcCodec, ccDataOf, hasCcData, nalLengthBytes } from "../../protocol/media/captions/cc-data.ts";
import { ClosedCaptions } from "../../protocol/media/captions/closed-captions.ts";
import type { ChannelCodec } from "../../protocol/source-facts.ts";
import type { CueFile } from "./cue-file.ts";
import { ticksToSeconds } from "./source.ts";

/** Pictures that wait for earlier ones. H.264 and HEVC hold back 16 frames at most, each of two fields. */
const MAX_WAITING = 64;

interface Picture {
  ccData: Uint8Array;
  atMs: number;
}

/** Decodes the packets of one stream. */
export class ChannelCaptions {
  readonly #stream: Stream;
  readonly #wordsOf: (data: Buffer) => Uint8Array;
  readonly #decoder: ClosedCaptions;
  /** In the order of display. */
  readonly #waiting: Picture[] = [];
  #endMs = 0;

  /** @param files by channel; captions of other channels are left out */
  constructor(stream: Stream, codec: Exclude<ChannelCodec, "dvb_teletext">, files: ReadonlyMap<string, CueFile>) {
    this.#stream = stream;
    this.#wordsOf = codec === "eia_608" ? (data) => data : ccReader(stream);
    this.#decoder = new ClosedCaptions((channel, { startMs, endMs, text, settings }) =>
      files.get(channel)?.add(startMs, endMs, text, settings, Buffer.byteLength(text)),
    );
  }

  push(packet: Packet): void {
    const ticks = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (packet.data === null || ticks === AV_NOPTS_VALUE) return;
    const atMs = this.#ms(ticks);
    this.#endMs = Math.max(this.#endMs, atMs + Math.max(0, this.#ms(packet.duration)));
    const ccData = this.#wordsOf(packet.data);
    if (ccData.length > 0) this.#insert({ ccData, atMs });
    // Packets that follow have later DTS, and no PTS is before its DTS.
    const settledMs = packet.dts === AV_NOPTS_VALUE ? -Infinity : this.#ms(packet.dts);
    while (this.#waiting.length > MAX_WAITING || (this.#waiting[0]?.atMs ?? Infinity) <= settledMs) this.#release();
  }

  /** No more packets follow: what is on the screen ends with the stream. */
  end(): void {
    while (this.#waiting.length > 0) this.#release();
    this.#decoder.end(this.#endMs);
  }

  #insert(picture: Picture): void {
    const before = this.#waiting.findLastIndex(({ atMs }) => atMs <= picture.atMs);
    this.#waiting.splice(before + 1, 0, picture);
  }

  #release(): void {
    const { ccData, atMs } = this.#waiting.shift()!;
    this.#decoder.push(ccData, atMs);
  }

  #ms = (ticks: bigint) => ticksToSeconds(ticks, this.#stream) * 1000;
}

function ccReader(stream: Stream): (data: Buffer) => Uint8Array {
  const codec = ccCodecOf(stream);
  if (codec === null) return () => new Uint8Array();
  const lengthBytes = nalLengthBytes(codec, stream.codecpar.extradata);
  return (data) => ccDataOf(codec, data, lengthBytes);
}

/** @returns whether a packet of the stream has a place for captions */
export function ccDetector(stream: Stream): (packet: Packet) => boolean {
  const codec = ccCodecOf(stream);
  if (codec === null) return () => false;
  const lengthBytes = nalLengthBytes(codec, stream.codecpar.extradata);
  return ({ data }) => data !== null && hasCcData(codec, data, lengthBytes);
}

function ccCodecOf({ codecpar }: Stream): CcCodec | null {
  const name = avGetCodecName(codecpar.codecId);
  return CC_CODECS.find((codec) => codec === name) ?? null;
}
