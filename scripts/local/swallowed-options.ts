/**
 * Without the `--`, npm takes options as its own and passes them on in the environment, without their values; `--dev`, which npm knows, it does
 * not pass on.
 *
 * @param names of options, without their dashes; one with a value is the last
 * @returns what is wrong, in one sentence with the right form; null = npm has taken none of them
 */
export function swallowedOptions(
  names: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  args: readonly string[] = process.argv.slice(2),
): string | null {
  const script = env["npm_lifecycle_event"];
  const taken = names.filter((name) => env[`npm_config_${name.replaceAll("-", "_")}`] === "true");
  if (script === undefined || taken.length === 0) return null;
  const words = [...taken.map((name) => `--${name}`), ...args.map((word) => (word.includes(" ") ? `"${word}"` : word))];
  return `Without -- in front, npm takes options as its own. Run: npm run ${script} -- ${words.join(" ")}`;
}
