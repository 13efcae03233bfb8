import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nominalEnd, outputChannels, outputRateHz } from "../../protocol/media/audio-plan.ts";
import { decodeSchedule, initSegment, mediaSegment } from "../../protocol/media/cmaf.ts";
import { rotationOf } from "../../encoder/media/facts.ts";
import { orientationOf } from "../../encoder/media/orientation.ts";
import { FramePicker, frameCountUntil } from "../../protocol/media/frame-picker.ts";
import { outputRate } from "../../encoder/media/frame-rate.ts";
import { codecOf, withoutSettingsSei } from "../../encoder/media/h264.ts";
import { colorPlan, scaleGraph } from "../../encoder/media/scale-graph.ts";
import { limitsOf } from "../../encoder/jobs/limits.ts";

describe("the rate of the output", () => {
  const steady = (rate: number, frames = 120, roundedToMs = false) =>
    Array.from({ length: frames }, (_, i) => (roundedToMs ? Math.round((i * 1000) / rate) / 1000 : i / rate));
  const rateOf = (timesSeconds: number[], declared = 0) => {
    const { frameRate, isVariable } = outputRate({ declared, timesSeconds });
    return `${frameRate.num}/${frameRate.den}${isVariable ? " from a variable one" : ""}`;
  };

  test.each([
    [24_000 / 1001, "24000/1001"],
    [24, "24/1"],
    [25, "25/1"],
    [30_000 / 1001, "30000/1001"],
    [60, "60/1"],
    [12.5, "25/2"],
    [120, "60/1"],
    [120_000 / 1001, "60000/1001"],
    [144, "48/1"],
    [240, "60/1"],
    [5, "10/1"],
    [1, "10/1"],
  ])("of a steady source of %f is %s", (rate, expected) => expect(rateOf(steady(rate), rate)).toBe(expected));

  test("is found from times rounded to milliseconds", () => {
    expect(rateOf(steady(30_000 / 1001, 120, true))).toBe("30000/1001");
    expect(rateOf(steady(60, 120, true))).toBe("60/1");
  });

  test("ignores the declared rate of a truncated file", () => expect(rateOf(steady(30, 50), 28.4)).toBe("30/1"));

  test("of a variable source is the standard rate nearest to its average, at most 60", () => {
    expect(rateOf(steady(30).filter((_, i) => i % 3 !== 1))).toBe("24000/1001 from a variable one");
    expect(rateOf(steady(240).filter((_, i) => i % 3 !== 1))).toBe("60/1 from a variable one");
  });

  test("of a single frame is the declared rate, or 25", () => {
    expect(rateOf([0], 30)).toBe("30/1");
    expect(rateOf([0])).toBe("25/1");
  });
});

describe("the frame picker", () => {
  const rate = { num: 30, den: 1 };
  /** Source frames are named by their number; the answer names the frame shown at each output frame. */
  function shown(times: number[], range: { firstFrame: number; frameCount: number }, outputRateOf = rate) {
    const released: number[] = [];
    const picker = new FramePicker<number>({ rate: outputRateOf, ...range }, (frame) => released.push(frame));
    const picks = times.map((time, i) => picker.push(i, time));
    const last = times.at(-1)! + 1 / 30;
    picks.push(picker.finish(last));
    return {
      frames: picks.flatMap((pick) => (pick === undefined ? [] : Array.from({ length: pick.count }, () => pick.frame))),
      released,
    };
  }
  const all = { firstFrame: 0, frameCount: 1000 };

  test("shows every frame once at equal rates, also with times in milliseconds", () => {
    const times = Array.from({ length: 60 }, (_, i) => Math.round((i * 1000) / 30) / 1000);
    expect(shown(times, all).frames).toEqual(times.map((_, i) => i));
  });

  test("shows every second frame of twice the rate", () => {
    const times = Array.from({ length: 60 }, (_, i) => i / 60);
    expect(shown(times, all).frames.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, i) => i * 2));
  });

  test("repeats the first frame from time 0 and every frame across a gap", () => {
    expect(shown([0.1, 0.2, 0.5], all).frames).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
  });

  test("chunks equal the whole regardless of where decoding started", () => {
    const times = Array.from({ length: 90 }, (_, i) => ((i * 0.0313) % 1) + Math.floor(i * 0.0313));
    const whole = shown(times, all).frames;
    for (const firstFrame of [20, 40, 60]) {
      const readFrom = Math.max(0, times.findLastIndex((time) => time <= firstFrame / 30) - 2);
      const part = shown(times.slice(readFrom), { firstFrame, frameCount: 20 }).frames.map((frame) => frame + readFrom);
      expect(part).toEqual(whole.slice(firstFrame, firstFrame + 20));
    }
  });

  test("returns or releases every frame exactly once", () => {
    const times = Array.from({ length: 50 }, (_, i) => i / 100);
    const { frames, released } = shown(times, { firstFrame: 3, frameCount: 5 });
    expect(released.filter((frame) => frames.includes(frame))).toEqual([]);
    expect(new Set(released).size).toBe(released.length);
    expect(frames).toHaveLength(5);
  });

  test("counts at least one frame", () => {
    expect(frameCountUntil(0, rate)).toBe(1);
    expect(frameCountUntil(2, rate)).toBe(60);
    expect(frameCountUntil(2.001, rate)).toBe(60);
  });
});

