export interface ListedCaptions {
  name: string;
  language: string;
  kind: "captions" | "subtitles";
}

/** The captions and subtitles of a multivariant playlist (RFC 8216 §4.3.4.1); none when it cannot be read now. */
export async function listedCaptions(url: string | null): Promise<ListedCaptions[]> {
  try {
    const answer = url === null ? null : await fetch(url);
    if (answer === null || !answer.ok || answer.redirected) return []; // after the broadcast the address leads to its recording
    return captionsIn(await answer.text());
  } catch {
    return []; // the connection is lost, which `recover` handles
  }
}

export const captionsIn = (multivariant: string): ListedCaptions[] =>
  multivariant
    .split("\n")
    .filter((line) => line.startsWith("#EXT-X-MEDIA:TYPE=SUBTITLES,"))
    .map((line) => {
      const valueOf = (attribute: string) => new RegExp(`,${attribute}="([^"]*)"`).exec(line)?.[1] ?? "";
      const isForDeaf = valueOf("CHARACTERISTICS").includes("transcribes-spoken-dialog");
      return { name: valueOf("NAME"), language: valueOf("LANGUAGE"), kind: isForDeaf ? "captions" : "subtitles" };
    });
