import { expect, test } from "vitest";
import { captionsIn } from "../../../player/listed-captions.ts";

test("the captions of a multivariant playlist have the names, languages and kinds that hls.js lists", () => {
  const multivariant = [
    "#EXTM3U",
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",LANGUAGE="en",URI="a1.m3u8"',
    '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="text",NAME="CC1",DEFAULT=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound",URI="cc1.m3u8"',
    '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="text",NAME="German",LANGUAGE="de",DEFAULT=NO,URI="teletext888.m3u8"',
  ].join("\n");
  expect(captionsIn(multivariant)).toEqual([
    { name: "CC1", language: "", kind: "captions" },
    { name: "German", language: "de", kind: "subtitles" },
  ]);
  expect(captionsIn("")).toEqual([]);
});
