import { nearestName } from "../../protocol/nearest-name.ts";
import { VARIABLE_NAMES, variableProblem } from "../../src/platform/variables.ts";
import { OPTIONAL_SECRETS, SECRET_NAMES } from "../secrets/fresh.ts";

const SECRETS: ReadonlySet<string> = new Set([...SECRET_NAMES, ...OPTIONAL_SECRETS]);

/**
 * @param config the content of wrangler.toml
 * @returns a text without a full stop for each missing and each unknown variable; `variableProblem` checks values
 */
export function variablesProblems({ vars = {} }: { vars?: Record<string, unknown> | undefined }): string[] {
  const known: readonly string[] = VARIABLE_NAMES;
  const unknown = Object.keys(vars).filter((name) => !known.includes(name));
  const meant = unknown.map((name) => (SECRETS.has(name) ? null : nearestName(name, known)));
  const missing = VARIABLE_NAMES.filter((name) => !(name in vars) && !meant.includes(name));
  return [
    ...unknown.map((name, index) => unknownProblem(name, meant[index] ?? null)),
    ...missing.flatMap((name) => variableProblem(name, undefined) ?? []).map((words) => `${words}, and is missing`),
  ];
}

function unknownProblem(name: string, meant: string | null): string {
  if (SECRETS.has(name)) return `${name} is a secret and belongs to .dev.vars or to the secrets of the deployment`;
  const hint =
    meant === null ? "; one of your own needs a rule in src/platform/variables.ts" : ` (did you mean ${meant}?)`;
  return `there is no variable ${name}${hint}`;
}
