/** Languages of Whisper by the names that some servers answer with (openai/whisper, tokenizer.py), with their codes of ISO 639. */
const NAMES =
  "english en chinese zh german de spanish es russian ru korean ko french fr japanese ja portuguese pt turkish tr polish pl catalan ca dutch nl arabic ar swedish sv italian it indonesian id hindi hi finnish fi vietnamese vi hebrew he ukrainian uk greek el malay ms czech cs romanian ro danish da hungarian hu tamil ta norwegian no thai th urdu ur croatian hr bulgarian bg lithuanian lt latin la maori mi malayalam ml welsh cy slovak sk telugu te persian fa latvian lv bengali bn serbian sr azerbaijani az slovenian sl kannada kn estonian et macedonian mk breton br basque eu icelandic is armenian hy nepali ne mongolian mn bosnian bs kazakh kk albanian sq swahili sw galician gl marathi mr punjabi pa sinhala si khmer km shona sn yoruba yo somali so afrikaans af occitan oc georgian ka belarusian be tajik tg sindhi sd gujarati gu amharic am yiddish yi lao lo uzbek uz faroese fo haitian-creole ht pashto ps turkmen tk nynorsk nn maltese mt sanskrit sa luxembourgish lb myanmar my tibetan bo tagalog tl malagasy mg assamese as tatar tt hawaiian haw lingala ln hausa ha bashkir ba javanese jw sundanese su cantonese yue".split(
    " ",
  );

const CODES = new Map<string, string>();
for (let at = 0; at < NAMES.length; at += 2) CODES.set(NAMES[at]!, NAMES[at + 1]!);
const KNOWN = new Set(CODES.values());

/** The code of a language that a server names in words or by a tag. Null = it is none that a speech model knows. */
export function languageCodeOf(name: unknown): string | null {
  if (typeof name !== "string") return null;
  const plain = name.trim().toLowerCase();
  const code = CODES.get(plain.replaceAll(" ", "-")) ?? spokenCodeOf(plain.replaceAll("_", "-"));
  return KNOWN.has(code) ? code : null;
}

/** Languages that speech models know by another code than the tags of tracks: Bokmål is their Norwegian. */
const SPOKEN: Record<string, string> = { nb: "no", iw: "he", in: "id", fil: "tl", jv: "jw" };

/** The code of what is spoken, by a tag such as `nb-NO`. */
export function spokenCodeOf(tag: string): string {
  const code = tag.split("-")[0]!.toLowerCase();
  return SPOKEN[code] ?? code;
}
