import { html } from "hono/html";
import { htmlResponse, notice, page } from "./html-page.ts";
import { type PageWords, type Problem, type ProblemCode, problemResponse } from "./problems.ts";

/** What the page of a problem says; other problems get the words of their status. */
const WORDS: Partial<Record<ProblemCode, PageWords>> = {
  playback_not_found: ["This video does not exist", "It may have been removed."],
  playback_unauthorized: ["This video is private", "Open it with the link that you were given."],
  forbidden: ["This video cannot be played here", "Its owner has limited where it plays."],
  moderation_hold: ["This video is not available", "Its owner has to review it first."],
  not_ready: ["This video is not ready yet", "Reload the page in a moment."],
  broadcast_over: ["This broadcast has ended", "There is no recording of it here."],
  not_found: ["This page does not exist", "Check its address."],
  unavailable: ["Not available at the moment", "Reload the page in a moment."],
};

function wordsOf({ code, fields, pageWords }: Problem, status: number): PageWords {
  if (fields.length > 0)
    return [
      "This address has an invalid parameter",
      `${fields.map(({ field, message, hint }) => `${field} ${hint ?? message}`).join("; ")}.`,
    ];
  const general: PageWords =
    status >= 500
      ? ["Something went wrong", "The failure is on our side. Reload the page to try again."]
      : ["This address cannot be opened", "It is not meant for a browser."];
  return pageWords ?? WORDS[code] ?? general;
}

/** Renders a problem for a browser: the status and headers of `problemResponse`, with a page as the body. */
export async function problemPage(request: Request, problem: Problem, headers: Record<string, string> = {}) {
  const answer = problemResponse(problem);
  const [heading, text] = wordsOf(problem, answer.status);
  const retryAfter = answer.headers.get("retry-after");
  const document = page({ title: heading, body: html`<main>${notice(heading, text)}</main>` });
  return await htmlResponse(request, document, answer.status, {
    ...(retryAfter === null ? {} : { "retry-after": retryAfter }),
    ...headers,
  });
}
