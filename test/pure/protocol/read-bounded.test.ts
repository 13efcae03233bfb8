import { expect, test } from "vitest";
import { readBounded } from "../../../protocol/read-bounded.ts";

async function* pieces(lengths: readonly number[], onRead: () => void = () => {}) {
  for (const length of lengths) {
    onRead();
    yield new Uint8Array(length).fill(length);
  }
}

test("a body of exactly the bound is read whole, in order", async () => {
  expect(await readBounded(pieces([1, 3, 2]), 6)).toEqual(Uint8Array.of(1, 3, 3, 3, 2, 2));
  expect(await readBounded(pieces([]), 0)).toEqual(new Uint8Array(0));
});

test("nothing is read after the piece that exceeds the bound", async () => {
  let reads = 0;
  expect(
    await readBounded(
      pieces([4, 3, 1, 1], () => (reads += 1)),
      6,
    ),
  ).toBeNull();
  expect(reads).toBe(2);
});

test("a failing stream throws its own error", async () => {
  async function* broken() {
    yield new Uint8Array(1);
    throw new Error("reset");
  }
  await expect(readBounded(broken(), 6)).rejects.toThrow("reset");
});
