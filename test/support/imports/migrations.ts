/** Calls of the migration API of a test platform. */
import type { TestPlatform } from "../platform.ts";

export interface Import {
  id: string;
  status: string;
  counts: Record<"total" | "pending" | "submitted" | "ready" | "failed" | "skipped", number>;
  problem?: { code: string; message: string };
  credentialId?: string;
}

export interface Item {
  sourceId: string;
  status: string;
  mediaId?: string;
  playbackId?: string;
  oldPlaybackIds: string[];
  error?: { code: string; message: string };
  differences: { field: string; message: string }[];
}

const POLL_MS = 100;

type Api = Pick<TestPlatform, "api">;

/** @throws when the API refuses it */
export async function createImport(platform: Api, body: object): Promise<Import> {
  const { status, body: answer } = await platform.api<Import>("POST", "/v1/imports", body);
  if (status !== 201) throw new Error(`the batch was refused: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** Polls a batch; the platform may be down in the meantime. @throws after `limitMs` */
export async function untilImport(
  platform: Api,
  id: string,
  isIt: (batch: Import) => boolean,
  limitMs: number,
): Promise<Import> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const batch = await platform.api<Import>("GET", `/v1/imports/${id}`).then(
      ({ status, body }) => (status === 200 ? body.data : null),
      () => null,
    );
    if (batch !== null && isIt(batch)) return batch;
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain: ${JSON.stringify(batch)}`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

/** Every item of a batch, page by page. */
export async function itemsOf(platform: Api, id: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ""; ;) {
    const { body } = await platform.api<Item[]>("GET", `/v1/imports/${id}/items?limit=100${cursor}`);
    items.push(...body.data);
    const { nextCursor } = (body as unknown as { pagination: { nextCursor: string | null } }).pagination;
    if (nextCursor === null) return items;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}
