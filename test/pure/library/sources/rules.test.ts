import { describe, expect, test } from "vitest";
import {
  bufferedPartBytesFor,
  copiedBytes,
  missingParts,
  partBytesFor,
  partRange,
  type RangedPlan,
} from "../../../../src/library/sources/copy-state.ts";
import { maxSourceBytes } from "../../../../src/library/sources/limits.ts";
import { SOURCE_RETRY_DELAYS_MS, sourceRetryDelayMs } from "../../../../src/library/sources/retry-schedule.ts";
import { SOURCE_ERRORS, SourceError } from "../../../../src/library/sources/source-errors.ts";
import {
  answeredFile,
  contentLength,
  isSameFile,
  parseContentRange,
  refusalOfStatus,
} from "../../../../src/library/sources/source-status.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const now = new Date("2026-11-20T12:00:00Z");

describe("parts", () => {
  test.each([1, 5 * MIB, 8 * MIB + 1, GIB, 5 * GIB, 7.9 * GIB, 100 * GIB, 1024 * GIB])(
    "of a file of %d bytes fit R2: at most 1,000 of them, 5 MiB to 5 GiB each",
    (totalBytes) => {
      const bytes = partBytesFor(totalBytes);
      expect(bytes).toBeGreaterThanOrEqual(5 * MIB);
      expect(bytes).toBeLessThanOrEqual(5 * GIB);
      expect(bytes % MIB).toBe(0);
      expect(Math.ceil(totalBytes / bytes)).toBeLessThanOrEqual(1000);
    },
  );

  test("of 5 GB are 8 MiB", () => {
    expect(partBytesFor(5e9)).toBe(8 * MIB);
  });

  test("that are buffered never exceed 32 MiB, and 10,000 of them hold 100 GiB", () => {
    expect(bufferedPartBytesFor(1000)).toBe(8 * MIB);
    expect(bufferedPartBytesFor(100 * GIB) * 10_000).toBeGreaterThanOrEqual(100 * GIB);
    expect(bufferedPartBytesFor(100 * GIB)).toBe(11 * MIB);
    expect(bufferedPartBytesFor(5000 * GIB)).toBe(32 * MIB);
  });

  test("are adjacent, and the last one ends with the file", () => {
    const size = 30 * MIB + 7;
    const file = { size, etag: null, lastModified: null };
    const plan: RangedPlan = { file, partBytes: 8 * MIB, etags: ["a", null, null, "d"] };
    const ranges = plan.etags.map((_, index) => partRange(plan, index + 1));
    expect(ranges.map(({ first }) => first)).toEqual([0, ...ranges.slice(0, -1).map(({ last }) => last + 1)]);
    expect(ranges.at(-1)?.last).toBe(size - 1);
    expect(missingParts(plan)).toEqual([2, 3]);
    expect(copiedBytes(plan)).toBe(8 * MIB + 6 * MIB + 7);
  });

  test("of the largest file need a state of at most 300 KB, with R2's longest ETags", () => {
    const etags = Array.from({ length: 1000 }, () => "x".repeat(256));
    const state = { upload: { ranged: { partBytes: 1, etags, file: { size: 1, etag: "e", lastModified: null } } } };
    expect(JSON.stringify(state).length).toBeLessThan(300_000);
  });
});

describe("retries", () => {
  test("take two to five minutes in all, with growing delays", () => {
    const total = SOURCE_RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(total).toBeGreaterThanOrEqual(120_000);
    expect(total).toBeLessThanOrEqual(300_000);
    expect([...SOURCE_RETRY_DELAYS_MS].sort((a, b) => a - b)).toEqual(SOURCE_RETRY_DELAYS_MS);
  });
  test("end", () => {
    expect(sourceRetryDelayMs(1)).toBe(2000);
    expect(sourceRetryDelayMs(SOURCE_RETRY_DELAYS_MS.length)).toBeGreaterThan(0);
    expect(sourceRetryDelayMs(SOURCE_RETRY_DELAYS_MS.length + 1)).toBeNull();
  });
  test("honour Retry-After up to five minutes", () => {
    expect(sourceRetryDelayMs(1, 30_000)).toBe(30_000);
    expect(sourceRetryDelayMs(3, 1000)).toBe(20_000);
    expect(sourceRetryDelayMs(1, 86_400_000)).toBe(300_000);
    expect(sourceRetryDelayMs(1, 30_000, 0.001)).toBe(30);
  });
});

describe("answers", () => {
  test.each([
    ["bytes 0-99/1000", { first: 0, last: 99, size: 1000 }],
    ["bytes 5-5/*", { first: 5, last: 5, size: null }],
    ["bytes */1000", null],
    ["items 0-9/10", null],
    ["bytes 0-99", null],
    ["bytes 0-9999999999999999/1", null],
    [null, null],
  ])("Content-Range %j", (value, range) => {
    expect(parseContentRange(value)).toEqual(range);
  });

  test("a weak ETag and a compressed length do not identify bytes", () => {
    const headers = new Headers({ etag: 'W/"a"', "content-length": "10", "content-encoding": "gzip" });
    expect(answeredFile({ status: 200, headers })).toEqual({ size: null, etag: null, lastModified: null });
    expect(contentLength(new Headers({ "content-length": "10", "content-encoding": "identity" }))).toBe(10);
    expect(contentLength(new Headers({ "content-length": "ten" }))).toBeNull();
  });

  test("two responses describe the same file unless a property stated by both differs", () => {
    const file = { size: 10, etag: '"a"', lastModified: "yesterday" };
    expect(isSameFile(file, { size: 10, etag: null, lastModified: null })).toBe(true);
    expect(isSameFile(file, { ...file, size: 11 })).toBe(false);
    expect(isSameFile(file, { ...file, etag: '"b"' })).toBe(false);
    expect(isSameFile(file, { ...file, lastModified: "today" })).toBe(false);
  });

  test.each([
    [521, "source_unreachable"],
    [522, "source_timed_out"],
    [525, "source_tls_failed"],
    [526, "source_tls_failed"],
    [530, "source_unresolvable"],
    [502, "source_unavailable"],
    [408, "source_unavailable"],
    [400, "source_bad_status"],
    [416, "source_length_mismatch"],
  ])("status %d is %s", (status, code) => {
    expect(refusalOfStatus(status, new Headers(), now).code).toBe(code);
  });

  test("a range of an empty file is source_empty", () => {
    expect(refusalOfStatus(416, new Headers({ "content-range": "bytes */0" }), now).code).toBe("source_empty");
  });
});

test("every error has a message that ends like a sentence, and states whether it is retryable", () => {
  for (const [code, { message, retryable }] of Object.entries(SOURCE_ERRORS)) {
    expect(code).toMatch(/^source_[a-z_]+$/);
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(retryable).toBeTypeOf("boolean");
  }
  expect(new SourceError("source_denied", { detail: "status 403" }).message).toMatch(/ \(status 403\)$/);
});

test.each(["", "0", "-1", "lots", "1.5", "NaN"])(
  "MAX_SOURCE_BYTES %j is refused, so that a typing error does not disable the limit",
  (value) => {
    expect(() => maxSourceBytes({ MAX_SOURCE_BYTES: value })).toThrow(RangeError);
  },
);
