import { describe, expect, test } from "vitest";
import { CaptionsError } from "../../../../src/media/captions/cue.ts";
import { readCaptions } from "../../../../src/media/captions/read-captions.ts";
import { encodeAs } from "./encoder.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const cuesOf = (text: string, language = "en") =>
  readCaptions(bytesOf(text), language).cues.map(({ startMs, endMs, settings, text: payload }) =>
    [startMs, endMs, ...(settings === "" ? [] : [settings]), payload].join(" | "),
  );
const errorOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof CaptionsError) return error.code;
    throw error;
  }
  return "none";
};

describe("SRT", () => {
  test.each(["constructor", "__proto__", "toString", "mauve"])("a font of the colour %s has no colour", (colour) => {
    const file = `1\n00:00:01,000 --> 00:00:02,000\n<font color=${colour}>text</font>\n`;
    expect(cuesOf(file)).toEqual(["1000 | 2000 | text"]);
  });

  test("numbers, empty lines inside a cue, positions and colours", () => {
    const file = `\uFEFF1\r\n00:00:01,000 --> 00:00:02,500 X1:40\r\n<i>First</i> line\r\n\r\nafter a gap\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}{\\i1}Top <font color="#FFFF00">yellow</font> <font face=Arial>plain</font>\r\n42\r\n`;
    expect(cuesOf(file)).toEqual([
      "1000 | 2500 | <i>First</i> line\nafter a gap",
      "3000 | 4000 | line:0 | Top <c.yellow>yellow</c> plain\n42",
    ]);
  });

  test("overlapping and unsorted cues are kept in the order of their start; negative times are cut at 0", () => {
    const file = `1\n00:00:05,000 --> 00:00:09,000\nlater\n\n2\n-00:00:02,000 --> 00:00:01,000\nbefore\n\n3\n00:00:04,000 --> 00:00:08,000\nearlier\n\n4\n00:00:08,000 --> 00:00:07,000\nbackwards\n`;
    expect(cuesOf(file)).toEqual(["0 | 1000 | before", "4000 | 8000 | earlier", "5000 | 9000 | later"]);
    expect(readCaptions(bytesOf(file), "en").skipped).toBe(1);
  });

  test("hours beyond a day, short fractions and a point instead of the comma", () => {
    expect(cuesOf("1\n25:00:01.5 --> 25:00:02,25\nx\n")).toEqual(["90001500 | 90002250 | x"]);
  });
});

describe("WebVTT", () => {
  test("settings that are known stay; styles, notes and regions are left out", () => {
    const file = `WEBVTT - title\n\nSTYLE\n::cue { background-image: url(https://tracker.test/x) }\n\nREGION\nid:fred\n\nNOTE\n00:00:00.000 is no cue\n\nfirst\n00:01.000 --> 00:02.000 position:10%,line-left align:middle size:35% region:fred line:-1\n<v.loud Mary &amp; <b>Sue</b>>Hi</v> <00:00:01.500><c.x>there</c>\n`;
    expect(cuesOf(file)).toEqual([
      "1000 | 2000 | line:-1 position:10%,line-left size:35% align:center | &lt;v.loud Mary &amp; <b>Sue</b>&gt;Hi <00:00:01.500><c.x>there</c>",
    ]);
  });

  test("character references are read once and written again", () => {
    expect(cuesOf("WEBVTT\n\n00:01.000 --> 00:02.000\n&lt;script&gt; &amp;lt; &#x41;&nbsp;&rlm;\n")).toEqual([
      "1000 | 2000 | &lt;script&gt; &amp;lt; A\u00a0\u200f",
    ]);
  });
});

test("TTML: clock times, offsets, frames, ticks, nested times, spans and regions", () => {
  const file = `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" ttp:frameRate="25" ttp:tickRate="1000" xml:lang="en">
<head><styling><style xml:id="s" tts:fontStyle="italic"/></styling><layout><region xml:id="top" tts:displayAlign="before" tts:origin="10% 10%"/></layout></head>
<body><div begin="10s">
<p begin="00:00:01:05" end="00:00:02.000">One &amp;<br/>   <span style="s">two</span></p>
<p begin="3000t" dur="500ms" region="top" tts:fontWeight="bold">three</p>
<p><span begin="5s" end="6s">four</span><span begin="6s" end="150f">none</span></p>
</div></body></tt>`;
  expect(cuesOf(file)).toEqual([
    "11200 | 12000 | One &amp;\n<i>two</i>",
    "13000 | 13500 | line:0 | <b>three</b>",
    "15000 | 16000 | four",
  ]);
});

