/** Projects that run one after another. */
export type Lane = readonly string[];

/**
 * Phases run one after another, the lanes of a phase concurrently. The first three are bound by the CPU: their tests wait for conditions, and may take
 * longer. `crash` is alone: beside its soaks, a platform of another lane does not start in time. The others play and broadcast in real time, so they
 * leave a part of the CPU free: a third lane beside players makes them stall. The live players stall beside any other project, even beside `pure` at a
 * low priority, so they are alone, and so is `conformance`, which measures answers.
 */
export const PHASES: readonly (readonly Lane[])[] = [
  [["crash"]],
  [["gateway"], ["platform"]],
  [["encoder", "fuzz"], ["worker"]],
  [["e2e"], ["broadcast", "growing", "pure"]],
  [["live", "conformance"]],
];

export const PROJECTS: readonly string[] = PHASES.flat(2);

/** The project of a test file has the name of its folder, with two exceptions. */
export function projectOf(file: string): string {
  if (file.startsWith("test/e2e/full/live/")) return "live";
  return file === "test/e2e/full/growing.test.ts" ? "growing" : file.split("/")[1]!;
}
