/** An attribute value: numbers and enumerated strings as they are, other strings quoted (RFC 8216 §4.2). */
export type AttributeValue = number | string | { quoted: string } | null | undefined;

export const quoted = (text: string) => ({ quoted: text });

/** Writes a tag with its attributes, without those that have no value. */
export function tag(name: string, attributes: Record<string, AttributeValue>): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === "object" ? `"${clean(value!.quoted)}"` : value}`);
  return `#${name}:${list.join(",")}`;
}

/** A quoted string cannot contain quotes or line breaks. */
const clean = (text: string) => text.replace(/"/g, "'").replace(/[\r\n]+/g, " ");

/** Durations in seconds with six decimals. Each is the difference of two rounded times, so rounding errors do not accumulate. */
export function segmentSeconds(durationTicks: number[], timescale: number): string[] {
  let ticks = 0;
  let micros = 0;
  return durationTicks.map((duration) => {
    ticks += duration;
    const end = Math.round((ticks * 1e6) / timescale);
    const seconds = ((end - micros) / 1e6).toFixed(6);
    micros = end;
    return seconds;
  });
}
