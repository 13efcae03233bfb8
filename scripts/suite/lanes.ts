/** A lane's projects run one after another, and the lanes side by side. */
export interface Lane {
  /** What computes gets the time that is left over by what follows a clock: broadcasts, players, processes that come back. */
  niceness: number;
  projects: readonly string[];
}

/** About as long as each other on two cores. */
export const LANES: readonly Lane[] = [
  { niceness: 5, projects: ["worker", "encoder", "pure", "fuzz"] },
  { niceness: 0, projects: ["growing", "e2e"] },
  { niceness: 0, projects: ["platform"] },
  { niceness: 0, projects: ["crash", "gateway"] },
];

/** Judges when answers come, to a tenth of a second: of the lanes, only what computes runs beside it. */
export const FIRST = "conformance";

export const PROJECTS: readonly string[] = [FIRST, ...LANES.flatMap(({ projects }) => projects)];

/** The project of a test file is named like its folder, with one exception. */
export function projectOf(file: string): string {
  return file === "test/e2e/growing.test.ts" ? "growing" : file.split("/")[1]!;
}

/** The checks and the bundle run beside the lanes. */
export const CHECKS_NICENESS = 10;
