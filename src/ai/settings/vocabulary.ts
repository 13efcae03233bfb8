import { z } from "@hono/zod-openapi";
import { line } from "../../platform/http/fields.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";

/** Terms of one list. */
const MAX_TERMS = 50;
/** Of one list. Whisper reads 224 tokens before the speech, which both lists share. */
const MAX_CHARACTERS = 400;

/** Names and terms, which are then spelled like this. */
export const Vocabulary = z
  .array(line(100).min(1))
  .max(MAX_TERMS)
  .refine(
    (terms) => promptOf(terms).length <= MAX_CHARACTERS,
    hinted("is invalid", `must have at most ${MAX_CHARACTERS} characters in all`),
  )
  .openapi({
    description: "Names and terms that are spoken, as they are spelled",
    example: ["Sluice", "Ada Lovelace"],
  });

/** The terms as the text before the speech, from which a model takes their spelling. */
export const promptOf = (vocabulary: readonly string[]): string => vocabulary.join(", ");
