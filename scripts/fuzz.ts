import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

const HELP = `npm run fuzz [-- --runs N] [--seed N] [--target NAME]: every fuzzer with many inputs from a new seed.

  --runs N       inputs of each target (50,000)
  --seed N       seed of the first input; it is printed, so that a run can be repeated
  --target NAME  only this target`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "50000" },
    seed: { type: "string" },
    target: { type: "string" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seed = values.seed ?? String(randomInt(1_000_000_000));
console.log(`${values.runs} inputs for ${values.target ?? "each target"}, seed ${seed}`);
const target: Record<string, string> = values.target === undefined ? {} : { FUZZ_TARGET: values.target };
const child = spawn("vitest", ["run", "--project", "fuzz", "--testTimeout=0"], {
  stdio: "inherit",
  env: { ...process.env, FUZZ_RUNS: values.runs, FUZZ_SEED: seed, ...target },
});
child.once("close", (code) => (process.exitCode = code ?? 1));
