import { expect, test } from "vitest";
import { figuresText, sizeText, timeText, UploadSpeed } from "../../../player/upload-figures.ts";

test("sizes have three digits, and times round up", () => {
  expect([0, 999, 1000, 12_340_000, 123_456_789, 20e9].map(sizeText)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "12.3 MB",
    "123 MB",
    "20.0 GB",
  ]);
  expect([0.2, 59, 61, 3599, 3601].map(timeText)).toEqual(["1 s", "59 s", "2 min", "1 h 0 min", "1 h 1 min"]);
});

test("the speed is the average of the last seconds, and begins anew after a pause", () => {
  const speed = new UploadSpeed();
  speed.add(0, 0);
  expect(speed.bytesPerSecond).toBeNull();
  for (let second = 1; second <= 20; second += 1) speed.add(second * 1000, second * 1000);
  expect(speed.bytesPerSecond).toBe(1000);
  for (let second = 21; second <= 40; second += 1) speed.add(20_000 + (second - 20) * 3000, second * 1000);
  expect(speed.bytesPerSecond).toBe(3000);
  expect(figuresText(80_000, 200_000, speed.bytesPerSecond)).toBe("80.0 kB of 200 kB, 3.0 kB/s, 40 s left");
  speed.reset();
  expect(figuresText(80_000, 200_000, speed.bytesPerSecond)).toBe("80.0 kB of 200 kB");
});
