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

/** A tag of BCP 47 out of the language of a file, such as `de` of `ger` (ISO 639-2). `und` when it is none. */
export function languageTag(code: string): string {
  try {
    return Intl.getCanonicalLocales(code)[0] ?? "und";
  } catch {
    return "und";
  }
}
