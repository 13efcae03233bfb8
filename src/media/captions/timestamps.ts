const pad = (value: number, digits: number) => String(value).padStart(digits, "0");

/** `HH:MM:SS.mmm`, with more digits of hours when needed. @param mark before the milliseconds: "." in WebVTT, "," in SRT */
export function timestamp(ms: number, mark: "." | "," = "."): string {
  const seconds = Math.floor(ms / 1000);
  return `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}${mark}${pad(ms % 1000, 3)}`;
}

const CLOCK = /^(-?)(?:(\d{1,6}):)?(\d{1,3}):(\d{1,3})(?:[.,:](\d{1,9}))?$/;

/** Milliseconds of `[-][H…:]M:S[.,fff]`, as WebVTT and SRT files write it; null = it is none. */
export function parseTimestamp(text: string): number | null {
  const [, sign, hours = "0", minutes, seconds, fraction = "0"] = CLOCK.exec(text) ?? [];
  if (minutes === undefined) return null;
  const wholeMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  const ms = wholeMs + Math.round(Number(`0.${fraction}`) * 1000);
  return sign === "-" ? -ms : ms;
}
