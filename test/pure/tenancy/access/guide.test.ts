import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TOKEN_REFUSALS } from "../../../../src/tenancy/access/token.ts";

test("the guide to private playback lists every refusal of a token", () => {
  const [, section = ""] = readFileSync("docs/guides/private-playback.md", "utf8").split(
    "\n## When playback is refused\n",
  );
  expect(Object.values(TOKEN_REFUSALS).filter((text) => !section.includes(text))).toEqual([]);
});
