import { PartCaptions } from "../../../protocol/live.ts";
import { cleanMarkup } from "../../media/captions/markup.ts";
import { cleanSettings } from "../../media/captions/webvtt.ts";
import { Problem } from "../../platform/http/problems.ts";

/** Reads the captions of a part. Their text is cleaned again, because it is the broadcaster's. @throws {Problem} validation_failed */
export function partCaptions(json: Uint8Array): PartCaptions {
  if (json.byteLength === 0) return [];
  const parsed = PartCaptions.safeParse(parse(new TextDecoder().decode(json)));
  if (!parsed.success) throw new Problem("validation_failed", "the part's captions are malformed");
  return parsed.data.map(({ cues, ...rest }) => ({
    ...rest,
    cues: cues.flatMap((cue) => {
      const clean = { ...cue, settings: cleanSettings(cue.settings), text: cleanMarkup(cue.text) };
      return clean.text === "" || clean.startMs >= clean.endMs ? [] : [clean];
    }),
  }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
