/** Projects that run one after another. */
export type Lane = readonly string[];

/**
 * They play, broadcast, restart and measure response times in real time, so they leave a part of the CPU free. A third lane beside players makes
 * them stall, so it ends before most of them begin. So do the crash tests and, for the live players, e2e.
 */
export const REAL_TIME: readonly Lane[] = [
  ["crash", "e2e", "live"],
  ["platform", "growing", "broadcast"],
  ["gateway", "conformance"],
];

/** Bound by the CPU: these tests wait for conditions, and may take longer. */
export const COMPUTING: readonly Lane[] = [["encoder", "fuzz", "pure"], ["worker"]];

export const PROJECTS: readonly string[] = [...REAL_TIME, ...COMPUTING].flat();

/** The project of a test file has the name of its folder, with two exceptions. */
export function projectOf(file: string): string {
  if (file.startsWith("test/e2e/live/")) return "live";
  return file === "test/e2e/growing.test.ts" ? "growing" : file.split("/")[1]!;
}
