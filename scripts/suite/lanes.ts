/** Projects that run one after another. */
export type Lane = readonly string[];

/**
 * One phase after another, the lanes of a phase side by side. What computes has the machine for itself, and so have the tests of the conformance
 * tester, which judge when answers come to a tenth of a second. Broadcasts, players and processes that come back mostly wait.
 */
export const PHASES: readonly (readonly Lane[])[] = [
  [["conformance", "pure", "fuzz", "worker", "encoder", "gateway", "growing"]],
  [["e2e"], ["platform", "crash"]],
];

export const PROJECTS: readonly string[] = PHASES.flat(2);

/** The project of a test file is named like its folder, with one exception. */
export function projectOf(file: string): string {
  return file === "test/e2e/growing.test.ts" ? "growing" : file.split("/")[1]!;
}
