import type { EdgeParts } from "./parts.ts";

/**
 * Ends the session and its playlists, and answers waiting requests. When this returns, every segment is in R2; the last one may be short.
 *
 * @throws {Error} when an upload to R2 failed; call again
 */
export async function endSession(edge: EdgeParts): Promise<void> {
  edge.index.end();
  edge.onChange();
  await edge.uploads.run();
  await edge.uploads.run(); // an earlier run may have read the index before the end
  const { session, store } = edge.index;
  if (session !== null && store.unstored(1).length > 0)
    throw new Error("some segments of the session are not in R2 yet");
}
