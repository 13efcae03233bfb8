import { z } from "@hono/zod-openapi";
import type { Scope } from "../questions/scope.ts";
import type { SeenError, ViewEngine } from "../questions/view-engine.ts";
import { errorKey } from "../questions/count-errors.ts";
import { errorId } from "./to-view.ts";

const facts = {
  percentage: z.number(),
  notes: z.string().openapi({ description: "Always empty" }),
  message: z.string(),
  lastSeen: z.string(),
  count: z.int(),
  code: z.string(),
};
export const PlaybackError = z
  .object({
    ...facts,
    id: z.string(),
    description: z.string().nullable().openapi({
      description: "The context that the player stated when the error was last seen; null = it stated none",
    }),
  })
  .openapi("PlaybackError");
export const TopError = z.object({ ...facts, uniqueViewersEffectedPercentage: z.number() }).openapi("TopError");

/** The errors that ended views, in descending frequency. `topErrors` is ordered by the share of viewers. */
export async function listErrors(engine: ViewEngine, scope: Scope, limit: number) {
  const { views, viewers, errors } = await engine.errors(scope);
  const mostFrequent = errors.toSorted((one, other) => other.count - one.count).slice(0, limit);
  const contexts = mostFrequent.length === 0 ? new Map() : await engine.errorContexts(scope, mostFrequent);
  const shown = (error: SeenError) => ({
    percentage: error.count / views,
    notes: "",
    message: error.message,
    lastSeen: new Date(error.lastMs).toISOString().replace("T", " ").replace("Z", ""),
    count: error.count,
    code: error.code,
  });
  return {
    errors: mostFrequent.map((error) => ({
      ...shown(error),
      id: String(errorId(error.code, error.message)),
      description: contexts.get(errorKey(error.code, error.message)) ?? null,
    })),
    topErrors: errors
      .toSorted((one, other) => other.viewers - one.viewers)
      .slice(0, limit)
      .map((error) => ({ ...shown(error), uniqueViewersEffectedPercentage: error.viewers / viewers })),
  };
}
