/** Interface between a listener (RTMP, SRT, HTTP) and the admission of broadcasts. Types only. */
import type { IngestProtocol, PassphraseAnswer, Refusal } from "../../../protocol/live.ts";
import type { HangUpReason } from "./hang-up-reasons.ts";

/** A broadcaster that asks for admission. */
export interface Incoming {
  protocol: IngestProtocol;
  streamKey: string;
  /** SRT: the passphrase of the handshake. */
  passphrase?: string;
  /** "address:port", for the log and for the Worker, which counts the unknown keys of each network. */
  remote: string;
}

/** Ends an admitted broadcaster's connection. The listener uses the protocol's own close procedure where one exists. */
export type HangUp = (reason: HangUpReason) => void;

export type Admission =
  | { accepted: false; reason: Refusal | "overloaded" | "unavailable" }
  | {
      accepted: true;
      streamId: string;
      sessionId: string;
      /**
       * Processes the broadcast until it ends: FLV, MPEG-TS or fragmented MP4, from its first byte. Called once. Reads slower when the encoder
       * cannot keep up, so the listener must apply back-pressure. Resolves when the session is over; never rejects.
       */
      take(bytes: AsyncIterable<Uint8Array>, hangUp: HangUp): Promise<void>;
    };

/** The listeners' only interface to Sluice. */
export interface Reception {
  /** Called before any media is decoded. Never rejects: an unreachable Worker results in `unavailable`. */
  admit(incoming: Incoming): Promise<Admission>;
  /** SRT: the passphrase required for this stream key. Never rejects. @param remote "address:port" */
  passphraseOf(
    streamKey: string,
    remote: string,
  ): Promise<PassphraseAnswer | { accepted: false; reason: "unavailable" }>;
}

/** A running listener. */
export interface Listener {
  /** The port actually bound. */
  port: number;
  /** Stops accepting connections and ends all existing ones. */
  close(): Promise<void>;
}
