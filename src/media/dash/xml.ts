type Attributes = Record<string, string | number | boolean | null | undefined>;

/** An element. Attributes without a value are omitted; all values are escaped. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join("");
  return children.length === 0 ? `<${name}${list}/>` : `<${name}${list}>${children.join("")}</${name}>`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
export const escapeXml = (text: string) => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);

/** ISO 8601, to the millisecond. */
export const isoDuration = (seconds: number) => `PT${Number(seconds.toFixed(3))}S`;

/** The same, rounded up: for values that the standard defines as a maximum. */
export const isoDurationUp = (seconds: number) => isoDuration(Math.ceil(seconds * 1000 - 1e-6) / 1000);

/**
 * `mediaPresentationDuration`: the next whole millisecond above the media's end, even when the end is a whole millisecond. dash.js 5.2
 * treats a time at or past the announced end as the end of playback. If it checks before the media element has fired `ended`, it pauses
 * half a second earlier and never ends.
 */
export const isoEnd = (seconds: number) => `PT${(Math.floor(seconds * 1000 + 1e-6) + 1) / 1000}S`;
