/** `npm run fuzz`: the fuzzers of test/fuzz with many inputs. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { integer, oneOf } from "../sdk/cli/terminal/command-line.ts";
import { runScript } from "./command/script.ts";

const TARGETS = readdirSync("test/fuzz/targets").map((file) => file.replace(/\.ts$/, ""));

const FUZZ = {
  name: "fuzz",
  about: "Runs every fuzzer with many inputs from a new seed.",
  options: {
    runs: integer("N", [1, 999_999_999], "inputs of each target", 50_000),
    seed: integer("N", [0, 999_999_999], "seed of the first input; it is printed, so that a run can be repeated"),
    target: oneOf("NAME", TARGETS, "only this target"),
  },
};

await runScript(FUZZ, ({ runs, seed = randomInt(1_000_000_000), target }) => {
  console.log(`${runs} inputs for ${target ?? "each target"}, seed ${seed}`);
  const child = spawn("vitest", ["run", "--project", "fuzz", "--testTimeout=0"], {
    stdio: "inherit",
    env: {
      ...process.env,
      FUZZ_RUNS: String(runs),
      FUZZ_SEED: String(seed),
      ...(target === undefined ? {} : { FUZZ_TARGET: target }),
    },
  });
  child.once("close", (code) => (process.exitCode = code ?? 1));
});
