export { ALERT_METRICS, ALERT_OPERATORS, ALERT_SEVERITIES } from "./catalogue/alert-terms.ts";
export {
  CATALOGUE,
  CATALOGUE_VERSION,
  EVENT_KINDS,
  type EventData,
  type EventType,
  isEventType,
  kindOf,
  nameIn,
} from "./catalogue/catalogue.ts";
export { EventEnvelope } from "./catalogue/envelope.ts";
export { envelopeOf, listEvents } from "./listing.ts";
export { eventTime } from "./event-time.ts";
export { type Event, eventBytes, findEvent, insertEvent, type NewEvent } from "./repository.ts";
export { events } from "./tables.ts";
export { ALL_TYPES, checkTypePattern, expandPatterns, resolveTypes } from "./catalogue/type-filter.ts";
export { REDACTED, redactSecrets } from "./redaction.ts";
