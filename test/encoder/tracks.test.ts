import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SourceAudio } from "../../protocol/source-facts.ts";
import { pairedSounds } from "../../encoder/media/paired-sound.ts";
import { TestEncoder } from "../support/encoder.ts";
import { decodeSound, encodeWholeSound } from "../support/rendition.ts";
import { makeSource } from "../support/sources.ts";
import { toneAt } from "../support/tones.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

test.each(["cover-track", "cover-track-ts", "disabled-track"] as const)(
  "the film is chosen among the video tracks of %s, although another one is larger",
  async (name) => {
    const { video } = await encoder.probe(await makeSource(name));
    expect(video).toMatchObject({ widthPx: 320, heightPx: 240, codec: "h264", frameRate: { num: 30, den: 1 } });
    expect(video!.durationMs).toBeGreaterThan(900);
  },
);

describe("sounds of one channel each", () => {
  const sound = (streamIndex: number, more: Partial<SourceAudio> = {}): SourceAudio => ({
    streamIndex,
    codec: "pcm_s16le",
    channels: 1,
    sampleRateHz: 48_000,
    languageCode: "und",
    title: "",
    isDefault: false,
    startMs: 0,
    durationMs: 1000,
    ...more,
  });
  const pairs = (...sounds: SourceAudio[]) =>
    pairedSounds(sounds).map(({ streamIndex, rightStreamIndex, channels, title }) =>
      [streamIndex, rightStreamIndex ?? "", channels, title].join(" "),
    );

  test("become pairs by their order, with a name when there are several", () => {
    expect(pairs(sound(1), sound(2))).toEqual(["1 2 2 "]);
    expect(pairs(...[1, 2, 3, 4, 5].map((at) => sound(at)))).toEqual([
      "1 2 2 Channels 1+2",
      "3 4 2 Channels 3+4",
      "5  1 ",
    ]);
  });

  test("are no pair beside stereo, or in two languages", () => {
    expect(pairs(sound(1), sound(2, { channels: 2 }), sound(3))).toEqual(["1  1 ", "2  2 ", "3  1 "]);
    expect(pairs(sound(1, { languageCode: "en" }), sound(2, { languageCode: "fr" }))).toEqual(["1  1 ", "2  1 "]);
  });

  test("of MXF are encoded as pairs: left and right", async () => {
    const path = await makeSource("mxf-monos");
    const { audio, durationMs } = await encoder.probe(path);
    expect(audio.map(({ title, channels }) => `${title}/${channels}`)).toEqual([
      "Channels 1+2/2",
      "Channels 3+4/2",
      "/1",
    ]);
    const { bytes } = await encodeWholeSound(encoder, path, audio[1]!, durationMs);
    const sound = await decodeSound(bytes);
    const tones = sound.planes.map((samples) => toneAt({ ...sound, samples }, 0.5));
    expect(tones.map((hz) => Math.round(hz / 20) * 20)).toEqual([900, 1200]);
  });
});
