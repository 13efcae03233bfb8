/** The fields of an event in the order of its bytes (media contract, Envelope). */
export const ENVELOPE_FIELDS = [
  "type",
  "object",
  "id",
  "event_id",
  "workspace",
  "status",
  "data",
  "createdAt",
  "attempts",
];
