/** Fields of live events that let somebody broadcast, here or at another platform. */
const SECRET = /"(streamKey|srtSecret|srtPlaybackSecret)":"(?:[^"\\]|\\.)*"/g;

export const REDACTED = "redacted";

/** JSON with its secrets replaced. What is redacted already stays as it is. */
export const redactSecrets = (json: string): string => json.replace(SECRET, `"$1":"${REDACTED}"`);

/** An envelope with the data that was redacted in it put back. @param data JSON, as it was before it was redacted */
export function revealSecrets(body: string, data: string): string {
  const redacted = `"data":${redactSecrets(data)},"createdAt":`;
  const at = body.indexOf(redacted);
  if (at < 0) throw new Error("the sealed data is not that of the event");
  return `${body.slice(0, at)}"data":${data},"createdAt":${body.slice(at + redacted.length)}`;
}
