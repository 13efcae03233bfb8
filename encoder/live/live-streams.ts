/** Selects the streams of a broadcast to encode: at most one picture, and its sounds. Each may begin at any time. */
import { avGetCodecName, type FormatContext, type Stream } from "node-av/lib";
import { AV_DISPOSITION_DEFAULT, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { decoderOf } from "../media/codecs.ts";
import { MAX_SOUNDS } from "../../protocol/live.ts";
import { chosenSounds, type SourceSound } from "./broadcast-sounds.ts";
import type { FlvAnnouncement } from "./flv-announcement.ts";
import { ANNOUNCED_SOUND, sourceSound } from "./source-shape.ts";
import type { Kind } from "./source-timeline.ts";
import { isDescription, languageOf } from "../media/subtitle-facts.ts";

/** Largest accepted picture. */
const MAX_PIXELS = 4096 * 2304;
/** A sound that none of this many packets belongs to has been replaced: about one second. */
const REPLACED_AFTER_PACKETS = 100;
/** A stream that sends this many packets after another one has replaced it is a sound of its own. */
const STILL_SENT_PACKETS = 3;
/** IDs of further sounds whose own ID another sound has. */
const FURTHER_ID = -2;

/** Which picture or sound a packet belongs to. */
export interface StreamRole {
  kind: Kind;
  /** `streamId` of a sound: the ID of its first stream. Null for a picture. */
  soundId: number | null;
}

interface ChosenSound {
  id: number;
  /** Null while the sound is only announced. */
  stream: Stream | null;
  /** Number of its last packet. */
  lastPacket: number;
  /** The stream that `stream` has replaced, and its packets since. */
  replaced?: { stream: Stream; packets: number } | undefined;
}

export class LiveStreams {
  readonly #format: FormatContext;
  /** By index; streams may appear midway. */
  readonly #known = new Map<number, Stream>();
  readonly #atStart: number;
  readonly #onRefused: (codec: string, kind: Kind) => void;
  #video: Stream | null;
  #isPictureAnnounced: boolean;
  readonly #sounds: ChosenSound[];
  #packets = 0;

  /**
   * @param format after its streams have been probed
   * @param announced what the container announces beyond its streams
   * @param onRefused called for the streams that cannot be decoded
   * @throws {JobError} when no stream can be decoded, or the picture is too large
   */
  constructor(format: FormatContext, announced: FlvAnnouncement, onRefused: (codec: string, kind: Kind) => void) {
    this.#format = format;
    this.#onRefused = onRefused;
    this.#update();
    this.#atStart = format.streams.length;
    this.#video = this.#largest();
    this.#isPictureAnnounced = announced.hasPicture;
    this.#sounds = this.#chosen().map((stream) => ({ id: stream.id, stream, lastPacket: 0 }));
    if (this.#sounds.length === 0 && announced.hasSound)
      this.#sounds.push({ id: ANNOUNCED_SOUND.streamId!, stream: null, lastPacket: 0 });
    if (this.#video === null && this.#sounds.length === 0 && !announced.hasPicture)
      throw new JobError("source_no_streams", "The broadcast has neither picture nor sound that can be decoded.");
    if (this.#video !== null) refuseTooLarge(this.#video);
  }

  get video(): Stream | null {
    return this.#video;
  }

  /** Whether a picture is known to come. */
  get expectsPicture(): boolean {
    return this.#video !== null || this.#isPictureAnnounced;
  }

  /** That which players begin with first. */
  get sounds(): SourceSound[] {
    return this.#sounds.map(({ stream }) => (stream === null ? ANNOUNCED_SOUND : sourceSound(stream)));
  }

  /** The stream that sends a sound; null while the sound is only announced. */
  streamOf(soundId: number | null): Stream | null {
    return this.#sounds.find(({ id }) => id === soundId)?.stream ?? null;
  }

  at(index: number): Stream | undefined {
    if (!this.#known.has(index)) this.#update();
    return this.#known.get(index);
  }

  /**
   * Called with the stream of every packet. Null for a stream that is not encoded. A new stream is the picture or the sound that has been
   * missing, replaces the previous one of its kind because the broadcaster has changed the codec, or is a further sound.
   */
  roleOf(stream: Stream): StreamRole | null {
    this.#packets += 1;
    this.#restore(stream);
    if (stream.index === this.#video?.index) return { kind: "video", soundId: null };
    const sound =
      this.#sounds.find((one) => one.stream?.index === stream.index) ?? this.#replacedBy(stream) ?? this.#added(stream);
    if (sound !== undefined) {
      if (sound.stream !== null && sound.stream.index !== stream.index)
        sound.replaced = { stream: sound.stream, packets: 0 };
      Object.assign(sound, { stream, lastPacket: this.#packets });
      return { kind: "audio", soundId: sound.id };
    }
    if (!this.#isNew(stream, AVMEDIA_TYPE_VIDEO)) return null;
    this.#video = stream;
    return { kind: "video", soundId: null };
  }

  /** The sound that a new stream continues. Several of one language may be sent at once, so the previous stream must be silent. */
  #replacedBy(stream: Stream): ChosenSound | undefined {
    if (!this.#isNew(stream, AVMEDIA_TYPE_AUDIO)) return undefined;
    const announced = this.#sounds.find((one) => one.stream === null);
    if (announced !== undefined) return announced;
    const language = languageOf(stream);
    const isSilent = ({ lastPacket }: ChosenSound) => this.#packets - lastPacket > REPLACED_AFTER_PACKETS;
    const isLike = ({ id, stream: before }: ChosenSound) =>
      id === stream.id || (languageOf(before!) === language && isDescription(before!) === isDescription(stream));
    const [only, ...others] = this.#sounds;
    if (only === undefined || others.length > 0) return this.#sounds.find((one) => isLike(one) && isSilent(one));
    const isUnclear = [languageOf(only.stream!), language].includes("und");
    return isLike(only) || isUnclear || isSilent(only) ? only : undefined;
  }

  /** Gives a stream its sound back when it goes on beside the one that replaced it. That one is a further sound. */
  #restore(stream: Stream): void {
    const sound = this.#sounds.find(({ replaced }) => replaced?.stream.index === stream.index);
    if (sound === undefined || ++sound.replaced!.packets < STILL_SENT_PACKETS) return;
    const newer = sound.stream!;
    Object.assign(sound, { stream, replaced: undefined });
    this.#added(newer);
  }

  /** A sound that begins after the others, under an ID that no other sound has. */
  #added(stream: Stream): ChosenSound | undefined {
    if (!this.#isNew(stream, AVMEDIA_TYPE_AUDIO) || this.#sounds.length >= MAX_SOUNDS) return undefined;
    const isTaken = this.#sounds.some(({ id }) => id === stream.id);
    const added = { id: isTaken ? FURTHER_ID - stream.index : stream.id, stream, lastPacket: this.#packets };
    this.#sounds.push(added);
    return added;
  }

  #isNew = (stream: Stream, type: Stream["codecpar"]["codecType"]): boolean =>
    stream.index >= this.#atStart && stream.codecpar.codecType === type && isDecodable(stream);

  #update(): void {
    for (const stream of this.#format.streams) {
      if (this.#known.has(stream.index)) continue;
      this.#known.set(stream.index, stream);
      const kind = KINDS.get(stream.codecpar.codecType);
      if (kind !== undefined && !isDecodable(stream))
        this.#onRefused(avGetCodecName(stream.codecpar.codecId) ?? "unknown", kind);
    }
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

const KINDS = new Map<Stream["codecpar"]["codecType"], Kind>([
  [AVMEDIA_TYPE_VIDEO, "video"],
  [AVMEDIA_TYPE_AUDIO, "audio"],
]);

const isDecodable = (stream: Stream) => decoderOf(stream) !== null;

/** @throws {JobError} source_too_large_picture */
export function refuseTooLarge({ codecpar: { width, height } }: { codecpar: { width: number; height: number } }): void {
  if (width * height > MAX_PIXELS)
    throw new JobError("source_too_large_picture", `The picture is ${width}×${height}; the largest is 4096×2304.`);
}
