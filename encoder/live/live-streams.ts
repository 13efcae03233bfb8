/** Selects the streams of a broadcast to encode: at most one picture and one sound. */
import type { FormatContext, Stream } from "node-av/lib";
import { AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { decoderOf } from "../media/codecs.ts";
import type { Kind } from "./source-timeline.ts";

/** Largest accepted picture. */
const MAX_PIXELS = 4096 * 2304;

export class LiveStreams {
  readonly #format: FormatContext;
  /** By index; streams may appear midway. */
  readonly #known = new Map<number, Stream>();
  readonly #atStart: number;
  #video: Stream | null;
  #audio: Stream | null;

  /**
   * @param format after its streams have been probed
   * @throws {JobError} when no stream can be decoded, or the picture is too large
   */
  constructor(format: FormatContext) {
    this.#format = format;
    this.#update();
    this.#atStart = format.streams.length;
    this.#video = this.#best(AVMEDIA_TYPE_VIDEO);
    this.#audio = this.#best(AVMEDIA_TYPE_AUDIO);
    if (this.#video === null && this.#audio === null)
      throw new JobError("source_no_streams", "The broadcast has neither picture nor sound that can be decoded.");
    refuseTooLarge(this.#video);
  }

  get video(): Stream | null {
    return this.#video;
  }

  get audio(): Stream | null {
    return this.#audio;
  }

  at(index: number): Stream | undefined {
    if (!this.#known.has(index)) this.#update();
    return this.#known.get(index);
  }

  /** Null for a stream that is not encoded. A new stream replaces the previous one of its kind: the broadcaster has changed the codec. */
  kindOf(stream: Stream): Kind | null {
    if (stream.index === this.#video?.index) return "video";
    if (stream.index === this.#audio?.index) return "audio";
    if (stream.index < this.#atStart || !isDecodable(stream)) return null;
    const { codecType } = stream.codecpar;
    if (codecType === AVMEDIA_TYPE_VIDEO && this.#video !== null) {
      this.#video = stream;
      return "video";
    }
    if (codecType === AVMEDIA_TYPE_AUDIO && this.#audio !== null) {
      this.#audio = stream;
      return "audio";
    }
    return null;
  }

  #update(): void {
    for (const stream of this.#format.streams)
      if (!this.#known.has(stream.index)) this.#known.set(stream.index, stream);
  }

  #best(type: Stream["codecpar"]["codecType"]): Stream | null {
    const usable = [...this.#known.values()].filter((s) => s.codecpar.codecType === type && isDecodable(s));
    const pixels = ({ codecpar }: Stream) => codecpar.width * codecpar.height;
    return usable.toSorted((a, b) => pixels(b) - pixels(a) || a.index - b.index)[0] ?? null;
  }
}

const isDecodable = (stream: Stream) => decoderOf(stream) !== null;

/** @throws {JobError} source_too_large_picture */
export function refuseTooLarge(video: { codecpar: Pick<Stream["codecpar"], "width" | "height"> } | null): void {
  if (video === null) return;
  const { width, height } = video.codecpar;
  if (width * height > MAX_PIXELS)
    throw new JobError("source_too_large_picture", `The picture is ${width}×${height}; the largest is 4096×2304.`);
}
