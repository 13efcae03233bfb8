/** Pages that a task of the cron looks at in turn, so that rows which stay do not keep it from the others. */
export interface Turn {
  /** Rows of a page. */
  limit: number;
  now: Date;
}

const CRON_MS = 60_000;

/** Which rows have their turn: in as many minutes as there are pages, each page has one. @param count of all rows */
export const rowsOfTurn = (count: number, { limit, now }: Turn): { limit: number; offset: number } => ({
  limit,
  offset: (Math.floor(now.getTime() / CRON_MS) % Math.max(1, Math.ceil(count / limit))) * limit,
});