test("TTML: colours that WebVTT has classes for, of styles, paragraphs and spans", () => {
  const file = `<tt xmlns:tts="http://www.w3.org/ns/ttml#styling"><head><styling><style xml:id="y" tts:color="#FFFF00FF"/></styling></head><body tts:color="white">
<p begin="1s" end="2s" style="y">one <span tts:color="rgb(0, 255, 255)">two <span tts:color="white" tts:fontStyle="italic">three</span></span></p>
<p begin="2s" end="3s">plain <span tts:color="Lime">four</span> <span tts:color="#123456">five</span></p></body></tt>`;
  expect(cuesOf(file)).toEqual([
    "1000 | 2000 | <c.yellow>one </c><c.cyan>two </c><i>three</i>",
    "2000 | 3000 | plain <c.lime>four </c>five",
  ]);
});

test("SCC: pop-on and roll-up captions, italics, special characters, doubled control words", () => {
  const file = `Scenarist_SCC V1.0\n\n00:00:01:00\t9420 9420 94ae 94ae 9152 9152 c8e9 9137 9137 942f 942f\n\n00:00:02;00\t942c 942c\n\n00:00:03:00\t9425 9425 94ad 94ad 9470 9470 4fee e580 94ad 94ad 9470 9470 54f7 ef80\n\n00:00:05:00\t942c 942c\n`;
  const texts = readCaptions(bytesOf(file), "en").cues.map(({ text }) => text);
  expect(texts[0]).toMatch(/^<i>|^Hi♪/);
  expect(texts).toContain("One");
  expect(texts.at(-1)).toBe("One\nTwo");
});

