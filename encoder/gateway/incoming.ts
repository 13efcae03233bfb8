/** Between a listener (RTMP, SRT, HTTP) and what becomes of a broadcast: who comes in, and whether. Types only. */
import type { IngestProtocol, PassphraseAnswer, Refusal } from "../../protocol/live.ts";

/** A broadcaster at the door. */
export interface Incoming {
  protocol: IngestProtocol;
  streamKey: string;
  /** SRT: the one that the handshake was held with. */
  passphrase?: string;
  /** "address:port", for the log. */
  remote: string;
}

/** Why a broadcaster that was let in has to go: the listener ends the connection, in the protocol's own way if it has one. */
export type HangUp = (reason: string) => void;

export type Admission =
  | { accepted: false; reason: Refusal | "overloaded" | "unavailable" }
  | {
      accepted: true;
      streamId: string;
      sessionId: string;
      /**
       * Takes the broadcast until it ends: FLV, MPEG-TS or fragmented MP4, from its first byte. Called once. Reading ahead is slowed down when
       * the encoder cannot follow, so `bytes` must not grow without end. Resolves when all is over; never rejects.
       */
      take(bytes: AsyncIterable<Uint8Array>, hangUp: HangUp): Promise<void>;
    };

/** What listeners are given: everything they have to know of Sluice. */
export interface Reception {
  /** Asked before a byte of media is decoded. Never rejects: a Worker that cannot be reached is `unavailable`. */
  admit(incoming: Incoming): Promise<Admission>;
  /** SRT: what the handshake of this key has to be encrypted with. Never rejects. */
  passphraseOf(streamKey: string): Promise<PassphraseAnswer | { accepted: false; reason: "unavailable" }>;
}

/** A listener that is up. */
export interface Listener {
  /** The port that it has really got. */
  port: number;
  /** Takes nobody in any more and ends every connection. */
  close(): Promise<void>;
}
