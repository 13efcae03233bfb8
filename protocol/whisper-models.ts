/** Speech models in ggml's format by their names, with their SHA-1 sums, as whisper.cpp publishes them (the page of its models, November 2026). */
export const WHISPER_MODELS: Readonly<Record<string, string>> = {
  tiny: "bd577a113a864445d4c299885e0cb97d4ba92b5f",
  "tiny-q5_1": "2827a03e495b1ed3048ef28a6a4620537db4ee51",
  base: "465707469ff3a37a2b9b8d8f89f2f99de7299dac",
  "base-q5_1": "a3733eda680ef76256db5fc5dd9de8629e62c5e7",
  small: "55356645c2b361a969dfd0ef2c5a50d530afd8d5",
  "small-q5_1": "6fe57ddcfdd1c6b07cdcc73aaf620810ce5fc771",
  medium: "fd9727b6e1217c2f614f9b698455c4ffd82463b4",
  "large-v3-turbo": "4af2b29d7ec73d781377bfd1758ca957a807e941",
  "large-v3-turbo-q5_0": "e050f7970618a659205450ad97eb95a18d69c9ee",
};
export const WHISPER_COLLECTION = "https://huggingface.co/ggerganov/whisper.cpp/resolve/main";
