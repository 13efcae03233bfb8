/** Media with captions, and questions to the search of a workspace. */
import { createExecutionContext, env, runInDurableObject, waitOnExecutionContext } from "cloudflare:test";
import { expect, vi } from "vitest";
import type { SearchIndex } from "../../../../durable-objects/search-index.ts";
import type { SearchComponents } from "../../../../src/ai/search/components.ts";
import worker from "../../../../src/worker.ts";
import { addCaptionTrack } from "../../../../src/library/tracks/add-caption-track.ts";
import { newAsset } from "../../playback/playable.ts";
import type { TestWorkspace } from "../../workspace.ts";

export interface Hit {
  mediaId: string;
  trackId?: string;
  startMs?: number;
  endMs?: number;
  snippet: string;
}

export interface SearchAnswer {
  success: true;
  data: Hit[];
  pagination: { limit: number; nextCursor: string | null };
  isPartial: boolean;
  isIndexing: boolean;
  leftOutCaptions: number;
}

export async function newMedia(
  workspace: TestWorkspace,
  title: string | null = null,
  createdAt = new Date(),
): Promise<string> {
  const change = { workspaceId: workspace.id, title, createdAt, status: "ready", stage: "done" } as const;
  return (await newAsset(change)).assetId;
}

/** A caption for each text, two seconds each, from the first second on. */
const cuesOf = (texts: readonly string[]) =>
  texts.map((text, n) => ({ startMs: 1000 + n * 2000, endMs: 3000 + n * 2000, settings: "", text }));

export async function newTrack(assetId: string, texts: readonly string[], languageName = "English"): Promise<string> {
  const trackId = crypto.randomUUID();
  const labels = { languageCode: "en", languageName };
  const added = await addCaptionTrack(
    env,
    { assetId, trackId },
    labels,
    { cues: cuesOf(texts), skipped: 0 },
    new Date(),
  );
  expect(added).not.toBeNull();
  return trackId;
}

export const replaceText = (workspace: TestWorkspace, mediaId: string, trackId: string, text: string) =>
  workspace.request(
    "PUT",
    `/v1/on-demand/${mediaId}/tracks/${trackId}/vtt`,
    `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`,
    { "content-type": "text/vtt" },
  );

export async function runCron(): Promise<void> {
  const context = createExecutionContext();
  await worker.scheduled({ scheduledTime: Date.now(), cron: "* * * * *", noRetry() {} }, env);
  await waitOnExecutionContext(context);
}

const pendingOf = async (workspaceId: string) => {
  const select = env.DB.prepare("SELECT count(*) AS count FROM search_changes WHERE workspace_id = ?");
  return (await select.bind(workspaceId).first<{ count: number }>())!.count;
};

/** Waits until the index has taken all changes over, as the cron has it do. */
export async function indexed(...workspaces: TestWorkspace[]): Promise<void> {
  await runCron();
  for (const { id } of workspaces) await vi.waitUntil(async () => (await pendingOf(id)) === 0, { timeout: 20_000 });
}

export const pathOf = (q: string, more = "") => `/v1/on-demand/search?q=${encodeURIComponent(q)}${more}`;

export async function search(workspace: TestWorkspace, q: string, more = ""): Promise<SearchAnswer> {
  const answer = await workspace.request("GET", pathOf(q, more));
  expect([q, answer.status]).toEqual([q, 200]);
  return await answer.json<SearchAnswer>();
}

export const snippets = async (workspace: TestWorkspace, q: string): Promise<string[]> =>
  (await search(workspace, q)).data.map(({ snippet }) => snippet);

const objectOf = ({ id }: TestWorkspace) => env.SEARCH_INDEX.get(env.SEARCH_INDEX.idFromName(id));

/** Runs `work` on the components of a workspace's search index. */
export const withIndex = <T>(
  workspace: TestWorkspace,
  work: (components: SearchComponents) => T | Promise<T>,
): Promise<T> => runInDurableObject<SearchIndex, T>(objectOf(workspace), (object) => work(object.components));

/** What the index has in all, whether or not it is found. */
export const totalsOf = (workspace: TestWorkspace) => withIndex(workspace, ({ index }) => index.totals);
