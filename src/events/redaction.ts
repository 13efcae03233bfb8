/** In JSON. */
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
/** An object of strings. Its keys are the user's, so its values are not redacted. */
const METADATA = String.raw`"metadata":\{(?:${STRING}:${STRING},?)*\}`;
/** Credentials in live events: their holder can broadcast, here or on another platform. */
const SECRET = `"(streamKey|srtSecret|srtPlaybackSecret)":${STRING}`;
const METADATA_OR_SECRET = new RegExp(`${METADATA}|${SECRET}`, "g");

export const REDACTED = "redacted";

/** JSON with its secrets replaced. Idempotent; `metadata` stays as it is. */
export const redactSecrets = (json: string): string =>
  json.replace(METADATA_OR_SECRET, (found, field: string | undefined) =>
    field === undefined ? found : `"${field}":"${REDACTED}"`,
  );

/** Restores the redacted data of an envelope. @param data the original JSON */
export function revealSecrets(body: string, data: string): string {
  const redacted = `"data":${redactSecrets(data)},"createdAt":`;
  const at = body.indexOf(redacted);
  if (at < 0) throw new Error("the sealed data does not belong to the event");
  return `${body.slice(0, at)}"data":${data},"createdAt":${body.slice(at + redacted.length)}`;
}