describe("text encodings", () => {
  const head = "1\n00:00:01,000 --> 00:00:02,000\n";
  const single = (codes: number[]) => Uint8Array.from([...bytesOf(head), ...codes]);
  const wide = (text: string, isLittle: boolean, hasMark: boolean) => {
    const view = new DataView(new ArrayBuffer(2 * text.length + (hasMark ? 2 : 0)));
    const units = hasMark ? `\uFEFF${text}` : text;
    for (let at = 0; at < units.length; at += 1) view.setUint16(2 * at, units.charCodeAt(at), isLittle);
    return new Uint8Array(view.buffer);
  };

  test.each<[string, string, Uint8Array, string, string]>([
    ["UTF-8", "fr", bytesOf(`${head}Café`), "utf-8", "Café"],
    ["UTF-16 with a mark", "pl", wide(`${head}żółw`, false, true), "utf-16be", "żółw"],
    ["UTF-16 without a mark", "pl", wide(`${head}żółw`, true, false), "utf-16le", "żółw"],
    ["Latin-1", "fr", single([0x43, 0x61, 0x66, 0xe9]), "windows-1252", "Café"],
    ["Central European", "cs", single([0x9e, 0x6c, 0x75, 0x9d]), "windows-1250", "žluť"],
    ["Cyrillic", "ru-RU", single([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), "windows-1251", "Привет"],
    ["Cyrillic under another language", "en", single([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), "windows-1251", "Привет"],
    ["Greek", "el", single([0xc3, 0xe5, 0xe9, 0xe1]), "windows-1253", "Γεια"],
    ["Hebrew", "he-IL", single([0xf9, 0xec, 0xe5, 0xed]), "windows-1255", "שלום"],
    ["Japanese", "ja-JP", single([0x93, 0xfa, 0x96, 0x7b]), "shift_jis", "日本"],
  ])("%s is detected and said", (_, language, bytes, encoding, text) => {
    const captions = readCaptions(bytes, language);
    expect([captions.encoding, captions.cues[0]!.text]).toEqual([encoding, text]);
  });
});

describe("sentences of a language in each encoding that its files have", () => {
  const RUSSIAN = "Привет, как дела?\nЯ не знаю, что тебе сказать.\nМы идём домой завтра утром.";
  const UKRAINIAN = "Привіт, як справи?\nЯ не знаю, що тобі сказати. Їжак їсть яблуко.";
  const POLISH = "Dzień dobry, jak się masz?\nNie wiem, co powiedzieć. Idź już, proszę, śpię źle.\nŁadnie, Świetnie!";
  const CZECH = "Dobrý den, jak se máte?\nPříliš žluťoučký kůň úpěl ďábelské ódy. Šťastnou cestu, Žofie!";
  const ARABIC = "مرحبا، كيف حالك؟\nلا أعرف ماذا أقول لك";
  const FRENCH = "Ma sœur a un grand cœur.\nÇa coûte 10 €, n'est-ce pas ? L'été à l'Œuvre.";
  const SERBIAN = "Dobar dan, kako ste?\nNe znam šta da kažem. Čekaj, đače, ići ću kući.";
  const TAIWAN = "你好，今天晚上吃什麼？\n我不知道該說什麼。謝謝你們來看我。";
  const CHINA = "你好，今天晚上吃什么？\n我不知道该说什么。谢谢你们来看我。";
  const JAPANESE = "こんにちは、元気ですか？\n私は何も知りません。明日また会いましょう。";
  const KOREAN = "안녕하세요, 잘 지내세요?\n무슨 말을 해야 할지 모르겠어요.";
  const GREEK = "Γεια σου, τι κάνεις;\nΔεν ξέρω τι να πω. Άσε με ήσυχο, Ώρα καλή.";

  test.each<[string, string, string]>([
    ["windows-1251", "ru", RUSSIAN],
    ["windows-1251", "ru", RUSSIAN.toUpperCase()],
    ["koi8-r", "ru", RUSSIAN],
    ["koi8-r", "ru", RUSSIAN.toUpperCase()],
    ["koi8-r", "en", RUSSIAN],
    ["iso-8859-5", "ru", RUSSIAN],
    ["ibm866", "ru", RUSSIAN],
    ["ibm866", "ru", RUSSIAN.toUpperCase()],
    ["x-mac-cyrillic", "ru", RUSSIAN],
    ["windows-1251", "uk", UKRAINIAN],
    ["koi8-u", "uk", UKRAINIAN],
    ["windows-1250", "pl", POLISH],
    ["iso-8859-2", "pl", POLISH],
    ["windows-1250", "cs-CZ", CZECH],
    ["iso-8859-2", "cs-CZ", CZECH],
    ["windows-1256", "ar", ARABIC],
    ["iso-8859-6", "ar", ARABIC],
    ["windows-1252", "fr", FRENCH],
    ["windows-1252", "en", "“Don’t,” she said – 2½ cups, 50° – and left… ¿Qué? ©"],
    ["windows-1252", "de", "ÄRGER GRÖSSE ÜBER schöne Grüße, «Füße»"],
    ["iso-8859-15", "fr", FRENCH],
    ["macintosh", "fr", FRENCH],
    ["windows-1250", "sr", SERBIAN],
    ["windows-1250", "sr-Latn-RS", SERBIAN],
    ["windows-1251", "sr", "Добар дан, како сте? Не знам шта да кажем. Чекај."],
    ["windows-1253", "el", GREEK],
    ["iso-8859-7", "el", GREEK],
    ["windows-1253", "en", GREEK],
    ["windows-1254", "tr", "Merhaba, nasılsın? Ne diyeceğimi bilmiyorum. Şimdi İstanbul'a gidiyoruz, güle güle."],
    ["windows-1255", "he", "שלום, מה שלומך? אני לא יודע מה להגיד."],
    ["windows-1257", "lt", "Labas, kaip sekasi? Nežinau, ką pasakyti. Ačiū už viską, šiandien eisiu į miestą."],
    ["windows-874", "th", "สวัสดีครับ คุณสบายดีไหม ผมไม่รู้จะพูดอะไร"],
    ["windows-874", "en", "สวัสดีครับ คุณสบายดีไหม ผมไม่รู้จะพูดอะไร"],
    ["windows-1252", "ru", "Café"],
    ["windows-1252", "ja", "Café"],
    ["windows-1252", "sv", "Vi får se på ön. ÅÄÖ. Hallå där, sköna öar"],
    ["windows-1252", "es", "¡Él está aquí! ¿Dónde? – ÁNGEL, ¡AÑO 2000!"],
    ["big5", "zh-TW", TAIWAN],
    ["big5", "zh-Hant-TW", TAIWAN],
    ["big5", "zh", TAIWAN],
    ["gb18030", "zh", CHINA],
    ["gb18030", "zh-Hans-CN", CHINA],
    ["gb18030", "en", CHINA],
    ["big5", "en", TAIWAN],
    ["shift_jis", "ja", JAPANESE],
    ["shift_jis", "en", JAPANESE],
    ["euc-jp", "ja", JAPANESE],
    ["euc-jp", "en", JAPANESE],
    ["euc-kr", "ko", KOREAN],
    ["euc-kr", "en", KOREAN],
  ])("%s under %s", (encoding, language, text) => {
    const file = `1\n00:00:01,000 --> 00:00:02,000\n${text}`;
    const captions = readCaptions(encodeAs(file, encoding), language);
    expect([captions.encoding, captions.cues[0]!.text]).toEqual([encoding, text]);
  });

  test.each(["utf-32le", "utf-32be"])("%s with a mark and without one", (encoding) => {
    for (const mark of ["\uFEFF", ""]) {
      const points = Array.from(`${mark}1\n00:00:01,000 --> 00:00:02,000\nżółw 🐢`, (char) => char.codePointAt(0)!);
      const view = new DataView(new ArrayBuffer(4 * points.length));
      for (const [at, code] of points.entries()) view.setUint32(4 * at, code, encoding === "utf-32le");
      const captions = readCaptions(new Uint8Array(view.buffer), "pl");
      expect([captions.encoding, captions.cues[0]!.text]).toEqual([encoding, "żółw 🐢"]);
    }
  });

  test("ISO-2022-JP is recognized by its escape sequences, although its bytes are ASCII", () => {
    const captions = readCaptions(bytesOf("1\n00:00:01,000 --> 00:00:02,000\n\u001b$BF|K\\\u001b(B OK"), "ja");
    expect([captions.encoding, captions.cues[0]!.text]).toEqual(["iso-2022-jp", "日本 OK"]);
  });

  test.each([
    ["ISO-8859-2", "iso-8859-2"],
    ["latin2", "iso-8859-2"],
    ["UTF-16", "iso-8859-2"],
    ["nonsense", "iso-8859-2"],
  ])("TTML that declares %s is read as %s", (label, encoding) => {
    const file = `<?xml version="1.0" encoding="${label}"?><tt><body><p begin="1s" end="2s">Idź już, śpię źle</p></body></tt>`;
    const captions = readCaptions(encodeAs(file, "iso-8859-2"), "pl");
    expect([captions.encoding, captions.cues[0]!.text]).toEqual([encoding, "Idź już, śpię źle"]);
  });

  test("a damaged byte in UTF-8 costs one character", () => {
    const file = bytesOf(`1\n00:00:01,000 --> 00:00:02,000\n${POLISH}?`);
    file[file.length - 1] = 0xff;
    const captions = readCaptions(file, "pl");
    expect([captions.encoding, captions.cues[0]!.text]).toEqual(["utf-8", `${POLISH}\ufffd`]);
  });
});

test("a file that is no captions has an error of the catalogue", () => {
  expect(errorOf(() => cuesOf("hello"))).toBe("captions_unknown_format");
  expect(errorOf(() => cuesOf("WEBVTT\n"))).toBe("captions_empty");
  expect(errorOf(() => cuesOf("<tt><body>"))).toBe("captions_malformed");
  expect(errorOf(() => cuesOf(`1\n00:00:01,000 --> 00:00:02,000\n${"x".repeat(10_000_000)}`))).toBe(
    "captions_too_long",
  );
  expect(errorOf(() => readCaptions(new Uint8Array(10 * 1024 * 1024 + 1), "en"))).toBe("captions_too_large");
  expect(errorOf(() => cuesOf(`<tt>${"<a/>".repeat(400_000)}`))).toBe("captions_too_large");
  expect(errorOf(() => cuesOf(`<tt>${"<a>".repeat(100_000)}${"</a>".repeat(100_000)}</tt>`))).toBe(
    "captions_malformed",
  );
});
