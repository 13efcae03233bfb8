import { Buffer } from "node:buffer";
import { insertWorkspace, newCredential, newWorkspace, text } from "../../scripts/workspaces/statements.ts";
import type { Env } from "../../src/platform/env.ts";

const ROWS_PER_STATEMENT = 50_000;

/** A workspace with this many ready assets, each with a playback ID. @returns its Basic credentials */
export async function seedWorkspace({ DB }: Env, assetCount: number): Promise<{ authorization: string }> {
  const [workspace, credential] = [newWorkspace("Bench"), newCredential("Bench")];
  await DB.batch(insertWorkspace(workspace, credential).map((statement) => DB.prepare(statement)));
  for (let from = 0; from < assetCount; from += ROWS_PER_STATEMENT) {
    const to = Math.min(assetCount, from + ROWS_PER_STATEMENT);
    const numbers = `WITH RECURSIVE numbers(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to})`;
    const id = (prefix: string) => `'${prefix}' || ${text(workspace.workspaceId)} || '-' || n`;
    await DB.batch([
      DB.prepare(`INSERT INTO assets (id, workspace_id, title, metadata, access_policy, max_resolution, media_quality, source_url,
        clip_start_ms, public_url, status, stage, duration_ms, created_at, updated_at, revision)
        ${numbers} SELECT ${id("a")}, ${text(workspace.workspaceId)}, 'Film ' || n, '{}', 'public', '1080p', 'standard',
        'http://127.0.0.1:9/film.mp4', 0, 'http://127.0.0.1', 'ready', 'done', 60000, 1e12 + n, 1e12 + n, 0 FROM numbers`),
      DB.prepare(`INSERT INTO playback_ids (id, kind, target_id, workspace_id, access_policy, created_at)
        ${numbers} SELECT ${id("p")}, 'asset', ${id("a")}, ${text(workspace.workspaceId)}, 'public', 1e12 + n FROM numbers`),
      // Search would take the titles over while the bench measures.
      DB.prepare(`DELETE FROM search_changes WHERE workspace_id = ${text(workspace.workspaceId)}`),
    ]);
  }
  const { username, password } = credential;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}
