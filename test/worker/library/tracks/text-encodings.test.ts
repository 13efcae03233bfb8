/** The runtime's TextDecoder has the encodings of caption files. */
import { expect, test } from "vitest";
import { ANY_LANGUAGE, encodingsOfLanguage } from "../../../../src/media/captions/encodings.ts";
import { decodeText } from "../../../../src/media/captions/text-encoding.ts";

test.each([
  ["koi8-r", "ru", [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4], "Привет"],
  ["koi8-u", "uk", [0xf0, 0xd2, 0xc9, 0xd7, 0xa6, 0xd4], "Привіт"],
  ["ibm866", "ru", [0x8f, 0xe0, 0xa8, 0xa2, 0xa5, 0xe2], "Привет"],
  ["iso-8859-5", "ru", [0xbf, 0xe0, 0xd8, 0xd2, 0xd5, 0xe2], "Привет"],
  ["iso-8859-2", "pl", [0xb6, 0x70, 0x69, 0xea], "śpię"],
  ["iso-8859-15", "fr", [0x63, 0xbd, 0x75, 0x72], "cœur"],
  ["macintosh", "fr", [0x43, 0x61, 0x66, 0x8e, 0x73], "Cafés"],
  ["windows-1252", "fr", [0x93, 0x43, 0x61, 0x66, 0xe9, 0x94], "“Café”"],
  ["big5", "zh-Hant-TW", [0xa7, 0x41, 0xa6, 0x6e], "你好"],
  ["shift_jis", "en", [0x82, 0xb1, 0x82, 0xf1, 0x82, 0xc9], "こんに"],
  ["iso-2022-jp", "ja", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], "日"],
])("%s under %s", (encoding, language, bytes, text) => {
  expect(decodeText(Uint8Array.from(bytes), language)).toEqual({ encoding, text });
});

test("every encoding that a language may have is known", () => {
  const languages = "ja ko zh yue th el vi sr bs ro mt eo cy pl lt ru uk tr he ar en".split(" ");
  for (const encoding of [...ANY_LANGUAGE, ...languages.flatMap(encodingsOfLanguage)])
    expect(new TextDecoder(encoding).encoding).toBe(encoding);
});
