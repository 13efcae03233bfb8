export type { AiEnv } from "./ai-env.ts";
export { PROVIDER_ERRORS, ProviderError } from "./provider-error.ts";
export type { Transcription } from "./read-transcription.ts";
export { costOf, type SpeechProvider, speechProviderOf } from "./speech-provider.ts";
export type { AiBinding } from "./workers-ai.ts";
