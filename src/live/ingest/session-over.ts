import { Problem } from "../../platform/http/problems.ts";

export const sessionOver = () =>
  new Problem("session_over", "the session is over, or another broadcaster has taken its place");

/** @throws {Problem} session_over, when the live origin accepts nothing more from this connection */
export function unlessOver<Verdict extends { verdict: string }>(
  written: Verdict | { verdict: "over" },
): Exclude<Verdict, { verdict: "over" }> {
  if (written.verdict === "over") throw sessionOver();
  return written as Exclude<Verdict, { verdict: "over" }>;
}
