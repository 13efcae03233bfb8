/** The protection of a media under Common Encryption (ISO/IEC 23001-7), scheme `cbcs`: AES-128 in CBC mode with a constant initialization vector. */

/** One key for all tracks of a media. */
export interface ContentKey {
  /** UUID, in lower case. */
  keyId: string;
  /** 16 bytes. */
  key: Uint8Array<ArrayBuffer>;
  /** 16 bytes; the same for all samples. */
  iv: Uint8Array<ArrayBuffer>;
}

/** What a key system needs to ask for the licence. */
export interface KeySystemSignal {
  keySystem: KeySystem;
  /** A whole `pssh` box; null = the key system has none. */
  pssh: Uint8Array<ArrayBuffer> | null;
  /** URI of the key in HLS playlists. */
  hlsUri: string;
}

export const KEY_SYSTEMS = ["clearkey", "widevine", "fairplay"] as const;
export type KeySystem = (typeof KEY_SYSTEMS)[number];

/** What manifests and init segments say about the protection. It has no secret. */
export interface Protection {
  keyId: string;
  iv: Uint8Array<ArrayBuffer>;
  signals: KeySystemSignal[];
}

/** 16 bytes of a UUID. */
export const uuidBytes = (uuid: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(uuid.replaceAll("-", "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
