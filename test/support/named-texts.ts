/** Texts with the names that are in them, as a person lists them. */
export interface NamedText {
  text: string;
  names: { name: string; category: "person" | "organization" | "location" }[];
}

const named = (text: string, people: string, organizations: string, locations: string): NamedText => ({
  text,
  names: (
    [
      ["person", people],
      ["organization", organizations],
      ["location", locations],
    ] as const
  ).flatMap(([category, list]) =>
    list
      .split(", ")
      .filter((name) => name !== "")
      .map((name) => ({ name, category })),
  ),
});

export const NAMED_TEXTS: NamedText[] = [
  named(
    "Marie Curie was born in Warsaw and studied in Paris. She and Pierre Curie worked at the University of Paris. In 1911 she went to Stockholm for her second prize.",
    "Marie Curie, Pierre Curie",
    "University of Paris",
    "Warsaw, Paris, Stockholm",
  ),
  named(
    "Neil Armstrong and Buzz Aldrin landed on the moon while Michael Collins stayed in orbit. NASA sent them from Florida, and they came down in the Pacific.",
    "Neil Armstrong, Buzz Aldrin, Michael Collins",
    "NASA",
    "Florida, Pacific",
  ),
  named(
    "The talk today is by Grace Hopper, who worked for the Navy and later for Digital Equipment Corporation. She lived in Arlington and taught in New York.",
    "Grace Hopper",
    "Navy, Digital Equipment Corporation",
    "Arlington, New York",
  ),
  named(
    "Microsoft opened an office in Berlin last year. Satya Nadella said that Germany is important, and Google followed with a building in Munich.",
    "Satya Nadella",
    "Microsoft, Google",
    "Berlin, Germany, Munich",
  ),
  named(
    "We met Wangari Maathai in Nairobi. She founded the Green Belt Movement, and the United Nations listened to her. Kenya planted fifty million trees.",
    "Wangari Maathai",
    "Green Belt Movement, United Nations",
    "Nairobi, Kenya",
  ),
];
