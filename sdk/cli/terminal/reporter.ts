import { Screen } from "./screen.ts";

/** A command's output: one JSON object per line, or text. */
export interface Reporter {
  readonly isJson: boolean;
  readonly screen: Screen;
  /** Reports a moment: as JSON, or through `inText`. */
  readonly say: (moment: { kind: string } & Record<string, unknown>, inText: (screen: Screen) => void) => void;
}

export function createReporter(isJson: boolean): Reporter {
  const screen = new Screen();
  return {
    isJson,
    screen,
    say: (moment, inText) => (isJson ? console.log(JSON.stringify(moment)) : inText(screen)),
  };
}
