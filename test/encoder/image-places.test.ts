/** Which picture gets an encoder's next place. */
import { expect, test } from "vitest";
import { Places } from "../../encoder/images/places.ts";

/** Takes a place for each workspace, in this order. @returns the numbers of those that have had their place, in order */
function takeFor(places: Places, workspaces: string): number[] {
  const served: number[] = [];
  for (const [n, workspace] of workspaces.split("").entries()) void places.take(workspace)?.then(() => served.push(n));
  return served;
}
const settled = () => new Promise((resolve) => void setImmediate(resolve));

test("the next place goes to the workspace that has the fewest, in the order of their requests", async () => {
  const places = new Places();
  const served = takeFor(places, "aaaab");
  await settled();
  expect(served).toEqual([0, 1]);
  places.leave("a");
  await settled();
  expect(served).toEqual([0, 1, 4]); // b has none yet
  places.leave("a");
  await settled();
  expect(served).toEqual([0, 1, 4, 2]);
  places.leave("b");
  await settled();
  expect(served).toEqual([0, 1, 4, 2, 3]);
});

test("a workspace whose pictures wait takes no place of another", () => {
  const places = new Places();
  const answers = Array.from({ length: 40 }, () => places.take("a") !== null);
  expect(answers.filter(Boolean)).toHaveLength(2 + 8);
  expect(places.take("b")).not.toBeNull();
});

test("a place that nobody waits for is free again", async () => {
  const places = new Places();
  takeFor(places, "ab");
  places.leave("a");
  places.leave("b");
  const served = takeFor(places, "cc");
  await settled();
  expect(served).toEqual([0, 1]);
});
