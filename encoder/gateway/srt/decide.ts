/** Decides on a caller with a verified address during its handshake, so that a refusal carries a reason. */
import type { Admission, Reception } from "../reception/incoming.ts";
import { MAX_KEY_LENGTH } from "../reception/stream-key.ts";
import { type Handshake, REJECT, type Rejection, streamKeyOf, VERSION } from "./handshake.ts";
import { isWrappedWith } from "./key-material.ts";

const REASONS: Record<Extract<Admission, { accepted: false }>["reason"], Rejection> = {
  unknown_key: REJECT.notFound,
  disabled: REJECT.forbidden,
  busy: REJECT.conflict,
  wrong_passphrase: REJECT.badSecret,
  overloaded: REJECT.overload,
  unavailable: REJECT.down,
};

export type Decision =
  | { rejection: Rejection }
  | { rejection: null; passphrase: string; admission: Extract<Admission, { accepted: true }> };

/** @param remote "address:port" */
export async function decide(handshake: Handshake, remote: string, reception: Reception): Promise<Decision> {
  if (handshake.version !== VERSION) return { rejection: REJECT.version };
  const named = streamKeyOf(handshake.streamId ?? "");
  if (named === "bad_mode") return { rejection: REJECT.badMode };
  if (named === "no_key" || named.key.length > MAX_KEY_LENGTH) return { rejection: REJECT.badRequest };
  if (handshake.keyMaterial === null) return { rejection: REJECT.unsecure };
  const answer = await reception.passphraseOf(named.key, remote);
  if (!answer.accepted) return { rejection: REASONS[answer.reason] };
  const { passphrase } = answer;
  if (!(await isWrappedWith(handshake.keyMaterial, passphrase))) return { rejection: REJECT.badSecret };
  const admission = await reception.admit({ protocol: "srt", streamKey: named.key, passphrase, remote });
  if (!admission.accepted) return { rejection: REASONS[admission.reason] };
  return { rejection: null, passphrase, admission };
}
