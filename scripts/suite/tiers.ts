/**
 * The two tiers of tests. `npm test` runs the default tier: each guarantee at least once, at the cheapest level that can see it break.
 * `npm run test:full` runs all tests. What only the full tier has is in a folder `full`, or has the tag `full` inside a file
 * (docs/decisions/0126-two-tiers-of-tests.md).
 */
export type Tier = "default" | "full";

/** A tag of Vitest (`vitest.config.ts`). */
export const FULL_TAG = "full";

const FULL_FOLDER = /\/full\//;

/** Whether the default tier leaves the file out. */
export const isFullOnly = (file: string): boolean => FULL_FOLDER.test(file);

/** Vitest's arguments that leave out what only the full tier has. */
export const vitestArguments = (tier: Tier): string[] =>
  tier === "full" ? [] : ["--exclude=**/full/**", `--tags-filter=!${FULL_TAG}`];

/** Inputs of each fuzz target, and the environment variable that sets them. */
export const fuzzRuns = (tier: Tier): { FUZZ_RUNS?: string } => (tier === "full" ? { FUZZ_RUNS: "1000" } : {});
