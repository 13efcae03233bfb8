import { UsageError } from "../../terminal/usage-error.ts";
import { ask, askChoice, askOptional, askText, askYes } from "../questions.ts";
import type { BatchSource } from "../records.ts";
import { SOURCE_FORMS, SOURCE_KINDS, type SourceKind } from "../sources.ts";
import type { Given } from "./options.ts";

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

/** The `source` of a batch, apart from a list. @throws {UsageError} without a terminal when something needed is not given */
export async function sourceOptions(
  kind: Exclude<SourceKind, "list">,
  given: Given,
  isGuided: boolean,
): Promise<BatchSource> {
  if (kind === "s3") return bucketOptions(given, isGuided);
  return kind === "api_video" ? { type: kind, sandbox: given.sandbox } : { type: kind };
}

const ENDPOINT_FORM = "an https address without a query, such as https://s3.eu-central-003.backblazeb2.com";

/** Whether the platform takes it as the address of a store. Pure. */
export function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:") return false;
  const { username, password, search, hash } = url;
  return username + password + search + hash === "";
}

/** @throws {UsageError} */
function endpointGiven(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || isEndpoint(endpoint)) return endpoint;
  throw new UsageError(`--endpoint is "${endpoint}"; it must be ${ENDPOINT_FORM}.`);
}

const askEndpoint = (): Promise<string | undefined> =>
  ask("Endpoint, unless it is Amazon S3 (empty = none)", "--endpoint", (answer) => {
    if (answer === "") return { value: undefined };
    return isEndpoint(answer) ? { value: answer } : { wrong: `Give ${ENDPOINT_FORM}.` };
  });

async function bucketOptions(given: Given, isGuided: boolean): Promise<BatchSource> {
  const asks = isGuided && given.bucket === undefined; // one who gives the bucket gives what else is needed
  const bucket = given.bucket ?? (await askText("Bucket", "--bucket"));
  const endpoint = endpointGiven(given.endpoint) ?? (asks ? await askEndpoint() : undefined);
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
