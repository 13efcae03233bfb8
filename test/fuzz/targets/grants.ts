import * as fc from "fast-check";
import { type JobGrant, readJobGrant, signJobGrant } from "../../../src/library/encoding/job-token.ts";
import { readSessionGrant, signSessionGrant } from "../../../src/live/sessions/session-token.ts";
import type { FuzzTarget } from "../target.ts";

const SECRET = "a secret of the fuzzer: long enough for use";
const NOW_MS = 1_800_000_000_000;
const job: JobGrant = {
  jobId: "job",
  assetId: "asset",
  attempt: 1,
  renditions: ["v720"],
  segments: [0, 3],
  expiresAt: NOW_MS + 1,
};
const REFUSALS = new Set(["malformed", "forged", "expired", "foreign"]);

interface Input {
  kind: "job" | "session";
  /** Characters of the genuine token to replace; none = it is unchanged. */
  edits: { at: number; text: string }[];
  /** Sent in place of the token. */
  instead: string | null;
  asOther: boolean;
  lateMs: number;
}

/** A token is accepted only if it was signed here, is unchanged and unexpired, and is used for its purpose. */
export default {
  name: "grants",
  arbitrary: fc.record({
    kind: fc.constantFrom("job", "session"),
    edits: fc.array(fc.record({ at: fc.nat({ max: 400 }), text: fc.string({ maxLength: 3 }) }), { maxLength: 3 }),
    instead: fc.option(
      fc.oneof(
        fc.string({ maxLength: 2000 }),
        fc.tuple(fc.json({ maxDepth: 4 }), fc.base64String()).map(([json, end]) => `${btoa(encodeURI(json))}.${end}`),
      ),
      { freq: 3 },
    ),
    asOther: fc.boolean(),
    lateMs: fc.constantFrom(0, 1, 14 * 3600_000),
  }),
  async run({ kind, edits, instead, asOther, lateMs }) {
    const genuine =
      kind === "job"
        ? await signJobGrant(SECRET, job)
        : await signSessionGrant(SECRET, { sessionId: "session", streamId: "stream", connection: 1 }, NOW_MS);
    let token = genuine;
    for (const { at, text } of edits) token = token.slice(0, at) + text + token.slice(at + text.length);
    token = instead ?? token;
    const nowMs = NOW_MS + lateMs;
    const answer =
      kind === "job"
        ? await readJobGrant(SECRET, token, asOther ? "another" : "job", nowMs)
        : await readSessionGrant(SECRET, token, asOther ? "another" : "session", nowMs);
    if (typeof answer === "string") {
      if (!REFUSALS.has(answer)) throw new Error(`an unknown refusal: ${answer}`);
      if (token === genuine && !asOther && lateMs === 0) throw new Error(`a genuine token is ${answer}`);
      return;
    }
    if (!sameBytes(token, genuine) || asOther || answer.expiresAt <= nowMs)
      throw new Error("a grant that was never given");
  },
} satisfies FuzzTarget<Input>;

/** The signature is over the bytes, which have several spellings in Base64. */
const sameBytes = (one: string, other: string) => {
  const bytes = (token: string) =>
    token
      .split(".")
      .map((part) => Buffer.from(part, "base64url").toString("hex"))
      .join(".");
  return bytes(one) === bytes(other);
};
