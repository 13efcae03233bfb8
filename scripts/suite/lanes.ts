/** Projects that run one after another. */
export type Lane = readonly string[];

/**
 * Phases run one after another, the lanes of a phase concurrently. The first and the last phase play, broadcast, restart and measure response
 * times in real time, so they leave a part of the CPU free. The second is bound by the CPU: its tests wait for conditions, and may take
 * longer. A third lane beside players makes them stall, and so do the crash tests and, for the live players, e2e; beside tests that compute, a third lane takes as long as
 * it saves.
 */
export const PHASES: readonly (readonly Lane[])[] = [
  [["conformance", "crash"], ["platform"]],
  [
    ["encoder", "fuzz", "pure"],
    ["worker", "gateway"],
  ],
  [
    ["e2e", "live"],
    ["broadcast", "growing"],
  ],
];

export const PROJECTS: readonly string[] = PHASES.flat(2);

/** The project of a test file has the name of its folder, with two exceptions. */
export function projectOf(file: string): string {
  if (file.startsWith("test/e2e/live/")) return "live";
  return file === "test/e2e/growing.test.ts" ? "growing" : file.split("/")[1]!;
}
