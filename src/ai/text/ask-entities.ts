import { z } from "zod";
import type { TextRequest } from "../providers/index.ts";
import type { FoundName } from "./count-mentions.ts";
import { plainLine } from "./plain-text.ts";
import { ENTITY_CATEGORIES, type EntityCategory } from "./text-result.ts";
import type { TranscriptPart } from "./transcript-parts.ts";

const Item = z.object({
  name: z.string(),
  category: z.string(),
  spellings: z.array(z.string()).nullish().catch(null),
});
const Items = z.array(Item).max(1000);
const Answer = z.union([z.object({ namedEntities: Items }).transform(({ namedEntities }) => namedEntities), Items]);

const text = { type: "string" };
const format = {
  name: "named_entities",
  schema: {
    type: "object",
    properties: {
      namedEntities: {
        type: "array",
        items: {
          type: "object",
          properties: {
            name: text,
            category: { type: "string", enum: ENTITY_CATEGORIES },
            spellings: { type: "array", items: text },
          },
          required: ["name", "category", "spellings"],
          additionalProperties: false,
        },
      },
    },
    required: ["namedEntities"],
    additionalProperties: false,
  },
};
const MAX_OUTPUT_TOKENS = 3000;
const MAX_NAME_CHARACTERS = 100;

export const askEntities = ({ text: lines }: TranscriptPart): TextRequest => ({
  instructions: [
    "List the people, organizations, locations, products and events that the transcript names.",
    "Each is listed once, by its fullest name, with all spellings as they stand in the transcript.",
  ].join(" "),
  text: lines,
  format,
  maxOutputTokens: MAX_OUTPUT_TOKENS,
});

/** Words for the categories that models use instead. */
const CATEGORIES: Record<string, EntityCategory> = {
  people: "person",
  human: "person",
  organisation: "organization",
  company: "organization",
  org: "organization",
  place: "location",
  city: "location",
  country: "location",
  gpe: "location",
  loc: "location",
};

function categoryOf(text: string): EntityCategory | null {
  const word = text.trim().toLowerCase().replace(/s$/, "");
  return (
    ENTITY_CATEGORIES.find((category) => category === word) ??
    CATEGORIES[word] ??
    CATEGORIES[text.trim().toLowerCase()] ??
    null
  );
}

/** @returns null = these are no names; an empty list is one: nobody is named */
export function readEntities(value: unknown): FoundName[] | null {
  const answer = Answer.safeParse(value);
  if (!answer.success) return null;
  return answer.data.flatMap(({ name, category, spellings }): FoundName[] => {
    const known = categoryOf(category);
    const plain = plainLine(name);
    if (known === null || plain === "" || plain.length > MAX_NAME_CHARACTERS) return [];
    return [{ name: plain, category: known, spellings: (spellings ?? []).map(plainLine).slice(0, 20) }];
  });
}
