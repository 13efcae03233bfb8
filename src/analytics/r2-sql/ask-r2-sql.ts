import { z } from "zod";
import { Problem } from "../../platform/http/problems.ts";
import type { R2SqlSettings } from "./settings.ts";

const TIMEOUT_MS = 60_000;

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
  result: z
    .object({ rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))) })
    .nullish(),
});

export type AnswerRow = Record<string, string | number | boolean | null>;

/**
 * Runs one statement. 64-bit integers may be strings in the answer.
 *
 * @throws {Problem} unavailable; the cause names no value of the statement
 */
export async function askR2Sql(
  { url, token }: Pick<R2SqlSettings, "url" | "token">,
  query: string,
): Promise<AnswerRow[]> {
  const failed = (cause: string) =>
    new Problem("unavailable", "the views of this workspace cannot be asked for now", { cause: `R2 SQL: ${cause}` });
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ query }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw failed(error instanceof Error ? error.name : "no answer");
  });
  const answer = Answer.safeParse(await response.json().catch(() => null));
  if (!answer.success) throw failed(`status ${response.status} without a readable answer`);
  if (!answer.data.success || answer.data.result == null)
    throw failed(`status ${response.status}: ${reasonIn(answer.data.errors?.[0]?.message)}`);
  return answer.data.result.rows;
}

/** An error may quote the statement, whose literals can be ids of viewers. */
const reasonIn = (message = "no reason"): string => message.replaceAll(/'[^']*'?/g, "'…'").slice(0, 200);
