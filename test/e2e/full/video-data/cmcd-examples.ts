/** The examples of docs/guides/video-data.md, by player. */
import { codeBlocks } from "../../../support/guide-blocks.ts";
import type { CmcdPlayer } from "./cmcd-page.ts";

const MADE_WITH: Record<CmcdPlayer, string> = {
  "hls.js": "new Hls(",
  "dash.js": "dashjs.MediaPlayer()",
  shaka: "new shaka.Player(",
};
const HOST = "https://stream.example.com";

/**
 * The guide's code as it is there, but for the host.
 *
 * @returns an expression for the page, which has `video` and the players
 * @throws when the guide has no example of the player, or more than one
 */
export function exampleOf(player: CmcdPlayer, baseUrl: string, playbackId: string): string {
  const examples = codeBlocks("docs/guides/video-data.md").filter(
    ({ language, code }) => language === "js" && code.includes(MADE_WITH[player]),
  );
  if (examples.length !== 1) throw new Error(`${examples.length} examples of ${player}`);
  const code = examples[0]!.code.replaceAll(HOST, baseUrl);
  return `(async (playbackId) => { ${code} })(${JSON.stringify(playbackId)})`;
}
