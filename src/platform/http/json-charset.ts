import type { MiddlewareHandler } from "hono";

export const JSON_TYPE = "application/json;charset=UTF-8";

/** The content type that the contract's answers have (media contract, Bodies). Hono's has no character set. */
export const stateCharset: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.headers.get("content-type") === "application/json") c.res.headers.set("content-type", JSON_TYPE);
};
