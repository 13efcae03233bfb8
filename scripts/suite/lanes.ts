/** Projects that run one after another. */
export type Lane = readonly string[];

/** Lanes that run concurrently. */
export type Phase = readonly Lane[];

/**
 * They play, broadcast, restart and measure response times in real time, so they leave a part of the CPU free. The phases run one after another. A third
 * lane beside players makes them stall, and so do the crash tests and, for the live players, e2e.
 */
export const REAL_TIME: readonly Phase[] = [
  [
    ["conformance", "crash"],
    ["growing", "platform"],
  ],
  [["e2e", "live"], ["broadcast"]],
];

/** Bound by the CPU: these tests wait for conditions, and may take longer. */
export const COMPUTING: Phase = [
  ["encoder", "fuzz", "pure"],
  ["worker", "gateway"],
];

export const PROJECTS: readonly string[] = [...REAL_TIME.flat(2), ...COMPUTING.flat()];

/** The project of a test file has the name of its folder, with two exceptions. */
export function projectOf(file: string): string {
  if (file.startsWith("test/e2e/live/")) return "live";
  return file === "test/e2e/growing.test.ts" ? "growing" : file.split("/")[1]!;
}
