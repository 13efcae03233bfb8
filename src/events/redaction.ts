/** In JSON. */
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
/** An object of strings. Its keys are the user's, so its values are not redacted. */
const METADATA = String.raw`"metadata":\{(?:${STRING}:${STRING},?)*\}`;
/** Credentials in live events: their holder can broadcast, here or on another platform. */
const SECRET = `"(streamKey|srtSecret|srtPlaybackSecret)":${STRING}`;
/** Every URL is looked at: that of an upload has a signature, which is the only credential of the upload. */
const URL_FIELD = `"url":${STRING}`;
const SIGNATURE = /([?&]signature=)[^&"]*/;
const METADATA_OR_SECRET = new RegExp(`${METADATA}|${SECRET}|${URL_FIELD}`, "g");

export const REDACTED = "redacted";

/** JSON with its secrets replaced. Idempotent; `metadata` stays as it is, and so does the rest of an upload URL. */
export const redactSecrets = (json: string): string =>
  json.replace(METADATA_OR_SECRET, (found, field: string | undefined) => {
    if (field !== undefined) return `"${field}":"${REDACTED}"`;
    const isUpload = found.startsWith(`"url"`) && found.includes("/uploads/");
    return isUpload ? found.replace(SIGNATURE, `$1${REDACTED}`) : found;
  });

/** Restores the redacted data of an envelope. @param data the original JSON */
export function revealSecrets(body: string, data: string): string {
  const redacted = `"data":${redactSecrets(data)},"createdAt":`;
  const at = body.indexOf(redacted);
  if (at < 0) throw new Error("the sealed data does not belong to the event");
  return `${body.slice(0, at)}"data":${data},"createdAt":${body.slice(at + redacted.length)}`;
}
