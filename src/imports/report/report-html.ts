/** The report as one file that can be sent to somebody: no scripts, nothing is loaded. Pure. */
import { html } from "hono/html";
import { bytesWords, durationWords, hoursWords, sentence, usdWords } from "./words.ts";
import type { ImportReport } from "./schemas.ts";

const STYLE = `
  :root { color-scheme: light dark; --line: #8884; --soft: #8882; --good: #1a7f37; --bad: #cf222e; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; } .sub { opacity: .75; margin-top: 0; }
  .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .75rem; margin: 1.5rem 0; }
  .card { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; }
  .card b { display: block; font-size: 1.5rem; } .card span { opacity: .75; font-size: .875rem; }
  .bar { display: flex; height: .75rem; border-radius: .375rem; overflow: hidden; background: var(--soft); }
  .bar i { display: block; } .ready { background: var(--good); } .failed { background: var(--bad); } .skipped { background: #9a6700; } .submitted { background: #0969da; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } code { overflow-wrap: anywhere; }
  .note { border-left: .25rem solid #9a6700; padding-left: .75rem; }`;

const number = (value: number) => value.toLocaleString("en-US");
const about = (isEstimated: boolean) => (isEstimated ? "about " : "");

const nameOf = (id: string, title: string | undefined) => (title === undefined ? id : `${title} (${id})`);
const suchAs = (examples: string[]) => (examples.length === 0 ? "" : ` For example ${examples.join(", ")}`);

/** @param source as people write it: "Mux" */
export const reportHtml = (report: ImportReport, source: string) => {
  const { import: batch, found, estimate } = report;
  const hasEnded = batch.status === "done" || batch.status === "cancelled";
  const isDryRun = batch.status === "scanning" || batch.status === "scanned";
  // Each failure once: before a run by its video, after it by its reason.
  const obstacles = hasEnded ? [] : report.obstacles;
  const reasons = isDryRun ? [] : report.reasons;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Migration from ${source}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>Migration from ${source}</h1>
        <p class="sub">
          Batch ${batch.id}, ${batch.status}, created ${batch.createdAt.slice(0, 16).replace("T", " ")} UTC
        </p>
        ${batch.problem === undefined ? "" : html`<p class="note">${batch.problem.message}</p>`}
        ${report.missingPermissions.map(
          ({ permission, message }) =>
            html`<p class="note">The credentials lack the permission <b>${permission}</b>. ${message}</p>`,
        )}
        ${progress(batch.counts)}
        <div class="cards">
          ${card(number(found.videos), "videos to fetch")}
          ${card(about(found.isHoursEstimated) + hoursWords(found.hours, found.videos), "hours")}
          ${card(about(found.isBytesEstimated) + bytesWords(found.sourceBytes), "at the source")}
          ${card(usdWords(estimate.onceUsd), "to encode, once (estimated)")}
          ${card(usdWords(estimate.monthlyUsd), "to store, a month (estimated)")}
          ${card(about(true) + durationWords(estimate.totalSeconds), "to migrate (estimated)")}
        </div>
        <p>
          Prices are Cloudflare's list prices of November 2026, without what a plan includes.
          ${found.isHoursEstimated ? "The source says no duration of some videos: 5 minutes are assumed." : ""}
          ${report.sampled === 0 ? "" : `${report.sampled} videos were looked at one by one, as a sample.`}
        </p>
        <h2>What was found</h2>
        ${table(
          ["", "Videos"],
          [
            ...Object.entries(found.policies).map(([policy, n]) => [`${policy} at the source`, number(n)]),
            ...Object.entries(found.resolutions).map(([size, n]) => [
              size === "unknown" ? "of unknown size" : size,
              number(n),
            ]),
            ["with chapters", number(found.withChapters)],
            ["migrated before, skipped", number(found.alreadyImported)],
            ["listed twice, taken once", number(found.repeated)],
          ],
        )}
        ${section(hasEnded ? "What was lost" : "What will be lost", report.lost.length, () =>
          table(
            ["", "Videos"],
            report.lost.map(({ what, videos }) => [what, videos === undefined ? "all" : number(videos)]),
          ),
        )}
        ${section("What cannot be fetched", obstacles.length, () =>
          table(
            ["Video", "Reason"],
            obstacles.map(({ sourceId, title, message }) => [nameOf(sourceId, title), message]),
            "text",
          ),
        )}
        ${section("Failed or skipped", reasons.length, () =>
          table(
            ["Reason", "Items"],
            reasons.map(({ status, message, code, items, examples }) => [
              sentence([status, message || code].filter((word) => word !== "").join(": ")) + suchAs(examples),
              number(items),
            ]),
          ),
        )}
        ${section("What differs from the source", report.differences.length, () =>
          table(
            ["Difference", "Media"],
            report.differences.map(({ field, message, items, examples }) => [
              sentence(`${field}: ${message}`) + suchAs(examples),
              number(items),
            ]),
          ),
        )}
      </body>
    </html>`;
};

const card = (value: string, label: string) => html`<div class="card"><b>${value}</b><span>${label}</span></div>`;

const progress = ({ total, ready, submitted, failed, skipped, pending }: ImportReport["import"]["counts"]) => {
  const width = (n: number) => `flex-grow: ${n}`;
  return html`<div class="bar" role="img" aria-label="${ready} of ${total} are ready">
      <i class="ready" style="${width(ready)}"></i><i class="submitted" style="${width(submitted)}"></i
      ><i class="failed" style="${width(failed)}"></i><i class="skipped" style="${width(skipped)}"></i
      ><i style="${width(pending)}"></i>
    </div>
    <p>
      ${number(total)} items: ${number(ready)} ready, ${number(submitted)} in preparation, ${number(pending)} waiting,
      ${number(failed)} failed, ${number(skipped)} skipped.
    </p>`;
};

const section = (title: string, rows: number, content: () => unknown) =>
  rows === 0
    ? ""
    : html`<h2>${title}</h2>
        ${content()}`;

/** @param second what the second column has: numbers stand at its right */
const table = ([name, value]: [string, string], rows: string[][], second: "n" | "text" = "n") =>
  html`<table>
    <thead>
      <tr>
        <th>${name}</th>
        <th class="${second}">${value}</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([text, other]) =>
          html`<tr>
            <td>${text}</td>
            <td class="${second}">${other}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
