import { UsageError } from "../../terminal/usage-error.ts";
import { askChoice, askOptional, askText, askYes } from "../questions.ts";
import type { BatchSource } from "../records.ts";
import { SOURCE_FORMS, SOURCE_KINDS, type SourceKind } from "../sources.ts";
import type { Given } from "./options.ts";

/** Where the list comes from: a file of this machine, which is sent first, or an address. */
export type ListOrigin = { file: string } | { url: string };

/** Options that belong to one source. @throws {UsageError} for one of another source */
export function requireOwnOptions(given: Given, kind: SourceKind): void {
  const owners = {
    list: ["file", "url", "format"],
    s3: ["no-credentials", "bucket", "region", "endpoint", "prefix", "path-style", "requester-pays"],
    api_video: ["sandbox"],
  } as const;
  for (const [owner, names] of Object.entries(owners)) {
    const foreign = names.find((name) => owner !== kind && given[name] !== undefined && given[name] !== false);
    if (foreign !== undefined) throw new UsageError(`--${foreign} belongs to --source ${owner}, not to ${kind}.`);
  }
}

export const askSourceKind = (): Promise<SourceKind> =>
  askChoice(
    "Where are the videos",
    "--source",
    SOURCE_KINDS.map((kind) => [kind, SOURCE_FORMS[kind].name] as const),
  );

/** @throws {UsageError} without a terminal when it is not given, and for two of them */
export async function listOrigin({ file, url }: Given): Promise<ListOrigin> {
  if (file !== undefined && url !== undefined)
    throw new UsageError("--file and --url exclude each other: give one of them.");
  if (file !== undefined) return { file };
  const given = url ?? (await askText("Path or URL of the list", "--file or --url"));
  return /^https?:\/\//i.test(given) ? { url: given } : { file: given };
}

/** The `source` of a batch, apart from a list. @throws {UsageError} without a terminal when something needed is not given */
export async function sourceOptions(
  kind: Exclude<SourceKind, "list">,
  given: Given,
  isGuided: boolean,
): Promise<BatchSource> {
  if (kind === "s3") return bucketOptions(given, isGuided);
  return kind === "api_video" ? { type: kind, sandbox: given.sandbox } : { type: kind };
}

async function bucketOptions(given: Given, isGuided: boolean): Promise<BatchSource> {
  const asks = isGuided && given.bucket === undefined; // one who gives the bucket gives what else is needed
  const bucket = given.bucket ?? (await askText("Bucket", "--bucket"));
  const endpoint =
    given.endpoint ?? (asks ? await askOptional("Endpoint, unless it is Amazon S3", "--endpoint") : undefined);
  const usualRegion = endpoint === undefined ? "us-east-1" : "auto";
  const region = given.region ?? (asks ? await askText("Region", "--region", usualRegion) : undefined);
  const prefix = given.prefix ?? (asks ? await askOptional("Only keys that begin with", "--prefix") : undefined);
  const requesterPays =
    given["requester-pays"] ||
    (asks && endpoint === undefined && (await askYes("Does the requester pay", "--requester-pays", false)));
  return {
    type: "s3",
    bucket,
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    ...(prefix && { prefix }),
    ...(given["path-style"] && { pathStyle: true }),
    ...(requesterPays && { requesterPays: true }),
  };
}
