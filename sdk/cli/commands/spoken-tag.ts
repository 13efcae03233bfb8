/** The platform has Arabic as it is spoken in one region, which is not the likely one. */
const REGIONS: Record<string, string> = { ar: "ar-SA" };

/** The tag with a region, which the platform asks for: that of the most speakers for a bare language such as `de`. */
export function spokenTag(language: string): string {
  if (!/^[a-z]{2,3}$/i.test(language)) return language;
  const code = language.toLowerCase();
  try {
    const { region } = new Intl.Locale(code).maximize();
    return REGIONS[code] ?? (region === undefined ? language : `${code}-${region}`);
  } catch {
    return language; // the platform names the mistake
  }
}
