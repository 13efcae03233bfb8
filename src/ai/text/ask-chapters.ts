import { z } from "zod";
import type { TextRequest } from "../providers/index.ts";
import { mendChapters } from "./mend-chapters.ts";
import { cutToWords, plainLine } from "./plain-text.ts";
import type { Chapter } from "./text-result.ts";
import type { Sentence } from "./transcript.ts";
import { fromClock, type TranscriptPart } from "./transcript-parts.ts";

const Text = z.string().nullish().catch(null);
const Item = z.object({
  startTime: z.unknown().optional(),
  start: z.unknown().optional(),
  title: Text,
  chapter: Text,
  summary: Text,
});
const Items = z.array(Item).max(500);
const Answer = z.union([z.object({ chapters: Items }).transform(({ chapters }) => chapters), Items]);

const text = { type: "string" };
const format = {
  name: "chapters",
  schema: {
    type: "object",
    properties: {
      chapters: {
        type: "array",
        items: {
          type: "object",
          properties: { startTime: text, title: text, summary: text },
          required: ["startTime", "title", "summary"],
          additionalProperties: false,
        },
      },
    },
    required: ["chapters"],
    additionalProperties: false,
  },
};
const MAX_OUTPUT_TOKENS = 3000;
const MOST_SUMMARY_WORDS = 40;
/** A chapter begins with a sentence, if one is as near as this. */
const SNAP_MS = 5000;

export const askChapters = ({ text: lines }: TranscriptPart): TextRequest => ({
  instructions: [
    "Divide the video into chapters where its subject changes: as few as say what it is about, none shorter than ten seconds.",
    "Each has the time of its first line as it stands there (HH:MM:SS), a title of at most 60 characters, and a summary of one sentence,",
    "in the language of the transcript, as plain text.",
  ].join(" "),
  text: lines,
  format,
  maxOutputTokens: MAX_OUTPUT_TOKENS,
});

/** @returns null = these are no chapters */
export function readChapters(value: unknown, { sentences }: TranscriptPart): Chapter[] | null {
  const answer = Answer.safeParse(value);
  if (!answer.success) return null;
  const endMs = (sentences.at(-1)?.endMs ?? 0) + SNAP_MS; // nothing is said later
  const chapters = answer.data.flatMap((item): Chapter[] => {
    const startMs = fromClock(item.startTime ?? item.start);
    const title = plainLine(item.title ?? item.chapter ?? "");
    if (startMs === null || startMs > endMs || title === "") return [];
    const summary = cutToWords(plainLine(item.summary ?? ""), MOST_SUMMARY_WORDS);
    return [{ startMs: snap(startMs, sentences), endMs: 0, title, summary }];
  });
  return chapters.length === 0 ? null : chapters;
}

function snap(ms: number, sentences: readonly Sentence[]): number {
  let nearest = ms;
  let distance = SNAP_MS;
  for (const { startMs } of sentences) {
    if (Math.abs(startMs - ms) > distance) continue;
    distance = Math.abs(startMs - ms);
    nearest = startMs;
  }
  return nearest;
}

/** The chapters of all parts. Those that the beginning of a part adds are the model's own: it sees no others. */
export const joinChapters = (parts: readonly Chapter[][], durationMs: number): Chapter[] =>
  mendChapters(parts.flat(), durationMs);
