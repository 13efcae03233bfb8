/** Amounts for people. Pure. */

const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];

/** "1.5 GB", by powers of 1,000. */
export function bytesWords(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${UNITS[power]}`;
}

/** "45 s", "3 h 20 min", rounded up, as `waitText` of the command says it. */
export function durationWords(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
}

/** Of videos, in hours to the hundredth: "less than 0.01", "2.35", "210", as the text of the command says it. */
export function hoursWords(hours: number, videos: number): string {
  if (hours === 0 && videos > 0) return "less than 0.01";
  return hours.toLocaleString("en-US", { maximumFractionDigits: hours < 10 ? 2 : 0 });
}

/** With a full stop at its end, unless it has an end. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export const usdWords = (usd: number): string =>
  `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
