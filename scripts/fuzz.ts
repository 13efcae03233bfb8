import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdir } from "node:fs/promises";
import { parseArgs } from "node:util";

const HELP = `npm run fuzz [-- --runs N] [--seed N] [--target NAME]: every fuzzer with many inputs from a new seed.

  --runs N       inputs of each target (50000)
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
const targets = (await readdir("test/fuzz/targets")).map((file) => file.replace(/\.ts$/, ""));
const isCount = (text: string) => /^\d{1,9}$/.test(text);
if (!isCount(values.runs) || Number(values.runs) === 0)
  refuse(`--runs is "${values.runs}"; it must be an integer from 1`);
if (!isCount(values.seed ?? "0")) refuse(`--seed is "${values.seed}"; it must be an integer from 0`);
if (values.target !== undefined && !targets.includes(values.target))
  refuse(`there is no target "${values.target}"; they are ${targets.join(", ")}`);

const seed = values.seed ?? String(randomInt(1_000_000_000));
console.log(`${values.runs} inputs for ${values.target ?? "each target"}, seed ${seed}`);
const target: Record<string, string> = values.target === undefined ? {} : { FUZZ_TARGET: values.target };
const child = spawn("vitest", ["run", "--project", "fuzz", "--testTimeout=0"], {
  stdio: "inherit",
  env: { ...process.env, FUZZ_RUNS: values.runs, FUZZ_SEED: seed, ...target },
});
child.once("close", (code) => (process.exitCode = code ?? 1));

function refuse(mistake: string): never {
  console.error(mistake);
  process.exit(2);
}
