export type { AiEnv } from "./ai-env.ts";
export { spokenCodeOf } from "./languages.ts";
export { PROVIDER_ERRORS, ProviderError } from "./provider-error.ts";
export { costOf, type SpeechProvider, speechProviderOf } from "./speech-provider.ts";
