import { z } from "@hono/zod-openapi";

/** `offset` is a page number, counted from 1 (media contract, Pagination). */
export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(50).default(10).openapi({ description: "Records on a page" }),
  offset: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .openapi({ description: "Number of the page, counted from 1" }),
  orderBy: z.enum(["asc", "desc"]).default("desc").openapi({ description: "By time of creation" }),
});

/** The query of lists without `orderBy`. */
export const NewestFirstQuery = PageQuery.omit({ orderBy: true });

export const Pagination = z
  .object({ totalRecords: z.int(), currentOffset: z.int(), offsetCount: z.int() })
  .openapi("Pagination");

/** @returns the total number of records, the requested page, and the number of pages (0 for an empty list) */
export const pagination = (total: number, page: number, limit: number): z.infer<typeof Pagination> => ({
  totalRecords: total,
  currentOffset: page,
  offsetCount: Math.ceil(total / limit),
});
