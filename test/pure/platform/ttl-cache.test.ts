import { describe, expect, test } from "vitest";
import { TtlCache } from "../../../src/platform/ttl-cache.ts";

const keysOf = (cache: TtlCache<number>, keys: string[]) => keys.filter((key) => cache.get(key, 0) !== undefined);

describe("a cache with expiry", () => {
  test("forgets a value once its time is over", () => {
    const cache = new TtlCache<number>(2);
    cache.set("a", 1, 10);
    expect([cache.get("a", 9), cache.get("a", 10), cache.get("a", 9)]).toEqual([1, undefined, undefined]);
  });

  test("evicts the least recently written values", () => {
    const cache = new TtlCache<number>(2);
    for (const key of ["a", "b", "a", "c"]) cache.set(key, 1, 10);
    expect(keysOf(cache, ["a", "b", "c"])).toEqual(["a", "c"]);
  });

  test("may be bounded by the sizes of its values", () => {
    const cache = new TtlCache<number>(10, (size) => size);
    cache.set("a", 6, 10);
    cache.set("b", 4, 10);
    expect(keysOf(cache, ["a", "b"])).toEqual(["a", "b"]);
    cache.set("a", 3, 10); // instead of 6
    cache.set("c", 3, 10);
    expect(keysOf(cache, ["a", "b", "c"])).toEqual(["a", "b", "c"]);
    cache.set("d", 9, 10);
    expect(keysOf(cache, ["a", "b", "c", "d"])).toEqual(["d"]);
    cache.set("e", 11, 10);
    expect(keysOf(cache, ["d", "e"])).toEqual([]);
  });
});
