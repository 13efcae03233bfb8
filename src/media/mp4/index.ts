import type { FrameGrid, SourceAudio, SourceVideo } from "../../../protocol/jobs.ts";
import type { RangeReader } from "./range-reader.ts";
import { type IndexedAudio, indexAudio, startsLate } from "./audio.ts";
import { findMoov } from "./find-moov.ts";
import type { IndexBytes, IndexMemory } from "./index-bytes.ts";
import { NotStandard, standardOnlyIf } from "./not-standard.ts";
import type { RenditionFacts } from "../manifest/model.ts";
import { readTracks } from "./track.ts";
import { indexVideo } from "./video.ts";

/** A source that plays as it is, without being encoded. */
export interface StandardSource {
  standard: true;
  /** "mp4" or "mov". */
  containerFormat: string;
  durationMs: number;
  /** As the encoder's probe would tell of it; `streamIndex` counts the tracks of picture and sound only. */
  video: SourceVideo;
  audio: SourceAudio[];
  /** Rows but for their `assetId`, ready to be inserted once the indexes are stored. */
  renditions: RenditionFacts[];
  /** To be PUT at `passthroughKey(assetId, rendition)`: the pieces in a row. */
  indexes: { rendition: string; pieces: Uint8Array<ArrayBuffer>[] }[];
  /** Every segment of the ladder would begin at a key frame of the source, and segments are cut there. */
  onLadderGrid: boolean;
}

/**
 * Reads the index of a source and decides whether it can be played as it is: 8-bit 4:2:0 H.264, progressive, square
 * pixels, not rotated, at most 60 pictures a second, closed groups of pictures with key frames at most 12 s apart, with
 * AAC-LC or without sound, in a plain MP4 or MOV file. One to three reads, for a large index up to 400 more.
 *
 * @param options.grid the ladder's grid; without it the one that the ladder would choose for the source's frame rate
 * @param options.memory for tests
 * @throws what the reader throws; a hostile or damaged file is answered as not standard
 */
export async function indexSource(
  reader: RangeReader,
  options: { grid?: FrameGrid; memory?: IndexMemory } = {},
): Promise<StandardSource | { standard: false; reason: string }> {
  try {
    const { moov, brand } = await findMoov(reader, options.memory ?? {});
    return await standardSource(moov, brand, reader.size, options.grid);
  } catch (error) {
    if (error instanceof NotStandard) return { standard: false, reason: error.message };
    // A DataView refuses to read past its end: a box promised more than it holds.
    if (error instanceof RangeError) return { standard: false, reason: "the index is damaged" };
    throw error;
  }
}

async function standardSource(
  moov: IndexBytes,
  brand: string,
  fileBytes: number | null,
  grid?: FrameGrid,
): Promise<StandardSource> {
  const tracks = await readTracks(moov);
  const shown = tracks.filter((track) => track.enabled);
  const pictures = shown.filter((track) => track.kind === "video");
  const [picture] = pictures;
  standardOnlyIf(picture !== undefined, "no picture");
  standardOnlyIf(pictures.length === 1, "several pictures");
  // Sound tracks that are switched off are the other languages of a QuickTime file.
  const sounds = tracks.filter((track) => track.kind === "audio");
  standardOnlyIf(!sounds.some(startsLate), "sound that starts late");
  sounds.sort((a, b) => Number(b.enabled) - Number(a.enabled));

  const video = await indexVideo(picture, fileBytes, grid);
  const seconds = video.durationTicks / video.timescale;
  const audio: IndexedAudio[] = [];
  for (const track of sounds)
    audio.push(await indexAudio(track, audio.length + 1, video.cutSeconds, seconds, fileBytes));
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
  };
}
