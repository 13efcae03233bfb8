import { expect, test } from "vitest";
import { PendingRefusals } from "../../../src/analytics/beacons/refusals.ts";

test("the first refusal for a reason is stored at once, and a flood causes one write a minute with all of them", () => {
  const pending = new PendingRefusals();
  expect(pending.take("w", { not_json: 1 }, 0)).toEqual({ not_json: 1 });
  expect(pending.take("w", { not_json: 1 }, 1)).toBeNull();
  expect(pending.take("w", { no_view_id: 1 }, 2)).toEqual({ not_json: 1, no_view_id: 1 });
  const stored = Array.from({ length: 10_000 }, (_, n) => pending.take("w", { no_view_id: 2 }, n * 5));
  expect(stored.filter((counts) => counts !== null)).toEqual([]);
  expect(pending.take("w", {}, 60_000)).toEqual({ no_view_id: 20_000 });
  expect(pending.take("w", {}, 200_000)).toBeNull();
});

test("workspaces are counted separately, and valid reports cause no write", () => {
  const pending = new PendingRefusals();
  expect(pending.take("a", { not_json: 1 }, 0)).toEqual({ not_json: 1 });
  expect(pending.take("b", {}, 0)).toBeNull();
  expect(pending.take("b", { too_large: 1 }, 1)).toEqual({ too_large: 1 });
});

test("the memory holds a thousand workspaces", () => {
  const pending = new PendingRefusals();
  for (let n = 0; n < 1500; n += 1) pending.take(`w${n}`, { not_json: 1 }, 0);
  expect(pending.take("w0", { not_json: 1 }, 1)).not.toBeNull(); // it was evicted, and starts over
  expect(pending.take("w1499", { not_json: 1 }, 1)).toBeNull();
});
