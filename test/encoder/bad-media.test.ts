import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobFailureCode } from "../../protocol/jobs.ts";
import { TestEncoder } from "../support/encoder.ts";
import { makeSource, SOURCES, type SourceName } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => {
  encoder = await TestEncoder.start();
});
afterAll(() => encoder.stop());

const ANSWERS: Partial<Record<SourceName, JobFailureCode>> = {
  html: "source_not_media",
  text: "source_not_media",
  srt: "source_not_media",
  playlist: "source_not_media",
  zip: "source_not_media",
  noise: "source_not_media",
  image: "source_not_media",
  realmedia: "source_no_streams",
  "encrypted-mp4": "source_encrypted",
  empty: "source_empty",
  "no-index": "source_damaged",
  "box-bomb": "source_no_streams",
  "huge-table": "source_damaged",
  "huge-dimensions": "source_no_streams",
  "larger-than-8k": "source_too_large_picture",
  "thousands-of-tracks": "source_exceeds_limits",
  "too-long": "source_too_long",
};

describe("an unusable source fails with its reason, and the encoder keeps running:", () => {
  for (const [name, code] of Object.entries(ANSWERS) as [SourceName, JobFailureCode][]) {
    test(`${name} (${SOURCES[name].description}) is ${code}`, async () => {
      const failure = await encoder.failure(await makeSource(name));
      expect(failure.code).toBe(code);
      expect(failure.message).not.toMatch(/token|http|\//);
      expect((await encoder.health()).status).toBe("ok");
    });
  }
});

test("a cyclic index does not hang the encoder", async () => {
  const { ending } = await encoder.run(await makeSource("loop"), { kind: "probe" });
  expect("result" in ending || ending.failure.code.startsWith("source_")).toBe(true);
});

test("a good source is probed correctly afterwards", async () => {
  expect((await encoder.probe(await makeSource("mp4-fast-start"))).video!.codec).toBe("h264");
});

test("a header that says 277 hours is not believed: the file is as long as what is in it", async () => {
  const [claiming, honest] = [await makeSource("long-header"), await makeSource("mkv")];
  expect((await encoder.probe(claiming)).durationMs).toBe((await encoder.probe(honest)).durationMs);
});

describe("a range from startTime to endTime", () => {
  test.each(["mp4-fast-start", "ts"] as const)(
    "that begins behind the end of %s is refused with its length",
    async (name) => {
      const path = await makeSource(name);
      const endMs = (await encoder.probe(path)).durationMs;
      for (const clip of [
        { startMs: endMs + 50, endMs: null },
        { startMs: 100_000, endMs: 200_000 },
      ]) {
        const failure = await encoder.failure(path, { kind: "probe", clip });
        expect(failure.code).toBe("source_damaged");
        expect(failure.message).toMatch(/contains nothing of the source, which is \d+\.\d seconds long\.$/);
      }
    },
  );

  test("that ends behind the end of the source is used up to its end", async () => {
    const clip = { startMs: 1000, endMs: 200_000 };
    const { durationMs } = await encoder.probe(await makeSource("mp4-fast-start"), clip);
    const whole = await encoder.probe(await makeSource("mp4-fast-start"));
    expect(durationMs).toBeCloseTo(whole.durationMs - 1000, 0);
  });
});
