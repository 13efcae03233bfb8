/** Which API clients a setting names, by their header `User-Agent`. Pure. */

/** Names and versions in their order: "acme-sdk/3.1 (node)" has `acme-sdk`, `3.1` and `node`; "acme-sdk/java 1.0.4" has `acme-sdk/java` and `1.0.4`. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/\/(?=v?\d)/g, " ") // a version after its product
    .split(/[\s;()]+/)
    .filter((word) => word !== "");

/** Numbers of a version; null = the word is no version. What follows the numbers, such as `-beta`, does not count. */
function versionOf(word: string | undefined): number[] | null {
  const [, numbers] = /^v?(\d+(?:\.\d+)*)/.exec(word ?? "") ?? [];
  return numbers === undefined ? null : numbers.split(".").map(Number);
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  for (let n = 0; n < Math.max(version.length, least.length); n += 1) {
    const difference = (version[n] ?? 0) - (least[n] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * Whether the setting names the client: a name is one of the client's whole words, and a version after it is the first of those that are meant.
 *
 * @param setting separated by commas, such as "acme-sdk/java 1.0.4, other-sdk"; `*` = every client
 * @param userAgent the client's header; "" = it sent none
 */
export function isNamedClient(setting: string, userAgent: string): boolean {
  const words = wordsOf(userAgent);
  return setting
    .split(",")
    .map((entry) => entry.trim())
    .some((entry) => entry === "*" || isIn(words, wordsOf(entry)));
}

/** Whether the words have those of the entry in sequence, the last of which may be the least version. */
function isIn(words: readonly string[], entry: readonly string[]): boolean {
  const least = entry.length > 1 ? versionOf(entry.at(-1)) : null;
  const name = least === null ? entry : entry.slice(0, -1);
  if (name.length === 0) return false;
  return words.some((_, at) => {
    if (!name.every((word, n) => words[at + n] === word)) return false;
    if (least === null) return true;
    const version = versionOf(words[at + name.length]);
    return version !== null && isAtLeast(version, least);
  });
}
