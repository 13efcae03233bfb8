/** Projects that run one after another. */
export type Lane = readonly string[];

/**
 * Phases run one after another, the lanes of a phase concurrently. CPU-bound tests get the machine for themselves, as do the tests of the
 * conformance tester, which check response times to a tenth of a second. Tests of broadcasts, players and restarts mostly wait.
 */
export const PHASES: readonly (readonly Lane[])[] = [
  [["conformance", "pure", "fuzz", "worker", "encoder", "gateway", "growing"]],
  [["e2e"], ["platform", "crash"]],
];

export const PROJECTS: readonly string[] = PHASES.flat(2);

/** The project of a test file has the name of its folder, with one exception. */
export function projectOf(file: string): string {
  return file === "test/e2e/growing.test.ts" ? "growing" : file.split("/")[1]!;
}
