/** Talks about known subjects, with known times: each sentence takes three seconds, and a second and a half of silence lies between two subjects. */
import type { Sentence } from "../../src/ai/text/transcript.ts";

interface Subject {
  name: string;
  sentences: string[];
}

const SUBJECTS: Record<string, string> = {
  bees: "A colony of bees lives in a hive with one queen. The queen lays eggs in the cells of the comb. Worker bees collect nectar and pollen from flowers. Nectar becomes honey when the workers dry it in the comb. A beekeeper opens the hive and takes out some honey. Smoke keeps the bees calm while the beekeeper works. In winter the colony eats its honey and keeps the queen warm. Mites are the worst enemy of a hive. A swarm leaves when the hive has too many bees. The beekeeper catches the swarm and gives it a new hive.",
  bridges:
    "A suspension bridge hangs from steel cables. The cables run over two towers to anchors on the shore. Engineers spin the cables from thousands of wires. The deck of the bridge is stiffened with trusses against the wind. Concrete piers carry the towers down to the rock. A bridge in Tacoma fell because the wind made its deck twist. Since then engineers test every deck in a wind tunnel. Rust is a danger to steel cables, so the cables are wrapped. Painters never finish the steel of a large bridge. A cable stayed bridge needs no anchors on the shore.",
  bread:
    "Bread begins with flour, water, salt and yeast. The baker kneads the dough until it is smooth. Yeast eats the sugar of the flour and makes the dough rise. A sourdough needs a starter instead of yeast. The starter is fed with flour and water every day. The oven must be hot before the loaf goes in. Steam in the oven gives the loaf a shiny crust. A baker taps the loaf to hear whether it is done. Rye flour makes a dense dough and a dark loaf. The crust sings when the bread cools.",
  stars:
    "A star is born in a cloud of hydrogen gas. Gravity pulls the gas together until fusion begins. Fusion turns hydrogen into helium and makes the star shine. A telescope splits the light of a star into a spectrum. The spectrum tells astronomers which elements the star has. Blue stars are hotter than red stars. When the hydrogen is gone the star becomes a red giant. A heavy star ends as a supernova. A neutron star is what a supernova leaves behind. Astronomers saw two neutron stars merge through their gravity waves.",
  chess:
    "A chess game begins with sixteen pieces for each player. The opening decides who controls the center of the board. A pawn that reaches the last row becomes a queen. Grandmasters study openings for many hours. In the endgame the king becomes a strong piece. A knight jumps over other pieces. Two rooks on an open file are hard to stop. Time trouble makes even a grandmaster blunder a piece. Computers play chess better than any grandmaster. A draw is common when both players know the opening.",
  sailing:
    "A sailing boat moves because the wind fills its sails. The skipper trims the sails with ropes that sailors call sheets. Against the wind the boat must tack again and again. The keel stops the boat from drifting sideways. A reef makes the sail smaller when the wind is strong. The crew leans out to keep the boat flat. The mast is held by shrouds and stays. In a calm the skipper waits for wind. A spinnaker is a big sail for wind from behind. The boat that tacks first often wins the regatta.",
  coffee:
    "Coffee grows on hills near the equator. The coffee cherries turn red when they are ripe. Farmers wash the beans and dry them in the sun. A roaster heats the beans until they crack. A dark roast tastes bitter and a light roast tastes sour. The barista grinds the beans just before brewing. Espresso is brewed under high pressure. Milk is steamed until it is sweet and smooth. Filter coffee needs coarse ground beans. Caffeine keeps the drinker awake.",
  glaciers:
    "A glacier forms where more snow falls than melts. The snow is pressed into ice over many years. The ice flows slowly down the valley. Crevasses open where the glacier bends. The glacier carries rocks and leaves them as a moraine. Melting ice feeds rivers in the summer. Scientists drill ice cores out of the glacier. Bubbles in the ice hold very old air. Many glaciers in the Alps have lost half of their ice. When a glacier reaches the sea it calves icebergs.",
  printing:
    "A printer sets type letter by letter in a metal frame. Ink is rolled over the type before each sheet. The press pushes paper against the inked type. Gutenberg printed a bible with movable type. Lithography prints from a flat stone with oily ink. Offset printing moves the ink over a rubber blanket. Four inks make all the colors of a printed page. The printer checks each sheet for the register of its colors. Paper must rest before it goes into the press. A bookbinder folds the printed sheets and sews them.",
  railways:
    "A train runs on two steel rails. The rails lie on sleepers in a bed of gravel. Signals keep trains apart on the same track. A locomotive pulls the cars up the hill. Electric trains take their power from a wire above the track. The conductor checks the tickets of passengers. A switch guides the train from one track to another. High speed trains need a track without level crossings. Freight trains run at night when passengers sleep. The station master gives the sign for departure.",
};

const SENTENCE_MS = 3000;
const PAUSE_MS = 1500;

export interface Talk {
  sentences: Sentence[];
  /** Where each subject begins. */
  startsMs: number[];
  durationMs: number;
  subjects: string[];
}

const subject = (name: string): Subject => ({ name, sentences: SUBJECTS[name]!.split(/(?<=\.) /) });

/** Ten talks of four or five subjects each. */
export const talks = (): Talk[] => {
  const names = Object.keys(SUBJECTS);
  return Array.from({ length: 10 }, (_, n) => {
    const count = 4 + (n % 2);
    const subjects = Array.from({ length: count }, (_unused, k) => names[(n + k * 3) % names.length]!);
    return talkOf(subjects);
  });
};

export function talkOf(subjects: string[]): Talk {
  const sentences: Sentence[] = [];
  const startsMs: number[] = [];
  let at = 0;
  for (const name of subjects) {
    startsMs.push(at);
    for (const text of subject(name).sentences) {
      sentences.push({ text, startMs: at, endMs: at + SENTENCE_MS });
      at += SENTENCE_MS;
    }
    at += PAUSE_MS;
  }
  return { sentences, startsMs, durationMs: at, subjects };
}
