import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { SOURCE_ERRORS } from "../../../src/library/sources/source-errors.ts";
import { reasonOf } from "../../../src/playback/reasons.ts";
import { unplayableState } from "../../../src/playback/unplayable-state.ts";

test("an asset with nothing to play has the reason of its failure, or of the retry that it waits for", () => {
  const codes = { errorCode: "source_denied", retryReason: "source_unresolvable", percent: 4.9 };
  expect(unplayableState({ ...codes, status: "errored" })).toMatchObject({ hasFailed: true, reason: "source_denied" });
  expect(unplayableState({ ...codes, status: "processing" })).toEqual({
    hasFailed: false,
    reason: "source_unresolvable",
    percent: 4,
  });
});

const SERVICE = "Something went wrong while this video was processed.";

test("viewers get other words for every code of the guide; those of the service share theirs", async () => {
  const guide = await readFile("docs/guides/errors.md", "utf8");
  const [ofMedia] = guide.split("### An item of a migration failed"); // items share some names, and have no page
  const rows = [...ofMedia!.matchAll(/^\| `([a-z_]+)` +\| (`source`|`service`)?/gm)].map(([, code, fault]) => ({
    code: code!,
    fault,
  }));
  const codes = rows.filter(({ code, fault }) => fault !== undefined || code in SOURCE_ERRORS);
  expect(codes.length).toBeGreaterThan(25);
  expect(codes.filter(({ fault }) => fault === "`service`").map(({ code }) => reasonOf(code))).toEqual(
    Array.from({ length: codes.filter(({ fault }) => fault === "`service`").length }, () => SERVICE),
  );
  const ofSource = codes.filter(({ fault }) => fault !== "`service`").map(({ code }) => reasonOf(code));
  expect(ofSource).not.toContain(SERVICE);
  expect(new Set(ofSource).size).toBe(ofSource.length);
});

test("the page blames the content of a file only when the file was fetched", () => {
  const blamed = Object.keys(SOURCE_ERRORS).filter((code) => reasonOf(code).startsWith("The file is "));
  expect(blamed).toEqual(["source_too_large", "source_empty"]);
  expect(reasonOf("source_not_media")).toBe("The file is not a video or audio file.");
  expect(reasonOf("source_unresolvable")).toContain("host name has no address");
});
