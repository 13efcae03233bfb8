/** What media are scored for (media contract, moderation). Pure. */

/** Each category with what it means to a model. */
const MEANINGS = {
  harassment: "insulting, mocking, bullying or degrading a person or group",
  "harassment/threatening": "harassment that also threatens violence or serious harm to somebody",
  hate: "hatred or contempt for people because of race, ethnicity, religion, nationality, gender, sexual orientation, disability or caste, or its symbols",
  "hate/threatening": "such hatred that also threatens violence or serious harm",
  illicit: "how to commit a crime, or making, selling or using illegal drugs or other illegal goods",
  "illicit/violent": "the same with violence, or how to get or make a weapon or an explosive",
  "self-harm": "suicide, cutting, eating disorders or another harm that somebody does to themselves",
  "self-harm/intent": "somebody saying that they harm themselves, or intend to",
  "self-harm/instructions": "how to harm oneself, or encouragement to do so",
  sexual: "nudity, a sexual act, or content meant to arouse, except for medicine and education",
  "sexual/minors": "sexual content with somebody under 18 years of age",
  violence: "death, violence or physical injury, wanted, threatened or shown",
  "violence/graphic": "death, violence or physical injury in graphic detail, such as blood and open wounds",
} as const;
export type ModerationCategory = keyof typeof MEANINGS;

export const meaningOf = (category: ModerationCategory): string => MEANINGS[category];

/** In the order of results. */
export const MODERATION_CATEGORIES = Object.keys(MEANINGS) as [ModerationCategory, ...ModerationCategory[]];

/** What a single picture can show. The others are said or written. Nine pictures with seven questions each are within the 64 questions of Clef. */
export const SEEN_CATEGORIES = [
  "hate",
  "illicit",
  "self-harm",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const satisfies ModerationCategory[];

/** Part of an id of a question, which may have no slash. */
export const idOf = (category: ModerationCategory): string => category.replace("/", "-");
