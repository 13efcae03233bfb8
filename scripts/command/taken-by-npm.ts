import type { Options } from "../../sdk/cli/terminal/command-line.ts";

/** Options that npm has too: users set them for npm itself, in the environment or in .npmrc. */
const OF_NPM: ReadonlySet<string> = new Set(["yes"]);

/**
 * Without a `--` in front, npm takes options as its own. It passes them on in the environment, without the values that follow after a space.
 *
 * @returns what is wrong, in one sentence with the right command; null = npm has taken no option of the script
 */
export function takenByNpm(
  { options, variables = {} }: { options: Options; variables?: Readonly<Record<string, string>> },
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string | null {
  const script = env["npm_lifecycle_event"];
  if (script === undefined) return null;
  const given = (name: string) => env[`npm_config_${name.toLowerCase().replaceAll("-", "_")}`];
  const variable = Object.keys(variables).find((name) => given(name) !== undefined);
  if (variable !== undefined) {
    const value = given(variable) === "true" ? (args[0] ?? "…") : given(variable);
    return `${variable} is a variable, not an option. Run: ${variable}=${value} npm run ${script}`;
  }
  // Flags come first, so that the value of an option follows it.
  const names = Object.keys(options).toSorted((a, b) => Number(hasValue(options, a)) - Number(hasValue(options, b)));
  const taken = names.filter((name) => !OF_NPM.has(name) && given(name) === "true");
  if (taken.length === 0) return null;
  const words = [...taken.map((name) => `--${name}`), ...args.map((word) => (word.includes(" ") ? `"${word}"` : word))];
  return `Without -- in front, npm takes options as its own. Run: npm run ${script} -- ${words.join(" ")}`;
}

const hasValue = (options: Options, name: string): boolean => options[name]?.value !== null;
