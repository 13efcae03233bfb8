/** Commands of tests inside workerd to `source-control.ts`. Types only: the two sides share no runtime. */

/** How a file is sent, see source-answers.ts. */
export interface RemoteContent {
  kind: "content";
  /** A virtual file of this size … */
  sizeBytes?: number;
  /** … or this text. */
  text?: string;
  contentType?: string;
  ranges?: boolean;
  announceLength?: boolean;
  etag?: string;
  lastModified?: string;
  maxRangeBytes?: number;
  resetAfterBytes?: number;
  hangAfterBytes?: number;
  endAfterBytes?: number;
  claimedSize?: number;
  rangeShift?: number;
  trickle?: { bytes: number; intervalMs: number };
  headers?: Record<string, string>;
}

export type RemoteBehaviour =
  | RemoteContent
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string }
  | { kind: "redirect"; location: string; status?: number }
  | { kind: "hang" }
  | { kind: "hangUp" }
  | { kind: "raw"; text: string };

export type SourceCommand =
  | { do: "open"; tls: boolean }
  | { do: "add"; origin: string; path: string; behaviour: RemoteBehaviour }
  | { do: "requests"; origin: string; path: string }
  | { do: "stop" | "start"; origin: string };
