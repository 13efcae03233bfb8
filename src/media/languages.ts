const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** The English name of a language tag, "default" for an untagged track (contract/rest.md §2, tracks). */
export function languageName(code: string): string {
  if (code === "und" || code === "") return "default";
  try {
    return names.of(code) ?? code;
  } catch {
    return code; // not a well-formed tag
  }
}
