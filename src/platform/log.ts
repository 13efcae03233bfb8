/**
 * One structured line for one thing that happened, named `area.happened`, with ids. Never a secret, a token or a signed URL:
 * callers pass ids, not requests.
 */
export function log(event: string, fields: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}
