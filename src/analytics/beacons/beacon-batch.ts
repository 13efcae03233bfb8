/** The body of a beacon (media contract, analytics: "Beacon request"). Pure; the sender is not authenticated. */
import type { Refusal, Refused } from "./refusals.ts";
import type { Fields, FieldValue } from "../views/fields.ts";
import { fieldOfKey, typeOfField } from "./beacon-keys.ts";
import { isUuid } from "../../platform/uuid.ts";

/** One event of a view, with full field names. */
export interface BeaconEvent {
  viewId: string;
  /** Counts from 1 in each view. Two events of a view with the same number are the same event. */
  sequence: number;
  name: string;
  /** By the clock of the viewer, epoch ms; null = not stated. */
  viewerAtMs: number | null;
  /** The fields that changed since the previous event. */
  fields: Fields;
}

export interface BeaconBatch {
  /** By the clock of the viewer, epoch ms; null = not stated. */
  sentAtMs: number | null;
  events: BeaconEvent[];
  /** Why parts of the body are unusable, and how often. */
  refused: Refused;
}

/** SDKs send up to 200 events at once. */
const MAX_EVENTS = 1000;
const MAX_FIELDS = 200;
const MAX_TEXT_LENGTH = 2048;
/** The names of the contract have at most 20 characters; each event of a view's record has one. */
const MAX_NAME_LENGTH = 64;
const MAX_SEQUENCE = 1_000_000;
/** Separates epoch seconds, which stay below it until the year 5138, from epoch milliseconds, which are above it since 1973. */
const LARGEST_SECONDS = 1e11;

/** Parses a body. Unusable parts are counted; nothing is thrown. */
export function readBatch(text: string): BeaconBatch {
  const batch: BeaconBatch = { sentAtMs: null, events: [], refused: {} };
  const body = parseObject(text);
  if (body === null) return refuse(batch, "not_json");
  const { metadata, events } = body;
  batch.sentAtMs = isObject(metadata) ? epochMs(metadata["transmission_timestamp"]) : null;
  if (!Array.isArray(events)) return refuse(batch, "no_events");
  if (events.length > MAX_EVENTS) refuse(batch, "too_many_events", events.length - MAX_EVENTS);
  for (const event of events.slice(0, MAX_EVENTS)) {
    const read = readEvent(event);
    if (typeof read === "string") refuse(batch, read);
    else batch.events.push(read);
  }
  return batch;
}

function refuse(batch: BeaconBatch, reason: Refusal, count = 1): BeaconBatch {
  batch.refused[reason] = (batch.refused[reason] ?? 0) + count;
  return batch;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @returns the event, or why it is unusable */
function readEvent(event: unknown): BeaconEvent | Refusal {
  if (!isObject(event)) return "not_an_event";
  const fields: Fields = {};
  for (const [key, value] of Object.entries(event).slice(0, MAX_FIELDS)) {
    const field = fieldOfKey(key);
    const typed = field === null ? null : typedValue(field, value);
    if (field !== null && typed !== null) fields[field] = typed;
  }
  const { view_id: viewId, view_sequence_number: sequence, event_name: name, viewer_timestamp: at, ...rest } = fields;
  if (typeof viewId !== "string" || !isUuid(viewId.toLowerCase())) return "no_view_id";
  if (typeof sequence !== "number" || !Number.isInteger(sequence) || sequence < 1 || sequence > MAX_SEQUENCE)
    return "no_sequence_number";
  if (typeof name !== "string" || name === "") return "no_event_name";
  return {
    viewId: viewId.toLowerCase(),
    sequence,
    name: name.slice(0, MAX_NAME_LENGTH),
    viewerAtMs: epochMs(at),
    fields: rest,
  };
}

/** Some SDKs send numbers and booleans as text. @returns null for a value of another type */
function typedValue(field: string, value: unknown): FieldValue | null {
  const type = typeOfField(field);
  if (type === "number") return numberOf(value);
  if (type === "boolean") return booleanOf(value);
  if (typeof value === "string") return value.slice(0, MAX_TEXT_LENGTH);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function booleanOf(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (value === "true" || value === 1 || value === "1") return true;
  return value === "false" || value === 0 || value === "0" ? false : null;
}

/** Some SDKs send seconds, others text. */
function epochMs(value: unknown): number | null {
  const number = numberOf(value);
  if (number === null || number <= 0) return null;
  return number < LARGEST_SECONDS ? number * 1000 : number;
}
