export { languageTag } from "../../protocol/media/language-tag.ts";

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** The English name of a language tag, "default" for an untagged track (media contract, tracks). */
export function languageName(code: string): string {
  if (code === "und" || code === "") return "default";
  try {
    return names.of(code) ?? code;
  } catch {
    return code; // not a well-formed tag
  }
}
