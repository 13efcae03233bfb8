/**
 * The envelope of successful API responses (media contract, conventions): its schemas for the OpenAPI document, and its values. For errors see
 * `problems.ts`.
 */
import { z } from "@hono/zod-openapi";
import { CursorPagination } from "./cursor.ts";
import { json } from "./openapi.ts";
import { Pagination } from "./pagination.ts";

/** The security requirement of routes that need an access token. */
export const security = [{ basic: [] }];

const succeeded = z.literal(true);

/** A response with these fields besides `success`. */
export const envelopeAnswer = <Fields extends z.ZodRawShape>(fields: Fields, description: string) => ({
  description,
  content: json(z.object({ success: succeeded, ...fields })),
});

/** One record. */
export const dataAnswer = <Data extends z.ZodType>(data: Data, description: string) =>
  envelopeAnswer({ data }, description);

/** A response without data. */
export const doneAnswer = (description: string) => envelopeAnswer({}, description);

/** One page of a list that is paged by number. */
export const pageAnswer = <Item extends z.ZodType>(item: Item, description: string) =>
  envelopeAnswer({ data: z.array(item), pagination: Pagination }, description);

/** One page of a list that is paged by cursor. */
export const cursorPageAnswer = <Item extends z.ZodType>(item: Item, description: string) =>
  envelopeAnswer({ data: z.array(item), pagination: CursorPagination }, description);

/** A response with these fields besides `success`. */
export const successWith = <Fields extends object>(fields: Fields) => ({ success: true as const, ...fields });
export const success = <Data>(data: Data) => ({ success: true as const, data });
export const successPage = <Item, Page>(data: Item[], pagination: Page) => ({
  success: true as const,
  data,
  pagination,
});
export const DONE = { success: true as const };
