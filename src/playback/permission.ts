import { type AccessRules, isOpen, permitExpiry, signPermit } from "../tenancy/access/index.ts";
import { isVerifyingKeyKnown } from "../tenancy/signing-keys/index.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { LONGEST_MS } from "./permit-times.ts";

const KEPT_MS = 60_000;
const signed = new TtlCache<string>(512);

/** How a private viewer has been authorized; null for a public playback ID. */
export interface Authority {
  /** The signing key of the token, directly or through a permit. */
  keyId: string;
  expiresAtMs: number;
  by: "token" | "permit";
}

const NOTHING: readonly string[] = [];

/** The headers on which the restrictions of these rules depend. */
function headersOf(...all: (AccessRules | null)[]): readonly string[] {
  const restrictions = all.flatMap((rules) => rules?.accessRestrictions ?? []);
  if (restrictions.length === 0) return NOTHING;
  const [hasDomains, hasUserAgents] = [
    restrictions.some(({ domains }) => !isOpen(domains)),
    restrictions.some(({ userAgents }) => !isOpen(userAgents)),
  ];
  return [...(hasDomains ? ["Origin", "Referer"] : []), ...(hasUserAgents ? ["User-Agent"] : [])];
}

const smaller = (one: AccessRules, other: AccessRules): AccessRules["resolution"] =>
  sizeOf(one) <= sizeOf(other) ? one.resolution : other.resolution;
const sizeOf = ({ resolution }: AccessRules): number =>
  resolution === null ? Infinity : Number.parseInt(resolution, 10);

/** A request that the access rules of its playback ID permit. Only `Viewer` makes one. */
export class Permission {
  /** Those of the playback ID, with the smaller `resolution` where a recording's rules apply, too. */
  readonly rules: AccessRules;
  readonly authority: Authority | null;
  /** Headers of the request on which the permission depends. */
  readonly dependsOn: readonly string[];
  /** It ends with the broadcast, at a time that nobody knows yet, so caches keep the answer for seconds only. */
  readonly isBrief: boolean;
  readonly #jobSecret: string;

  /** @param recording the rules of the recording, which the request has met, too */
  constructor(
    rules: AccessRules,
    authority: Authority | null,
    jobSecret: string,
    { recording = null, isBrief = false }: { recording?: AccessRules | null; isBrief?: boolean } = {},
  ) {
    this.rules = recording === null ? rules : { ...rules, resolution: smaller(rules, recording) };
    this.authority = authority;
    this.dependsOn = headersOf(rules, recording);
    this.isBrief = isBrief;
    this.#jobSecret = jobSecret;
  }

  /** The same for what the rules of the recording permit, too. */
  within(recording: AccessRules): Permission {
    return new Permission(this.rules, this.authority, this.#jobSecret, { recording });
  }

  /** The same for a short time, which caches respect. */
  briefly(): Permission {
    return new Permission(this.rules, this.authority, this.#jobSecret, { isBrief: true });
  }

  /** Whether it holds for every request of the same URL, as long as `isValid`: headers did not decide. */
  get isOfUrl(): boolean {
    return this.dependsOn.length === 0;
  }

  /** Whether its token or permit, and the signing key of it, are still good as far as this isolate knows. */
  isValid(nowMs: number): boolean {
    if (this.authority === null) return true;
    const { keyId, expiresAtMs } = this.authority;
    return expiresAtMs > nowMs && isVerifyingKeyKnown(this.rules.workspaceId, keyId, nowMs);
  }

  /**
   * What stands for a playback ID in the URLs of a manifest: the ID, and for a private one `~` and a permit.
   *
   * @param lastsMs see `permit-times.ts`
   */
  address(lastsMs: number): string {
    return this.addressOf(this.rules, lastsMs) ?? this.rules.playbackId;
  }

  /** The same for the recording or a clip of the stream that this permission is for. @returns null when the viewer may not play it */
  addressOf(other: AccessRules, lastsMs: number): string | null {
    const { playbackId, accessPolicy } = other;
    if (!this.mayPlay(other)) return null;
    if (accessPolicy === "public" || this.authority === null) return playbackId;
    const { keyId, by } = this.authority;
    // A permit is handed on as it is: only a token extends access.
    const expiresAtMs =
      by === "permit" ? this.authority.expiresAtMs : permitExpiry(Date.now(), Math.min(lastsMs, LONGEST_MS));
    return `${playbackId}~${this.#sign({ playbackId, keyId, expiresAtMs })}`;
  }

  /** Whether the access policy of the recording or a clip of the stream lets the stream's viewer play it. */
  mayPlay({ accessPolicy, workspaceId }: AccessRules): boolean {
    if (accessPolicy === "public") return true;
    if (this.authority === null || workspaceId !== this.rules.workspaceId) return false;
    // The recording of a stream with DRM is encrypted too, with a key that the stream's licences contain.
    return accessPolicy !== "drm" || this.rules.accessPolicy === "drm";
  }

  /** Access policies of the recordings and clips that a viewer of the stream may play. */
  get recordingPolicies(): readonly AccessRules["accessPolicy"][] {
    if (this.authority === null) return ["public"];
    return this.rules.accessPolicy === "drm" ? ["public", "private", "drm"] : ["public", "private"];
  }

  #sign(permit: { playbackId: string; keyId: string; expiresAtMs: number }): string {
    const key = Object.values(permit).join(" ");
    const known = signed.get(key, Date.now());
    if (known !== undefined) return known;
    const text = signPermit(this.#jobSecret, permit);
    signed.set(key, text, Date.now() + KEPT_MS);
    return text;
  }
}
