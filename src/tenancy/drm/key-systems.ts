import {
  type ContentKey,
  KEY_SYSTEMS,
  type KeySystem,
  type KeySystemSignal,
  type Protection,
  uuidBytes,
} from "../../media/cenc/content-key.ts";
import { commonPssh, widevinePssh } from "../../media/cenc/pssh.ts";
import { fromBase64, toBase64 } from "../../../protocol/base64.ts";
import type { ServiceSignals } from "./tables.ts";

/** Where a key comes from. ClearKey sends keys to everybody with a token, so it has keys of its own, which protect nothing else. */
export type KeySource = "platform" | "service";

export const keySourceOf = (keySystem: KeySystem): KeySource => (keySystem === "clearkey" ? "platform" : "service");

/** The key systems that a key is for. */
export const keySystemsOf = (source: KeySource): KeySystem[] =>
  KEY_SYSTEMS.filter((keySystem) => keySourceOf(keySystem) === source);

/** A key of a media, with what its key systems need to know. */
export interface MediaKey {
  /** An asset, or a live session. */
  targetId: string;
  source: KeySource;
  contentKey: ContentKey;
  signals: ServiceSignals;
}

export const protectionOf = ({ contentKey, signals }: MediaKey, keySystems: readonly KeySystem[]): Protection => ({
  keyId: contentKey.keyId,
  iv: contentKey.iv,
  signals: keySystems.map((keySystem) => signalOf(keySystem, contentKey.keyId, signals)),
});

function signalOf(keySystem: KeySystem, keyId: string, signals: ServiceSignals): KeySystemSignal {
  switch (keySystem) {
    case "clearkey": // hls.js takes the first 16 bytes of the URI's data as the key id
      return { keySystem, pssh: commonPssh(keyId), hlsUri: dataUri(uuidBytes(keyId)) };
    case "widevine": {
      const given = signals.widevinePssh === undefined ? null : fromBase64(signals.widevinePssh);
      const pssh = given ?? widevinePssh(keyId);
      return { keySystem, pssh, hlsUri: dataUri(pssh) };
    }
    case "fairplay":
      return { keySystem, pssh: null, hlsUri: signals.fairplayUri ?? `skd://${keyId}` };
  }
}

const dataUri = (bytes: Uint8Array) => `data:text/plain;base64,${toBase64(bytes)}`;
