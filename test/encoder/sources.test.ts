import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SourceFacts } from "../../protocol/source-facts.ts";
import { frameCountUntil, firstFrameShowing } from "../../protocol/media/frame-picker.ts";
import { TestEncoder } from "../support/encoder.ts";
import { referencePictures, referenceTimes } from "../support/reference.ts";
import { decodePictures, decodeSound, encodeInChunks, encodeWholeSound, psnr, rungFor } from "../support/rendition.ts";
import { makeSource, SOURCES, type SourceName } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

const AAC_FRAME_SECONDS = 1024 / 44_100;
/** Every correctly encoded clip is well above this PSNR; a picture of a wrong time is well below. */
const FRIDAY_DB = 37;
const FLOWER_DB = 31;
/** Larger sources, copied from the clips, are encoded at half their size. */
const LARGE_PX = 480;

interface Expected {
  container: string;
  codec: string;
  size: [widthPx: number, heightPx: number];
  rate: string;
  atLeastDb: number;
  sounds?: number;
  /** Seconds by which the sound is later than the picture; negative: earlier. */
  soundAfterPicture?: number;
  /** The ffmpeg filter that makes its pictures comparable with the output. */
  filter?: string;
}

const KINDS: Partial<Record<SourceName, Expected>> = {
  "mp4-index-at-end": { container: "mp4", codec: "h264", size: [640, 480], rate: "30/1", atLeastDb: FRIDAY_DB },
  mov: { container: "mov", codec: "h264", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  mkv: { container: "matroska", codec: "h264", size: [960, 540], rate: "30000/1001", atLeastDb: FLOWER_DB },
  "webm-vp8": { container: "webm", codec: "vp8", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "webm-vp9": { container: "webm", codec: "vp9", size: [320, 180], rate: "30000/1001", atLeastDb: FLOWER_DB },
  "webm-live": { container: "webm", codec: "vp8", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  ts: { container: "mpegts", codec: "h264", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  avi: { container: "avi", codec: "mpeg4", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "avi-magicyuv": { container: "avi", codec: "magicyuv", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  flv: { container: "flv", codec: "h264", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "hevc-8": { container: "mp4", codec: "hevc", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "hevc-10": { container: "mpegts", codec: "hevc", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  rotated: { container: "mp4", codec: "h264", size: [480, 640], rate: "30/1", atLeastDb: FRIDAY_DB },
  "odd-size": {
    container: "webm",
    codec: "vp8",
    size: [321, 181],
    rate: "30000/1001",
    atLeastDb: FLOWER_DB,
    sounds: 0,
  },
  "wide-pixels": {
    container: "mp4",
    codec: "h264",
    size: [256, 144],
    rate: "30000/1001",
    atLeastDb: FLOWER_DB,
    sounds: 0,
  },
  vfr: { container: "mp4", codec: "h264", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  vob: { container: "mpeg", codec: "mpeg2video", size: [320, 240], rate: "25/1", atLeastDb: FRIDAY_DB },
  wtv: { container: "wtv", codec: "mpeg2video", size: [320, 240], rate: "25/1", atLeastDb: FRIDAY_DB },
  "fps-59.94": { container: "mp4", codec: "h264", size: [320, 240], rate: "60000/1001", atLeastDb: FRIDAY_DB },
  "fps-120": { container: "mp4", codec: "h264", size: [320, 240], rate: "60/1", atLeastDb: FRIDAY_DB },
  interlaced: {
    container: "mpegts",
    codec: "mpeg2video",
    size: [320, 240],
    rate: "25/1",
    atLeastDb: FRIDAY_DB,
    filter: "bwdif=mode=send_frame",
  },
  portrait: { container: "mp4", codec: "h264", size: [180, 320], rate: "30000/1001", atLeastDb: FLOWER_DB },
  tiny: { container: "mp4", codec: "h264", size: [16, 16], rate: "30/1", atLeastDb: FLOWER_DB },
  "late-start": { container: "mpegts", codec: "h264", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "negative-start": { container: "mpegts", codec: "h264", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "edit-list": { container: "mp4", codec: "h264", size: [640, 480], rate: "30/1", atLeastDb: FRIDAY_DB },
  "edit-list-delay": {
    container: "mp4",
    codec: "h264",
    size: [640, 480],
    rate: "30/1",
    atLeastDb: FRIDAY_DB,
    soundAfterPicture: -0.5,
  },
  "open-gop": { container: "mpegts", codec: "h264", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "open-gop-mpeg2": { container: "mp4", codec: "mpeg2video", size: [320, 240], rate: "30/1", atLeastDb: FRIDAY_DB },
  "no-audio": {
    container: "mp4",
    codec: "h264",
    size: [320, 180],
    rate: "30000/1001",
    atLeastDb: FLOWER_DB,
    sounds: 0,
  },
  "truncated-mp4": { container: "mp4", codec: "h264", size: [640, 480], rate: "30/1", atLeastDb: FRIDAY_DB },
  "truncated-mkv": { container: "matroska", codec: "h264", size: [960, 540], rate: "30000/1001", atLeastDb: FLOWER_DB },
  "one-frame": {
    container: "mp4",
    codec: "h264",
    size: [320, 180],
    rate: "30000/1001",
    atLeastDb: FLOWER_DB,
    sounds: 0,
  },
};

/** One of a codec and a container that browsers play, one of HEVC in a transport stream, one that is rotated, and two whose times are irregular. */
const IN_DEFAULT_TIER = new Set<string>(["webm-vp9", "hevc-10", "rotated", "vfr", "vob"]);

describe("is output completely, on time and with the same content, in chunks of one second:", () => {
  for (const [name, expected] of Object.entries(KINDS) as [SourceName, Expected][]) {
    const tags = IN_DEFAULT_TIER.has(name) ? [] : ["full" as const];
    test(`${name} (${SOURCES[name].description})`, { tags }, async () => {
      const path = await makeSource(name);
      const facts = await encoder.probe(path);
      expectFacts(facts, expected);
      await expectPicture(path, facts, expected);
      for (const audio of facts.audio) {
        const sound = await decodeSound((await encodeWholeSound(encoder, path, audio, facts.durationMs)).bytes);
        expect(sound.startSeconds).toBe(0);
        expect(sound.largestHoleSeconds).toBeLessThan(0.001);
        expect(Math.abs(sound.samples.length / sound.sampleRateHz - facts.durationMs / 1000)).toBeLessThan(
          AAC_FRAME_SECONDS,
        );
      }
    });
  }
});

function expectFacts(facts: SourceFacts, expected: Expected): void {
  const { frameRate } = facts.video!;
  expect({
    container: facts.containerFormat,
    codec: facts.video!.codec,
    size: [facts.video!.widthPx, facts.video!.heightPx],
    rate: `${frameRate.num}/${frameRate.den}`,
  }).toEqual({
    container: expected.container,
    codec: expected.codec,
    size: expected.size,
    rate: expected.rate,
  });
  expect(facts.audio).toHaveLength(expected.sounds ?? 1);
  if (expected.soundAfterPicture !== undefined)
    expect((facts.audio[0]!.startMs - facts.video!.startMs) / 1000).toBeCloseTo(expected.soundAfterPicture, 2);
}

async function expectPicture(path: string, facts: SourceFacts, expected: Expected): Promise<void> {
  const video = facts.video!;
  const { num, den } = video.frameRate;
  const scale = Math.max(video.widthPx, video.heightPx) > LARGE_PX ? 0.5 : 1;
  const [widthPx, heightPx] = [(video.widthPx * scale) & ~1, (video.heightPx * scale) & ~1];
  const rendition = await encodeInChunks(encoder, path, facts, rungFor(widthPx, heightPx));
  const pictures = await decodePictures(rendition.bytes);

  expect(rendition.inits.size).toBe(1);
  expect(rendition.frameCount).toBe(frameCountUntil((video.startMs + video.durationMs) / 1000, video.frameRate));
  expect(pictures).toHaveLength(rendition.frameCount);
  for (const [i, picture] of pictures.entries()) {
    expect(picture.timeSeconds).toBeCloseTo((i * den) / num, 4);
    expect([picture.widthPx, picture.heightPx]).toEqual([widthPx, heightPx]);
  }

  const times = await referenceTimes(path, video.frameRate);
  const references = await referencePictures(path, expected.filter ?? "null", widthPx, heightPx);
  const zero = times[0]! - video.startMs / 1000;
  const shownFrom = times.map((time) => firstFrameShowing(time - zero, video.frameRate));
  for (const [i, picture] of pictures.entries()) {
    const shown = Math.max(
      0,
      shownFrom.findLastIndex((frame) => frame <= i),
    );
    expect(psnr(picture.luma, references[shown]!), `picture ${i}`).toBeGreaterThan(expected.atLeastDb);
  }
}
