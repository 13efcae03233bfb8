/** One caption. `text` is the payload of a WebVTT cue: only the markup that `cleanMarkup` lets through. */
export interface Cue {
  startMs: number;
  endMs: number;
  /** WebVTT cue settings, for example `line:0 align:start`; "" = none. */
  settings: string;
  text: string;
}

/** C0 controls except tab and line feed, DEL, the BOM, and the replacement of half a surrogate pair. */
// oxlint-disable-next-line no-control-regex -- they are what it removes
const UNSHOWABLE = /[\u0000-\u0008\u000b-\u001f\u007f\ufeff]/g;

/** Text as the payload of a WebVTT cue shows it: without what no player can show, and with the characters of markup escaped. */
export const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(UNSHOWABLE, "")
    .replace(/[&<>]/g, (char) => (char === "&" ? "&amp;" : char === "<" ? "&lt;" : "&gt;"));
