import type { MiddlewareHandler } from "hono";
import { Problem } from "../../platform/http/problems.ts";

/** `timespan[0]`, `filterby[from]`; the contract's names have nothing in the brackets. */
const INDEXED = /^(timespan|filterby)\[.+\]$/;

/**
 * Refuses parameters that are repeated by index, as some libraries write arrays (media contract, analytics). As unknown parameters they would
 * be ignored, and the question would be about other views.
 *
 * @throws {Problem} invalid_timespan; validation_failed
 */
export const refuseIndexedNames: MiddlewareHandler = async (c, next) => {
  for (const field of new URL(c.req.url).searchParams.keys()) {
    const name = INDEXED.exec(field)?.[1];
    if (name === undefined) continue;
    const hint = `must be named \`${name}[]\`, and be repeated under that name`;
    const code = name === "timespan" ? "invalid_timespan" : "validation_failed";
    throw new Problem(code, hint, { fields: [{ field: field.slice(0, MAX_SHOWN), message: "is invalid", hint }] });
  }
  await next();
};

const MAX_SHOWN = 64;
