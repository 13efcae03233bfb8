/** Removes from answers of the API what would let an agent, or whoever reads along, do more than call tools. */

export const WITHHELD = "withheld";

const SECRET_FIELD = /(?:key|secret|passphrase|password|token|signature)$/i;
/** The addresses for encoders, each of which has the key of a stream. */
const SECRET_OBJECTS = new Set(["ingest"]);
/** Of signed addresses of common stores, too. */
const SECRET_PARAMETER = /(?:key|secret|passphrase|password|token|signature|credential|^sig|^streamid)$/i;
/** One parameter of an address within a text. The bound of its name keeps the search linear, as that of the user does. */
const PARAMETER = /([?&;])([^=&\s"'#?;]{1,64})=([^&\s"'#]+)/g;
/** User and password of an address. */
const USER = /:\/\/[^\s/@"']{1,256}@/g;
/** The key of a stream, whatever stands beside it: nothing else has this form. */
const STREAM_KEY = /[0-9a-f]{32}k[0-9a-f]{32}/g;
/** A JSON Web Token. The bound of its header, in which ours have a tenth of that, keeps the search linear. */
const TOKEN = /(?<!\w)eyJ[\w-]{1,512}\.[\w-]+\.[\w-]*/g;

/**
 * The answer with secrets replaced by `withheld`. The names of metadata are the workspace's own, and do not say what a value is. Pure.
 *
 * @param keeps names of fields that are returned as they are
 */
export function withoutSecrets(answer: unknown, keeps: ReadonlySet<string>): unknown {
  if (typeof answer === "string") return withoutCredentials(answer);
  if (Array.isArray(answer)) return answer.map((one) => withoutSecrets(one, keeps));
  if (typeof answer !== "object" || answer === null) return answer;
  const isOfWebhook = "webhookId" in answer;
  const safe = Object.entries(answer).map(([name, value]: [string, unknown]) => {
    if (keeps.has(name)) return [name, value];
    const isSecret = SECRET_FIELD.test(name) && typeof value === "string";
    if (isSecret || SECRET_OBJECTS.has(name) || (isOfWebhook && name === "url")) return [name, WITHHELD];
    return [name, name === "metadata" ? withMetadata(value, keeps) : withoutSecrets(value, keeps)];
  });
  return Object.fromEntries(safe) as object;
}

const withMetadata = (metadata: unknown, keeps: ReadonlySet<string>): unknown =>
  typeof metadata === "object" && metadata !== null
    ? Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, withoutSecrets(value, keeps)]))
    : metadata;

const withoutCredentials = (text: string): string =>
  text
    .replace(PARAMETER, (found, lead: string, name: string) =>
      SECRET_PARAMETER.test(name) ? `${lead}${name}=${WITHHELD}` : found,
    )
    .replace(USER, `://${WITHHELD}@`)
    .replace(STREAM_KEY, WITHHELD)
    .replace(TOKEN, WITHHELD);
