import type { FrameGrid } from "../../../protocol/jobs.ts";
import type { SourceAudio, SourceVideo } from "../../../protocol/source-facts.ts";
import { bestPictureTracks } from "../../../protocol/media/picture-track.ts";
import type { RangeReader } from "./range-reader.ts";
import { type IndexedAudio, indexAudio, startsLate } from "./audio.ts";
import { findMoov, type FoundMoov } from "./find-moov.ts";
import type { IndexMemory } from "./index-bytes.ts";
import { keysBehindHead, type KeyFrames } from "./key-frames.ts";
import { NotStandard, standardOnlyIf } from "./not-standard.ts";
import type { RenditionFacts } from "../manifest/model.ts";
import { readTracks, type Track } from "./track.ts";
import { type IndexedVideo, indexVideo } from "./video.ts";

/** A source that can be played without encoding (passthrough). */
export interface StandardSource {
  standard: true;
  /** "mp4" or "mov". */
  containerFormat: string;
  durationMs: number;
  /** As reported by the encoder's probe, except that `streamIndex` counts only video and audio tracks. */
  video: SourceVideo;
  audio: SourceAudio[];
  /** Rows without `assetId`, to be inserted once the indexes are stored. */
  renditions: RenditionFacts[];
  /** To be stored at `passthroughKey(assetId, rendition)`: the pieces, concatenated. */
  indexes: { rendition: string; pieces: Uint8Array<ArrayBuffer>[] }[];
  /** The source has a key frame at every segment boundary of the ladder, and segments are cut there. */
  onLadderGrid: boolean;
  /** Key frames that are still to be looked at (`areKeyFrames`). Those in the first bytes of the file have been. */
  keyFrames: KeyFrames;
  /** Null = its pictures cannot be copied into a media of several files. */
  copy: CopyFacts | null;
}

/** What pictures that are copied into one rendition must have in common, and how many there are. */
export interface CopyFacts {
  /** Parameters of the codec, size and colours: equal ones have one init segment. */
  configuration: string;
  frameRate: FrameGrid["frameRate"];
  frameCount: number;
  bitrateBps: number;
}

/**
 * Reads the index of a source and decides whether passthrough is possible: 8-bit 4:2:0 H.264, progressive, square pixels, not rotated, at
 * most 60 frames per second, closed GOPs with key frames at most 12 s apart, AAC-LC or no audio, in a non-fragmented MP4 or MOV file. Takes
 * one to three reads, and up to 400 more for a large index.
 *
 * @param options.grid the ladder's grid; by default the one the ladder chooses for the source's frame rate
 * @param options.memory for tests
 * @throws errors of the reader; a hostile or damaged file is reported as not standard
 */
export async function indexSource(
  reader: RangeReader,
  options: { grid?: FrameGrid; memory?: IndexMemory } = {},
): Promise<StandardSource | { standard: false; reason: string }> {
  try {
    const found = await findMoov(reader, options.memory ?? {});
    return await standardSource(found, reader.size, options.grid);
  } catch (error) {
    if (error instanceof NotStandard) return { standard: false, reason: error.message };
    // DataView throws when a box ends before its announced content.
    if (error instanceof RangeError) return { standard: false, reason: "the index is damaged" };
    throw error;
  }
}

/** The track that the ladder shows. */
function pictureOf(tracks: Track[]): Track {
  const pictures = tracks
    .filter((track) => track.kind === "video")
    .map((track) => ({ track, pictureCount: track.table.sampleCount, isEnabled: track.enabled }));
  const [best, ...others] = bestPictureTracks(pictures);
  standardOnlyIf(best?.isEnabled === true, "no picture");
  standardOnlyIf(others.length === 0, "several pictures");
  return best.track;
}

async function standardSource(
  { moov, brand, head }: FoundMoov,
  fileBytes: number | null,
  grid?: FrameGrid,
): Promise<StandardSource> {
  const tracks = await readTracks(moov);
  const picture = pictureOf(tracks);
  // Disabled audio tracks are the other languages of a QuickTime file.
  const sounds = tracks.filter((track) => track.kind === "audio");
  standardOnlyIf(!sounds.some(startsLate), "audio that starts late");
  sounds.sort((a, b) => Number(b.enabled) - Number(a.enabled));

  const video = await indexVideo(picture, fileBytes, grid);
  const seconds = video.durationTicks / video.timescale;
  const audio: IndexedAudio[] = [];
  for (const track of sounds)
    audio.push(await indexAudio(track, audio.length + 1, video.cutSeconds, seconds, fileBytes));
  const keyFrames = keysBehindHead(video.keyFrames, head);
  const durationMs = Math.round(seconds * 1000);
  return {
    standard: true,
    containerFormat: brand === "qt  " ? "mov" : "mp4",
    durationMs,
    video: {
      streamIndex: tracks.indexOf(picture),
      codec: "h264",
      widthPx: video.widthPx,
      heightPx: video.heightPx,
      rotationDegrees: 0,
      frameRate: video.frameRate,
      variableFrameRate: video.variableFrameRate,
      interlaced: false,
      bitDepth: 8,
      hdr: null,
      startMs: 0,
      durationMs,
      bitrateBps: Math.round((video.mediaBytes * 8) / seconds),
    },
    audio: audio.map(({ configuration, languageCode, row }, n) => ({
      streamIndex: tracks.indexOf(sounds[n]!),
      codec: "aac",
      channels: configuration.channels,
      sampleRateHz: configuration.sampleRateHz,
      languageCode,
      title: "",
      isDefault: row.isDefault === true,
      startMs: 0,
      durationMs: Math.round(
        (row.segments.durationTicks.reduce((sum, ticks) => sum + ticks, 0) / row.timescale) * 1000,
      ),
    })),
    renditions: [video, ...audio].map(({ row }) => row),
    indexes: [video, ...audio].map(({ row, index }) => ({ rendition: row.name, pieces: index })),
    onLadderGrid: video.onLadderGrid,
    keyFrames,
    copy: copyOf(video, seconds),
  };
}

const copyOf = ({ configuration, frameCount, frameRate, mediaBytes, onLadderGrid }: IndexedVideo, seconds: number) =>
  configuration === null || !onLadderGrid
    ? null
    : { configuration, frameRate, frameCount, bitrateBps: Math.round((mediaBytes * 8) / seconds) };
