export { findVerifyingKey, isVerifyingKeyKnown } from "./verifying-key.ts";
