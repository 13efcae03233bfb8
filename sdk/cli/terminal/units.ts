/** Numbers in texts for people. Pure. */

/** `10 bytes`, `512 KB`, `12.3 MB`, `1.2 GB`, `3.4 TB`. */
export function sizeText(bytes: number): string {
  const whole = Math.ceil(bytes);
  if (whole < 1000) return whole === 1 ? "1 byte" : `${whole} bytes`;
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} KB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return bytes < 1e12 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e12).toFixed(1)} TB`;
}

/** `730 ms`, `12.3 s`. */
export const durationText = (ms: number): string =>
  ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time from `10m`, `24h`, or ISO 8601. @returns null for other texts */
export function timeOf(text: string, now: Date): Date | null {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return new Date(now.getTime() - Number(count) * UNITS_MS[unit]!);
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms);
}

/** Replaces control characters: titles and names come from other people, and a terminal would act on them. */
export const plain = (text: string): string => text.replace(/\p{C}/gu, "�").slice(0, 200);

/** `1,234`. */
export const countText = (count: number): string => count.toLocaleString("en-US");

/** `$1,234.50`. */
export const usdText = (usd: number): string =>
  `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** `45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`: as exact as somebody needs who waits for it. */
export function waitText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
}
