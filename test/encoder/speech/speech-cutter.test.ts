import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CutPiece, SpeechCutter } from "../../../encoder/speech/speech-cutter.ts";

const RATE_HZ = 16_000;
/** Positions are whole milliseconds: through seconds, rounding would lose a sample. */
const SAMPLES_PER_MS = RATE_HZ / 1000;
const LENGTHS = { pieceMs: 60_000, maxPieceMs: 120_000 };

/** A tone of [seconds, amplitude] one after another, over noise. */
function sound(parts: readonly (readonly [seconds: number, amplitude: number])[], noise = 0): Float32Array {
  const samples = new Float32Array(parts.reduce((sum, [seconds]) => sum + Math.round(seconds * RATE_HZ), 0));
  let at = 0;
  let seed = 1;
  for (const [seconds, amplitude] of parts)
    for (const end = at + Math.round(seconds * RATE_HZ); at < end; at += 1) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      samples[at] = amplitude * Math.sin((2 * Math.PI * 300 * at) / RATE_HZ) + noise * (seed / 2 ** 31 - 1);
    }
  return samples;
}

/** @param step samples that are given at once */
function cut(samples: Float32Array, lengths = LENGTHS, step = 4000) {
  const pieces: (CutPiece & { samples: number })[] = [];
  const all: Float32Array[] = [];
  let count = 0;
  const cutter = new SpeechCutter(RATE_HZ, lengths, {
    put: (some) => {
      all.push(some);
      count += some.length;
    },
    end: (piece) => {
      pieces.push({ ...piece, samples: count });
      count = 0;
    },
  });
  for (let at = 0; at < samples.length; at += step) cutter.put(samples.subarray(at, at + step));
  const durationMs = cutter.finish();
  const kept = new Float32Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const some of all) {
    kept.set(some, at);
    at += some.length;
  }
  return { pieces, durationMs, kept };
}

test("silence is cut away, with a quarter of a second left at its ends", () => {
  const { pieces, durationMs } = cut(
    sound([
      [2, 0],
      [3, 0.2],
      [10, 0],
      [1, 0.2],
      [4, 0],
    ]),
  );
  expect(durationMs).toBe(20_000);
  expect(pieces.map(({ spans }) => spans)).toEqual([
    [
      [0, 1740, 3520],
      [3520, 14_740, 1520],
    ].map(([at, media, length]) => [at, expect.closeTo(media!, -1.5), expect.closeTo(length!, -1.5)]),
  ]);
});

test("a pause between words stays", () => {
  const { pieces } = cut(
    sound([
      [1, 0.2],
      [0.6, 0],
      [1, 0.2],
    ]),
  );
  expect(pieces).toMatchObject([{ spans: [[0, 0, 2600]], durationMs: 2600 }]);
});

test("silence and noise alone give no piece, and quiet speech in noise does", () => {
  expect(cut(sound([[30, 0]])).pieces).toEqual([]);
  expect(cut(sound([[30, 0]], 0.002)).pieces).toEqual([]);
  const { pieces } = cut(
    sound(
      [
        [10, 0],
        [2, 0.05],
        [10, 0],
      ],
      0.004,
    ),
  );
  expect(pieces).toHaveLength(1);
  const [[, mediaMs, length]] = pieces[0]!.spans as [[number, number, number]];
  expect([Math.abs(mediaMs - 9750) < 60, Math.abs(length - 2500) < 100]).toEqual([true, true]);
});

test("a piece ends at the first silence behind its length", () => {
  const talk = Array.from(
    { length: 20 },
    () =>
      [
        [8, 0.2],
        [1.5, 0],
      ] as const,
  ).flat();
  const { pieces } = cut(sound(talk));
  expect(pieces.map(({ durationMs }) => durationMs)).toEqual([
    expect.closeTo(8 * 8500, -3),
    expect.closeTo(8 * 8500, -3),
    expect.closeTo(4 * 8500, -3),
  ]);
});

test("where nobody pauses, a piece ends at its least loud moment", () => {
  const { pieces } = cut(
    sound([
      [118, 0.2],
      [0.1, 0.01],
      [60, 0.2],
    ]),
  );
  expect(pieces).toHaveLength(2);
  expect(pieces[0]!.durationMs).toBeGreaterThan(117_950);
  expect(pieces[0]!.durationMs).toBeLessThanOrEqual(118_120);
  expect(pieces[1]!.spans[0]![1]).toBe(pieces[0]!.durationMs);
});

describe("of any sound", () => {
  const part = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom(0, 0.2, 0.003));
  test("every piece has the samples of its spans, which are in order, whatever is given at once", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.integer({ min: 1, max: 20_000 }), (parts, step) => {
        const samples = sound(parts.map(([hundredths, amplitude]) => [hundredths / 100, amplitude] as const));
        const lengths = { pieceMs: 2000, maxPieceMs: 4000 };
        const { pieces, kept, durationMs } = cut(samples, lengths, step);
        expect(durationMs).toBeCloseTo((samples.length / RATE_HZ) * 1000, 6);
        let [before, mediaEnd] = [0, 0];
        for (const piece of pieces) {
          expect(piece.durationMs).toBeLessThanOrEqual(4000);
          expect(piece.samples).toBe(piece.durationMs * SAMPLES_PER_MS);
          let at = 0;
          for (const [atMs, mediaMs, lengthMs] of piece.spans) {
            expect(atMs).toBe(at);
            expect(mediaMs).toBeGreaterThanOrEqual(mediaEnd);
            const from = mediaMs * SAMPLES_PER_MS;
            const own = kept.subarray(before, before + lengthMs * SAMPLES_PER_MS);
            const source = samples.subarray(from, from + own.length);
            expect(own.subarray(0, source.length)).toEqual(source);
            at += lengthMs;
            mediaEnd = mediaMs + lengthMs;
            before += own.length;
          }
          expect(at).toBe(piece.durationMs);
        }
      }),
      { numRuns: 60 },
    );
  });
});
