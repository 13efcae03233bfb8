/** Selects the streams of a broadcast to encode: at most one picture, and its sounds. */
import type { FormatContext, Stream } from "node-av/lib";
import { AV_DISPOSITION_DEFAULT, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { decoderOf } from "../media/codecs.ts";
import { chosenSounds } from "./broadcast-sounds.ts";
import type { Kind } from "./source-timeline.ts";
import { isDescription, languageOf } from "../media/subtitle-facts.ts";

/** Largest accepted picture. */
const MAX_PIXELS = 4096 * 2304;
/** A sound that none of this many packets belongs to has been replaced: about one second. */
const REPLACED_AFTER_PACKETS = 100;

/** Which picture or sound a packet belongs to. */
export interface StreamRole {
  kind: Kind;
  /** `streamId` of a sound: the ID of its first stream. Null for a picture. */
  soundId: number | null;
}

interface ChosenSound {
  id: number;
  stream: Stream;
  /** Number of its last packet. */
  lastPacket: number;
}

export class LiveStreams {
  readonly #format: FormatContext;
  /** By index; streams may appear midway. */
  readonly #known = new Map<number, Stream>();
  readonly #atStart: number;
  #video: Stream | null;
  readonly #sounds: ChosenSound[];
  #packets = 0;

  /**
   * @param format after its streams have been probed
   * @throws {JobError} when no stream can be decoded, or the picture is too large
   */
  constructor(format: FormatContext) {
    this.#format = format;
    this.#update();
    this.#atStart = format.streams.length;
    this.#video = this.#largest();
    this.#sounds = this.#chosen().map((stream) => ({ id: stream.id, stream, lastPacket: 0 }));
    if (this.#video === null && this.#sounds.length === 0)
      throw new JobError("source_no_streams", "The broadcast has neither picture nor sound that can be decoded.");
    refuseTooLarge(this.#video);
  }

  get video(): Stream | null {
    return this.#video;
  }

  /** That which players begin with first. */
  get sounds(): Stream[] {
    return this.#sounds.map(({ stream }) => stream);
  }

  at(index: number): Stream | undefined {
    if (!this.#known.has(index)) this.#update();
    return this.#known.get(index);
  }

  /**
   * Called with the stream of every packet. Null for a stream that is not encoded. A new stream replaces the previous one of its kind: the
   * broadcaster has changed the codec.
   */
  roleOf(stream: Stream): StreamRole | null {
    this.#packets += 1;
    if (stream.index === this.#video?.index) return { kind: "video", soundId: null };
    const sound = this.#sounds.find((one) => one.stream.index === stream.index) ?? this.#replacedBy(stream);
    if (sound !== undefined) {
      Object.assign(sound, { stream, lastPacket: this.#packets });
      return { kind: "audio", soundId: sound.id };
    }
    if (!this.#isNew(stream, AVMEDIA_TYPE_VIDEO) || this.#video === null) return null;
    this.#video = stream;
    return { kind: "video", soundId: null };
  }

  /** The sound that a new stream continues. Several of one language may be sent at once, so the previous stream must be silent. */
  #replacedBy(stream: Stream): ChosenSound | undefined {
    if (!this.#isNew(stream, AVMEDIA_TYPE_AUDIO)) return undefined;
    const language = languageOf(stream);
    const isSilent = ({ lastPacket }: ChosenSound) => this.#packets - lastPacket > REPLACED_AFTER_PACKETS;
    const isLike = ({ id, stream: before }: ChosenSound) =>
      id === stream.id || (languageOf(before) === language && isDescription(before) === isDescription(stream));
    const [only, ...others] = this.#sounds;
    if (only === undefined || others.length > 0) return this.#sounds.find((one) => isLike(one) && isSilent(one));
    const isUnclear = [languageOf(only.stream), language].includes("und");
    return isLike(only) || isUnclear || isSilent(only) ? only : undefined;
  }

  #isNew = (stream: Stream, type: Stream["codecpar"]["codecType"]): boolean =>
    stream.index >= this.#atStart && stream.codecpar.codecType === type && isDecodable(stream);

  #update(): void {
    for (const stream of this.#format.streams)
      if (!this.#known.has(stream.index)) this.#known.set(stream.index, stream);
  }

  #usable = (type: Stream["codecpar"]["codecType"]): Stream[] =>
    [...this.#known.values()].filter((stream) => stream.codecpar.codecType === type && isDecodable(stream));

  #largest(): Stream | null {
    const pixels = ({ codecpar }: Stream) => codecpar.width * codecpar.height;
    const pictures = this.#usable(AVMEDIA_TYPE_VIDEO);
    return pictures.toSorted((a, b) => pixels(b) - pixels(a) || a.index - b.index)[0] ?? null;
  }

  #chosen(): Stream[] {
    const streams = this.#usable(AVMEDIA_TYPE_AUDIO);
    const isFirst = ({ id }: Stream, n: number) => streams.findIndex((one) => one.id === id) === n;
    const candidates = streams.filter(isFirst).map((stream) => ({
      stream,
      index: stream.index,
      isSent: stream.codecpar.sampleRate > 0,
      isDefault: stream.hasDisposition(AV_DISPOSITION_DEFAULT),
      isDescription: isDescription(stream),
    }));
    return chosenSounds(candidates).map(({ stream }) => stream);
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
