import { expect, test } from "vitest";
import { createBlockCache } from "../../../../src/library/sources/block-cache.ts";
import { virtualContent } from "../../../support/source-content.ts";
import { firstDifference } from "../../../support/virtual-file.ts";

const SIZE = 1050;
/** A cache of four blocks of 100 bytes over a file of 1,050. */
function cacheOf(read: (offset: number, length: number) => Promise<Uint8Array>) {
  const fetched: [number, number][] = [];
  const cache = createBlockCache(100, 400, (offset, length) => {
    fetched.push([offset, length]);
    return read(offset, length);
  });
  return { fetched, read: (offset: number, length: number) => cache.read(offset, length, SIZE) };
}
const file = virtualContent(SIZE);
const readFile = async (offset: number, length: number) => file.read(offset, length);

test("every range has its own bytes", async () => {
  const cache = cacheOf(readFile);
  for (let offset = 0; offset < SIZE; offset += 37) {
    for (const length of [1, 63, 100, 101, 399, 1000]) {
      const bytes = await cache.read(offset, Math.min(length, SIZE - offset));
      expect(bytes.byteLength).toBe(Math.min(length, SIZE - offset));
      expect(firstDifference(bytes, offset)).toBeNull();
    }
  }
});

test("adjacent blocks are fetched in one request, and the last one ends with the file", async () => {
  const cache = cacheOf(readFile);
  await cache.read(250, 300);
  await cache.read(1040, 10);
  expect(cache.fetched).toEqual([
    [200, 400],
    [1000, 50],
  ]);
});

test("cached blocks are not fetched again, only the missing ones", async () => {
  const cache = cacheOf(readFile);
  await cache.read(100, 100);
  await cache.read(120, 30);
  await cache.read(0, 300);
  expect(cache.fetched).toEqual([
    [100, 100],
    [0, 100],
    [200, 100],
  ]);
});

test("readers that want the same block at once share one request", async () => {
  const cache = cacheOf(readFile);
  const all = await Promise.all([cache.read(10, 20), cache.read(50, 120), cache.read(0, 200)]);
  expect(all.map((bytes) => bytes.byteLength)).toEqual([20, 120, 200]);
  expect(cache.fetched).toEqual([
    [0, 100],
    [100, 100],
  ]);
});

test("the least recently used block is evicted first", async () => {
  const cache = cacheOf(readFile);
  for (const block of [0, 2, 4, 6]) await cache.read(block * 100, 1);
  await cache.read(0, 1); // used again: now block 2 is the oldest
  await cache.read(800, 1);
  cache.fetched.length = 0;
  await cache.read(0, 1);
  expect(cache.fetched).toEqual([]);
  await cache.read(200, 1);
  expect(cache.fetched).toEqual([[200, 100]]);
});

test("a read larger than the whole cache succeeds", async () => {
  const bytes = await cacheOf(readFile).read(0, SIZE);
  expect(firstDifference(bytes)).toBeNull();
});

test("a failed fetch fails its readers and is tried again by the next one", async () => {
  let failures = 1;
  const cache = cacheOf(async (offset, length) => {
    if (failures-- > 0) throw new Error("broke off");
    return file.read(offset, length);
  });
  await expect(cache.read(0, 250)).rejects.toThrow("broke off");
  expect((await cache.read(0, 250)).byteLength).toBe(250);
});
