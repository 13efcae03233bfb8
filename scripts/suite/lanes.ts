/** Projects that run one after another. */
export interface Lane {
  projects: readonly string[];
  /** `nice` value, 0 to 19: 19 gets what CPU time the others leave. */
  niceness: number;
}

/**
 * The lanes run concurrently. Those of niceness 0 play, broadcast and measure response times in real time, and use half of two cores. The others
 * are bound by the CPU: their tests wait for conditions, and may take longer. A third lane of niceness 0 makes players stall.
 */
export const LANES: readonly Lane[] = [
  { niceness: 0, projects: ["e2e", "live"] },
  { niceness: 0, projects: ["growing", "broadcast", "conformance", "gateway"] },
  { niceness: 10, projects: ["crash", "platform"] },
  { niceness: 19, projects: ["worker", "encoder", "fuzz", "pure"] },
];

export const PROJECTS: readonly string[] = LANES.flatMap(({ projects }) => projects);

/** The project of a test file has the name of its folder, with two exceptions. */
export function projectOf(file: string): string {
  if (file.startsWith("test/e2e/live/")) return "live";
  return file === "test/e2e/growing.test.ts" ? "growing" : file.split("/")[1]!;
}
