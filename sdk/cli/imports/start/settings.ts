import { UsageError } from "../../terminal/usage-error.ts";
import { ask, askChoice, askYes, remark } from "../questions.ts";
import type { BatchSettings } from "../records.ts";
import { ACCESS_POLICIES, type Given, MP4_SUPPORT, QUALITIES, RESOLUTIONS } from "./options.ts";

/** What the API takes when nothing is said. */
const DEFAULT_SETTINGS = {
  accessPolicy: "asSource",
  maxResolution: "1080p",
  mediaQuality: "standard",
  mp4Support: "none",
  captions: true,
  metadata: null,
} as const satisfies BatchSettings;

/** The settings that are given; null = none of them. @throws {UsageError} */
export function givenSettings(given: Given): BatchSettings | null {
  const metadata = metadataMap(given.metadata, given["no-metadata"]);
  const { "access-policy": accessPolicy, "max-resolution": maxResolution, quality, mp4 } = given;
  const settings: BatchSettings = {
    ...(accessPolicy && { accessPolicy }),
    ...(maxResolution && { maxResolution }),
    ...(quality && { mediaQuality: quality }),
    ...(mp4 && { mp4Support: mp4 }),
    ...(given["no-captions"] && { captions: false }),
    ...(metadata && { metadata }),
  };
  return Object.keys(settings).length === 0 ? null : settings;
}

/** @returns null = all of it, as it is named @throws {UsageError} */
function metadataMap(pairs: readonly string[], isNone: boolean): Record<string, string> | null {
  if (isNone && pairs.length > 0) throw new UsageError("--metadata and --no-metadata exclude each other.");
  if (pairs.length === 0) return isNone ? {} : null;
  const parts = pairs.map((pair) => /^([^=]+)=(.+)$/s.exec(pair) ?? null);
  const broken = parts.indexOf(null);
  if (broken >= 0)
    throw new UsageError(`--metadata is "${pairs[broken]}"; it must be FROM=TO, such as external_id=sku.`);
  return Object.fromEntries(parts.map((part) => [part![1]!, part![2]!]));
}

const METADATA_DEFAULT = "all of the source's, as it is named there";

/** Shows the defaults, and asks for others. */
export async function askSettings(): Promise<BatchSettings> {
  const usual = DEFAULT_SETTINGS;
  for (const [name, value] of [
    ["Access policy", "as at the source: what is not public stays private"],
    ["Largest rendition", usual.maxResolution],
    ["Quality", usual.mediaQuality],
    ["MP4 files", usual.mp4Support],
    ["Captions", "yes"],
    ["Metadata", METADATA_DEFAULT],
  ] as const)
    remark(`  ${name.padEnd(18)} ${value}`);
  if (await askYes("Are these settings right", "--yes", true)) return {};
  return {
    accessPolicy: await askOne("Access policy", "--access-policy", ACCESS_POLICIES, usual.accessPolicy),
    maxResolution: await askOne("Largest rendition", "--max-resolution", RESOLUTIONS, usual.maxResolution),
    mediaQuality: await askOne("Quality", "--quality", QUALITIES, usual.mediaQuality),
    mp4Support: await askOne("MP4 files", "--mp4", MP4_SUPPORT, usual.mp4Support),
    captions: await askYes("Captions", "--no-captions", usual.captions),
    metadata: await askMetadata(),
  };
}

const askOne = <Value extends string>(question: string, option: string, values: readonly Value[], usual: Value) =>
  askChoice(
    question,
    option,
    values.map((value) => [value, value] as const),
    usual,
  );

const askMetadata = (): Promise<Record<string, string> | null> =>
  ask(`Metadata as FROM=TO, separated by commas (empty = ${METADATA_DEFAULT})`, "--metadata", (answer) => {
    const pairs = answer.split(",").map((pair) => pair.trim());
    try {
      return { value: metadataMap(answer === "" ? [] : pairs, false) };
    } catch (error) {
      return { wrong: (error as Error).message };
    }
  });
