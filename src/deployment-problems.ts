import { secretList } from "../protocol/secrets.ts";
import type { Env } from "./platform/env.ts";
import { VARIABLE_NAMES, variableProblem } from "./platform/variables.ts";
import { currentKeyId } from "./events/webhooks/records/secrets.ts";

type RequiredSecret = "JOB_SECRET" | "ENCODER_SECRET" | "WEBHOOK_KEYS";

/** Problems of the deployment's settings, described for its operator. Never contains the value of a secret. */
export const deploymentProblems = (env: Env): string[] => [
  ...Object.values(problemsOfSecrets(env)),
  ...variableProblems(env),
];

export const variableProblems = (env: Env): string[] =>
  VARIABLE_NAMES.flatMap((name) => variableProblem(name, env[name]) ?? []);

/** Problems of the secrets, by name. */
export function problemsOfSecrets(env: Env): Partial<Record<RequiredSecret, string>> {
  const checks: Record<RequiredSecret, () => unknown> = {
    JOB_SECRET: () => secretList("JOB_SECRET", env.JOB_SECRET),
    ENCODER_SECRET: () => secretList("ENCODER_SECRET", env.ENCODER_SECRET),
    WEBHOOK_KEYS: () => currentKeyId(env.WEBHOOK_KEYS ?? ""),
  };
  return Object.fromEntries(
    Object.entries(checks).flatMap(([name, check]) => {
      try {
        check();
        return [];
      } catch (error) {
        return [[name, error instanceof Error ? error.message : String(error)]];
      }
    }),
  );
}
