/** Which picture gets an encoder's next place. */
import { expect, test } from "vitest";
import { Places } from "../../encoder/images/places.ts";

const settled = () => new Promise((resolve) => void setImmediate(resolve));

/** Takes a place for each workspace, in this order. @returns the numbers of those that have had an answer, in order, as + or - */
function takeFor(places: Places, workspaces: string): string[] {
  const answers: string[] = [];
  for (const [n, workspace] of workspaces.split("").entries())
    void places.take(workspace).then((hasPlace) => answers.push(`${hasPlace ? "+" : "-"}${n}`));
  return answers;
}

test("the next place goes to the workspace that has the fewest, in the order of their requests", async () => {
  const places = new Places();
  const answers = takeFor(places, "aaaab");
  const leave = async (workspace: string) => {
    places.leave(workspace);
    await settled();
  };
  await settled();
  expect(answers).toEqual(["+0", "+1"]);
  await leave("a");
  expect(answers).toEqual(["+0", "+1", "+4"]); // b has none yet
  await leave("a");
  expect(answers).toEqual(["+0", "+1", "+4", "+2"]);
  await leave("b");
  expect(answers).toEqual(["+0", "+1", "+4", "+2", "+3"]);
});

test("a workspace has eight requests that wait", async () => {
  const answers = takeFor(new Places(), "a".repeat(12));
  await settled();
  expect(answers).toEqual(["+0", "+1", "-10", "-11"]);
});

test("a request that nobody waits for any more leaves its place in the queue", async () => {
  const places = new Places();
  const answers = takeFor(places, "aa");
  const gone = new AbortController();
  const left = places.take("b", gone.signal);
  const later = places.take("b");
  gone.abort();
  expect(await left).toBe(false);
  places.leave("a");
  expect(await later).toBe(true);
  expect(await places.take("c", AbortSignal.abort())).toBe(false);
  expect(answers).toEqual(["+0", "+1"]);
});

test("when as many wait as may, the newest of the workspace with the most gives way to one of a workspace with fewer", async () => {
  const places = new Places();
  const first = takeFor(places, `aa${"abcd".repeat(8)}`);
  await settled();
  expect(first).toEqual(["+0", "+1"]);
  const other = takeFor(places, "e");
  await settled();
  expect(first).toEqual(["+0", "+1", "-33"]);
  expect(other).toEqual([]);
  places.leave("a");
  places.leave("a");
  await settled();
  places.leave("b");
  await settled();
  expect(first).toEqual(["+0", "+1", "-33", "+3", "+2", "+4"]);
  expect(other).toEqual([]); // the others have waited longer
});

test("a place that nobody waits for is free again", async () => {
  const places = new Places();
  takeFor(places, "ab");
  places.leave("a");
  places.leave("b");
  const answers = takeFor(places, "cc");
  await settled();
  expect(answers).toEqual(["+0", "+1"]);
});
