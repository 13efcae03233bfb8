import { secretList } from "../protocol/secrets.ts";
import type { Env } from "./platform/env.ts";
import { VARIABLE_NAMES, variableProblem } from "./platform/variables.ts";
import { currentKeyId } from "./events/webhooks/records/secrets.ts";

/** Problems of the deployment's settings, described for its operator. Never contains the value of a secret. */
export const deploymentProblems = (env: Env): string[] => [...secretProblems(env), ...variableProblems(env)];

export const variableProblems = (env: Env): string[] =>
  VARIABLE_NAMES.flatMap((name) => variableProblem(name, env[name]) ?? []);

export function secretProblems(env: Env): string[] {
  const secrets = [
    () => void secretList("JOB_SECRET", env.JOB_SECRET),
    () => void secretList("ENCODER_SECRET", env.ENCODER_SECRET),
    () => void currentKeyId(env.WEBHOOK_KEYS ?? ""),
  ];
  return secrets.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
}
