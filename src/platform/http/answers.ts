/**
 * The envelope of the API's answers (contract/rest.md §1): its schemas for the OpenAPI document, and its values. Problems have another one
 * (`problems.ts`).
 */
import { z } from "@hono/zod-openapi";
import { CursorPagination } from "./cursor.ts";
import { json } from "./openapi.ts";
import { Pagination } from "./pagination.ts";

/** Of a route that takes an access token. */
export const security = [{ basic: [] }];

const succeeded = z.literal(true);

/** One record. @param beside fields of the envelope besides `data` */
export const dataAnswer = <Data extends z.ZodType, Beside extends z.ZodRawShape = Record<never, never>>(
  data: Data,
  description: string,
  beside: Beside = {} as Beside,
) => ({ description, content: json(z.object({ success: succeeded, ...beside, data })) });

/** Nothing but that it succeeded. */
export const doneAnswer = (description: string) => ({
  description,
  content: json(z.object({ success: succeeded })),
});

/** One page of a list that is paged by number. */
export const pageAnswer = <Item extends z.ZodType>(item: Item, description: string) => ({
  description,
  content: json(z.object({ success: succeeded, data: z.array(item), pagination: Pagination })),
});

/** One page of a list that is paged by cursor. */
export const cursorPageAnswer = <Item extends z.ZodType>(item: Item, description: string) => ({
  description,
  content: json(z.object({ success: succeeded, data: z.array(item), pagination: CursorPagination })),
});

export const success = <Data>(data: Data) => ({ success: true as const, data });
export const successPage = <Item, Page>(data: Item[], pagination: Page) => ({
  success: true as const,
  data,
  pagination,
});
export const DONE = { success: true as const };
