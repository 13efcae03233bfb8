import { readFileSync } from "node:fs";

export interface CodeBlock {
  language: string;
  /** The nearest heading above it. */
  heading: string;
  code: string;
}

/** The fenced code blocks of a page, in order. */
export function codeBlocks(path: string): CodeBlock[] {
  let heading = "";
  const blocks: CodeBlock[] = [];
  const parts = readFileSync(path, "utf8").matchAll(/^#+ ([^\n]+)$|^( *)```(\w+)\n(.*?)^ *```$/gms);
  for (const [, title, indent = "", language, code] of parts) {
    if (title !== undefined) heading = title;
    else blocks.push({ language: language!, heading, code: code!.replaceAll(new RegExp(`^${indent}`, "gm"), "") });
  }
  return blocks;
}

/** @throws when there is none, or more than one */
export function theBlock(blocks: CodeBlock[], language: string, heading: string): string {
  const found = blocks.filter((block) => block.language === language && block.heading === heading);
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${language} under "${heading}"`);
  return found[0]!.code;
}

/** The test vectors of docs/guides/webhooks.md: bodies and signatures; `é…é` stands for the number of characters given there. */
export function signatureVectors(path: string): { secret: string; vectors: [string, string][] } {
  const [, section = ""] = readFileSync(path, "utf8").split("\n## Check your verification\n");
  const [, secret = ""] = /With the secret `([^`]+)`/.exec(section) ?? [];
  const rows = section.matchAll(
    /^\| `(\{.*?\})`(?: with ([\d,]+) times `(.)`[^|]*)? +\| `([A-Za-z0-9+/=]{44})` +\|$/gm,
  );
  const vectors = [...rows].map(([, body = "", times = "0", letter = "", signature = ""]): [string, string] => [
    body.replace(`${letter}…${letter}`, letter.repeat(Number(times.replaceAll(",", "")))),
    signature,
  ]);
  return { secret, vectors };
}