describe("fragments", () => {
  /** Decode orders: groups of pictures, each with its last one first, in which the first picture of all is decoded first. */
  const orders = fc
    .array(
      fc
        .integer({ min: 0, max: 4 })
        .chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count })),
      { maxLength: 20 },
    )
    .map((groups) => {
      const order = [0];
      for (const between of groups) {
        const first = order.length;
        order.push(first + between.length, ...between.map((frame) => first + frame));
      }
      return order;
    });

  test("start decoding at their presentation start, never present before decoding or beyond their end, and have exact durations", () => {
    fc.assert(
      fc.property(orders, fc.constantFrom(10, 500, 1001), (order, ticks) => {
        const endTicks = order.length * ticks;
        let decodedAt = 0;
        for (const [i, { durationTicks, compositionTicks }] of decodeSchedule(order, ticks).entries()) {
          const shownAt = decodedAt + compositionTicks;
          expect(durationTicks).toBeGreaterThan(0);
          expect(compositionTicks).toBeGreaterThanOrEqual(0);
          expect(shownAt).toBe(order[i]! * ticks);
          expect(shownAt + durationTicks).toBeLessThanOrEqual(endTicks);
          decodedAt += durationTicks;
        }
        expect(decodedAt).toBe(endTicks);
      }),
    );
  });

  test("without B-frames every sample lasts one frame", () => {
    expect(decodeSchedule([0, 1, 2], 500)).toEqual(
      Array.from({ length: 3 }, () => ({ durationTicks: 500, compositionTicks: 0 })),
    );
  });

  test("report the byte ranges of their key frames", () => {
    const sample = (text: string, isSync: boolean) => ({
      data: Buffer.from(text),
      isSync,
      durationTicks: 1,
      compositionTicks: 0,
    });
    const fragments = ["first key", "second key"].map((text, i) => ({
      sequenceNumber: i + 1,
      decodeTicks: i * 2,
      samples: [sample(text, true), sample("rest", false)],
    }));
    const { bytes, firstSamples } = mediaSegment(fragments);
    expect(firstSamples).toHaveLength(2);
    for (const [i, [offset, length]] of firstSamples.entries()) {
      const part = bytes.subarray(offset, offset + length);
      expect(part.toString("latin1", 4, 8)).toBe("moof");
      expect(part.toString("latin1").endsWith(["first key", "second key"][i]!)).toBe(true);
    }
  });

  test("an init has no edit list and no duration", () => {
    const init = initSegment({
      kind: "video",
      timescale: 30_000,
      widthPx: 640,
      heightPx: 360,
      colorMatrix: 1,
      avcConfig: Buffer.from([1, 0x64, 0, 0x1e, 0xff]),
    });
    expect(init.includes("elst")).toBe(false);
    expect(init.readUInt32BE(init.indexOf("mdhd") + 20)).toBe(0);
    expect(init.readUInt32BE(init.indexOf("mdhd") + 16)).toBe(30_000);
  });
});

test("x264's settings SEI is removed, pictures and other SEI stay", () => {
  const nal = (...bytes: number[]) => Buffer.from([0, 0, 0, bytes.length, ...bytes]);
  const [note, timing, picture] = [nal(6, 5, 3, 1, 2, 3), nal(6, 1, 1, 9), nal(0x65, 1, 2)];
  expect(withoutSettingsSei(Buffer.concat([note, timing, picture]))).toEqual(Buffer.concat([timing, picture]));
  expect(codecOf(Buffer.from([1, 0x64, 0x00, 0x28]))).toBe("avc1.640028");
});

test("a display matrix gives the clockwise rotation in quarter turns", () => {
  const matrix = (a: number, b: number, c: number, d: number) => {
    const out = Buffer.alloc(36);
    [a, b, 0, c, d, 0, 0, 0, 0x4000].forEach((value, i) =>
      out.writeInt32LE(value * 0x10000 > 0x7fff_ffff ? value : i === 8 ? 0x4000_0000 : value * 0x10000, i * 4),
    );
    return out;
  };
  expect([matrix(1, 0, 0, 1), matrix(0, 1, -1, 0), matrix(-1, 0, 0, -1), matrix(0, -1, 1, 0)].map(rotationOf)).toEqual([
    0, 90, 180, 270,
  ]);
  expect(rotationOf(null)).toBe(0);
});

