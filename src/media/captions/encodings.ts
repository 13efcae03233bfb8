/** The encodings that caption files have, by language. Names are labels of the WHATWG Encoding Standard. */

/** What the WHATWG calls Latin-1. */
export const LATIN = "windows-1252";

const CENTRAL = ["windows-1250", "iso-8859-2"];
const BALTIC = ["windows-1257", "iso-8859-13"];
const CYRILLIC = ["windows-1251", "koi8-r", "iso-8859-5", "ibm866", "x-mac-cyrillic"];
const CYRILLIC_U = ["windows-1251", "koi8-u", "iso-8859-5", "ibm866", "x-mac-cyrillic"];
const TURKIC = ["windows-1254"];
const HEBREW = ["windows-1255"];
const ARABIC = ["windows-1256", "iso-8859-6"];
const WESTERN = [LATIN, "iso-8859-15", "macintosh"];
const TRADITIONAL = ["big5", "gb18030"];

/** The most common one first: it counts when the text is as plausible in another one. */
const OF_LANGUAGE: Record<string, readonly string[]> = {
  ja: ["shift_jis", "euc-jp"],
  ko: ["euc-kr"],
  zh: ["gb18030", "big5"],
  yue: TRADITIONAL,
  th: ["windows-874"],
  el: ["windows-1253", "iso-8859-7"],
  vi: ["windows-1258"],
  // Serbian and Bosnian are written in both scripts.
  sr: [...CYRILLIC, ...CENTRAL],
  "sr-latn": CENTRAL,
  bs: [...CENTRAL, "windows-1251"],
  ro: [...CENTRAL, "iso-8859-16"],
  mt: [LATIN, "iso-8859-3"],
  eo: ["iso-8859-3"],
  cy: [LATIN, "iso-8859-14"],
  ...Object.fromEntries(["pl", "cs", "sk", "hu", "sl", "hr", "sq"].map((code) => [code, CENTRAL])),
  ...Object.fromEntries(["et", "lv", "lt"].map((code) => [code, BALTIC])),
  ...Object.fromEntries(["ru", "bg", "mk", "kk"].map((code) => [code, CYRILLIC])),
  ...Object.fromEntries(["uk", "be"].map((code) => [code, CYRILLIC_U])),
  ...Object.fromEntries(["tr", "az"].map((code) => [code, TURKIC])),
  ...Object.fromEntries(["he", "iw", "yi"].map((code) => [code, HEBREW])),
  ...Object.fromEntries(["ar", "fa", "ur"].map((code) => [code, ARABIC])),
};

/** @param languageCode BCP 47 */
export function encodingsOfLanguage(languageCode: string): readonly string[] {
  const code = languageCode.toLowerCase();
  const [language = "", ...subtags] = code.split("-");
  if (language === "zh" && !subtags.includes("hans") && subtags.some((one) => /^(?:hant|tw|hk|mo)$/.test(one)))
    return TRADITIONAL;
  const known = [`${language}-${subtags[0]}`, language].find((one) => Object.hasOwn(OF_LANGUAGE, one));
  return known === undefined ? WESTERN : OF_LANGUAGE[known]!;
}

/** For text that is none of its language: the language may be wrong, or UTF-8 may have a few damaged bytes. */
export const ANY_LANGUAGE: readonly string[] = [
  "utf-8",
  LATIN,
  ...CYRILLIC,
  "windows-1253",
  ...HEBREW,
  "windows-1256",
  "windows-874",
  "shift_jis",
  "euc-jp",
  "euc-kr",
  "gb18030",
  "big5",
  "windows-1250",
];

/** An alphabet, and its commonest letters, which tell it from another one whose letters have the same bytes. */
export interface Script {
  name: "latin" | "cyrillic" | "greek" | "hebrew" | "arabic" | "thai" | "japanese" | "korean" | "chinese" | "any";
  letter: RegExp;
  common: ReadonlySet<string> | null;
}

const script = (name: Script["name"], letter: RegExp, common = ""): Script => ({
  name,
  letter,
  common: common === "" ? null : new Set(common),
});

// The letters are four fifths of usual text; the Chinese characters a third of it, in both forms.
const LATIN_SCRIPT = script("latin", /\p{Script=Latin}/u);
const CYRILLIC_SCRIPT = script("cyrillic", /\p{Script=Cyrillic}/u, "оеаинтсрвлкмдпуяыьзбіОЕАИНТСРВЛКМДПУЯЫЬЗБІ");
const GREEK_SCRIPT = script("greek", /\p{Script=Greek}/u, "αοιετσνηυρπκλμςάέήίόύώΑΟΙΕΤΣΝΗΥΡΠΚΛΜΆΈΉΊΌΎΏ");
const HEBREW_SCRIPT = script("hebrew", /\p{Script=Hebrew}/u, "יוהלארתבשמםןנדכ");
const ARABIC_SCRIPT = script("arabic", /\p{Script=Arabic}/u, "اليمونرتبةعدسفهكأح");
const THAI_SCRIPT = script("thai", /\p{Script=Thai}/u);
const JAPANESE_SCRIPT = script("japanese", /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/u);
const KOREAN_SCRIPT = script("korean", /\p{Script=Hangul}/u);
const CHINESE_SCRIPT = script(
  "chinese",
  /\p{Script=Han}/u,
  "的一是不了在有我他她你您這个個們们中大来來上國国和地到說说時时要就出會会可也對对生能而子那得於于著着下自之年過过發发後后作里裡用道行所然家種种事成方多經经麼么去法學学如都同現现當当沒没動动面起看定天分還还進进好小部其些主樣样理心本前開开但因只從从想實实日軍军者意無无力它與与長长把機机十民第公此已工使情明性知全三又關关點点正業业外將将兩两高間间由問问很最重並并物手應应向頭头什文體体政美相見见被利什二等產产新己制身果加西斯月話话吗嗎呢吧啊谢謝请請今晚吃走快别別让讓给給再真誰谁找回電电先怎",
);
const ANY_SCRIPT = script("any", /\p{L}/u);

const SCRIPTS: [RegExp, Script][] = [
  [/^(?:windows-1251|koi8-[ru]|iso-8859-5|ibm866|x-mac-cyrillic)$/, CYRILLIC_SCRIPT],
  [/^(?:windows-1253|iso-8859-7)$/, GREEK_SCRIPT],
  [/^windows-1255$/, HEBREW_SCRIPT],
  [/^(?:windows-1256|iso-8859-6)$/, ARABIC_SCRIPT],
  [/^windows-874$/, THAI_SCRIPT],
  [/^(?:shift_jis|euc-jp)$/, JAPANESE_SCRIPT],
  [/^euc-kr$/, KOREAN_SCRIPT],
  [/^(?:gb18030|big5)$/, CHINESE_SCRIPT],
  [/^utf-8$/, ANY_SCRIPT],
];

/** The script that an encoding was made for. */
export const scriptOf = (encoding: string): Script =>
  SCRIPTS.find(([name]) => name.test(encoding))?.[1] ?? LATIN_SCRIPT;
