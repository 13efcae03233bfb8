/** The jobs for speech: pieces of a sound, and their words. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SpeechResult } from "../../../protocol/speech.ts";
import { TestEncoder } from "../../support/encoder.ts";
import { madeFile } from "../../support/made.ts";
import { decodeSound } from "../../support/rendition.ts";
import { toneAt } from "../../support/tones.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

/** 400 Hz from 2 s to 4 s, and 800 Hz from 20 s to 21 s, of 30 s in stereo at 48 kHz. */
const tones = () =>
  madeFile(
    [
      "-f",
      "lavfi",
      "-i",
      `aevalsrc='${["0", "1"].map(() => "0.2*sin(2*PI*400*t)*between(t,2,4)+0.2*sin(2*PI*800*t)*between(t,20,21)").join("|")}':s=48000:d=30`,
      "-c:a",
      "aac",
    ],
    "mp4",
  );

test("the sound is stored without its silences, as FLAC of 16 kHz, with the times in the media", async () => {
  const wanted = { kind: "speech", rendition: "speech", pieceMs: 60_000, maxPieceMs: 600_000 } as const;
  const { ending, desk } = await encoder.run(await tones(), wanted);
  const { durationMs, pieces } = (ending as { result: SpeechResult }).result;
  expect(Math.abs(durationMs - 30_000)).toBeLessThan(50);
  const near = (ms: number) => expect.closeTo(ms, -2);
  expect(pieces).toMatchObject([
    {
      spans: [
        [0, near(1750), near(2500)],
        [near(2500), near(19_750), near(1500)],
      ],
      durationMs: near(4000),
    },
  ]);
  const file = desk.objects.get("speech/0.flac")!;
  expect(file.length).toBe(pieces[0]!.bytes);
  const sound = await decodeSound(file);
  expect([sound.sampleRateHz, sound.channels]).toEqual([16_000, 1]);
  expect(Math.abs(toneAt(sound, 1) - 400)).toBeLessThan(10);
  expect(Math.abs(toneAt(sound, 3.3) - 800)).toBeLessThan(10);
});

test("silence gives no piece", async () => {
  const silence = await madeFile("-f lavfi -i anullsrc=r=44100:cl=mono -t 5 -c:a aac".split(" "), "mp4");
  const wanted = { kind: "speech", rendition: "speech", pieceMs: 60_000, maxPieceMs: 600_000 } as const;
  const { ending } = await encoder.run(silence, wanted);
  expect(ending).toMatchObject({ result: { kind: "speech", pieces: [] } });
});

test("without a model, a transcription says how to get one", async () => {
  const failure = await encoder.failure(await tones(), { kind: "transcribe", languageCode: null, prompt: "" });
  expect(failure.code).toBe("speech_no_model");
  expect(failure.message).toContain("WHISPER_MODEL");
});