test("all eight orientations of a display matrix are distinguished", () => {
  const matrix = (...[a, b, c, d]: [number, number, number, number]) => {
    const out = Buffer.alloc(36);
    for (const [at, value] of [a, b, 0, c, d, 0, 0, 0, 0x4000].entries()) out.writeInt32LE(value * 0x10000, at * 4);
    return orientationOf(out);
  };
  expect(matrix(-1, 0, 0, 1)).toEqual({ rotationDegrees: 0, isMirrored: true });
  expect(matrix(1, 0, 0, -1)).toEqual({ rotationDegrees: 180, isMirrored: true });
  expect(matrix(0, 1, 1, 0)).toEqual({ rotationDegrees: 270, isMirrored: true });
  expect(matrix(0, -1, -1, 0)).toEqual({ rotationDegrees: 90, isMirrored: true });
  expect(matrix(0, 2, -2, 0)).toEqual({ rotationDegrees: 90 });
  expect(matrix(0, 0, 0, 0)).toEqual({ rotationDegrees: 0 });
});

test("colour is converted only when players do not support it", () => {
  expect(colorPlan(1, 1080, null)).toEqual({ matrix: 1, isConverted: false });
  expect(colorPlan(6, 480, null)).toEqual({ matrix: 6, isConverted: false });
  expect(colorPlan(2, 480, null)).toEqual({ matrix: 6, isConverted: false });
  expect(colorPlan(2, 1080, null)).toEqual({ matrix: 1, isConverted: false });
  expect(colorPlan(9, 1080, null)).toEqual({ matrix: 1, isConverted: true });
  expect(colorPlan(9, 2160, "pq")).toEqual({ matrix: 1, isConverted: false });
});

test("a graph applies tone mapping, then rotation, then scaling", () => {
  const graph = scaleGraph(
    { hdr: "pq", rotationDegrees: 90 },
    [
      { widthPx: 360, heightPx: 640 },
      { widthPx: 180, heightPx: 320 },
    ],
    false,
  );
  expect(
    ["tonemap=", "transpose=clock", "split=2", "scale=360:640", "scale=180:320"].map((part) => graph.indexOf(part)),
  ).toEqual(
    ["tonemap=", "transpose=clock", "split=2", "scale=360:640", "scale=180:320"]
      .map((part) => graph.indexOf(part))
      .toSorted((a, b) => a - b),
  );
  expect(graph).not.toContain("-1");
});

test("sound keeps its rate family, and mono stays mono", () => {
  expect([22_050, 44_100, 88_200, 11_025, 48_000, 32_000, 96_000, 8_000].map(outputRateHz)).toEqual([
    44_100, 44_100, 44_100, 44_100, 48_000, 48_000, 48_000, 48_000,
  ]);
  expect([1, 2, 6, 8].map(outputChannels)).toEqual([1, 2, 2, 2]);
  expect([1, 2, 3].map((k) => nominalEnd(k, 48_000, { num: 4, den: 1 }))).toEqual([188, 375, 563]);
});

test("a child's memory and time limits grow with its work", () => {
  const base = {
    jobId: "j",
    assetId: "a",
    attempt: 1,
    callbackUrl: "http://worker.test",
    token: "t",
    expiresAt: 1,
    leaseMs: 1,
    clip: { startMs: 0, endMs: null },
  };
  const video = {
    streamIndex: 0,
    codec: "h264",
    rotationDegrees: 0,
    frameRate: { num: 30, den: 1 },
    variableFrameRate: false,
    interlaced: false,
    bitDepth: 8,
    hdr: null,
    startMs: 0,
    durationMs: 1e4,
    bitrateBps: 0,
  } as const;
  const job = (widthPx: number, heightPx: number, frameCount: number) =>
    limitsOf({
      ...base,
      kind: "video",
      video: { ...video, widthPx, heightPx },
      grid: { frameRate: video.frameRate, framesPerGop: 60, framesPerSegment: 120 },
      firstFrame: 0,
      frameCount,
      firstSegment: 0,
      rungs: [],
    });
  expect(job(1920, 1080, 60).rssBytes).toBe(1.5 * 2 ** 30);
  expect(job(3840, 2160, 60).rssBytes).toBeGreaterThan(4 * 2 ** 30);
  expect(job(1920, 1080, 6000).wallMs).toBeGreaterThan(job(1920, 1080, 60).wallMs);
});
