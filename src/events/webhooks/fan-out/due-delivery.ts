/** A pending delivery with everything that an attempt of it needs. */
export interface DueDelivery {
  eventId: string;
  type: string;
  videoType: string;
  body: string;
  /** See `events.sealedData`. */
  sealedData: string | null;
  naming: "service" | "video";
  attempts: number; // ever made
  schedule: number; // redeliveries and recoveries before
  tries: number; // of the current schedule
  firstTriedAtMs: number | null;
  nextAttemptAtMs: number;
}
