/** Request parts used by routes of several domains. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../env.ts";

/** A UUID in the path. Callers may write it in upper case; records have it in lower case. */
export const uuidParam = (name: string) => z.uuid().openapi({ param: { name, in: "path" } });

/** The origin of this deployment: `PUBLIC_URL`, otherwise the origin of the request. */
export const publicUrlOf = (c: { env: Env; req: { url: string } }): string =>
  c.env.PUBLIC_URL || new URL(c.req.url).origin;

/** The token of `Authorization: Bearer`; empty when there is none. */
export const bearerOf = (c: Context): string => /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
