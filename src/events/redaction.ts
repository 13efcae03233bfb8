/** A string of JSON, and an object of strings: what `metadata` is, whose keys are the user's own. */
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const METADATA = String.raw`"metadata":\{(?:${STRING}:${STRING},?)*\}`;
/** Fields of live events that let somebody broadcast, here or at another platform. */
const SECRET = `"(streamKey|srtSecret|srtPlaybackSecret)":${STRING}`;
const METADATA_OR_SECRET = new RegExp(`${METADATA}|${SECRET}`, "g");

export const REDACTED = "redacted";

/** JSON with its secrets replaced. What is redacted already stays as it is, and so does `metadata`. */
export const redactSecrets = (json: string): string =>
  json.replace(METADATA_OR_SECRET, (found, field: string | undefined) =>
    field === undefined ? found : `"${field}":"${REDACTED}"`,
  );

/** An envelope with the data that was redacted in it put back. @param data JSON, as it was before it was redacted */
export function revealSecrets(body: string, data: string): string {
  const redacted = `"data":${redactSecrets(data)},"createdAt":`;
  const at = body.indexOf(redacted);
  if (at < 0) throw new Error("the sealed data is not that of the event");
  return `${body.slice(0, at)}"data":${data},"createdAt":${body.slice(at + redacted.length)}`;
}
