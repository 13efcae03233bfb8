export type { AiEnv } from "./ai-env.ts";
export { spokenCodeOf } from "./languages.ts";
export { PROVIDER_ERRORS, ProviderError } from "./provider-error.ts";
export { costOf, type SpeechProvider, speechProviderOf } from "./speech-provider.ts";
export { canNextModel, mostCostOf, type TextProvider, textProviderOf } from "./text-provider.ts";
export type { SpeechSound } from "./speech-request.ts";
export type { TextRequest } from "./text-request.ts";
export { listenerOf, visionProviderOf } from "./vision-provider.ts";
