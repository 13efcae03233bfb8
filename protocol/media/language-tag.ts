/** A tag of BCP 47 out of the language of a file, such as `de` of `ger` (ISO 639-2). `und` when it is none. */
export function languageTag(code: string): string {
  try {
    return Intl.getCanonicalLocales(code)[0] ?? "und";
  } catch {
    return "und";
  }
}
