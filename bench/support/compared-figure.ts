import type { Figure } from "./figures.ts";
import { compare, type Load } from "./load.ts";

/** A request of the product, and the one that it is compared with. */
export interface ComparedLoads {
  name: string;
  product: Load;
  yardstick: Load;
  /** Describes the yardstick. */
  against: string;
  /** The ratio of requests a second that the product must reach; null = the figure has no aim. */
  aim: number | null;
}

/** Measures both alternately, and prints the ratio. */
export async function comparedFigure(baseUrl: string, loads: ComparedLoads): Promise<Figure> {
  const { name, product, yardstick, against, aim } = loads;
  const { ratio, productPerSecond, yardstickPerSecond, rounds } = await compare(baseUrl, product, yardstick);
  console.error(`  ${name}: ${ratio.toFixed(2)} × of ${against}`);
  return {
    name,
    value: `${ratio.toFixed(2)} × (${Math.round(productPerSecond)} a second)`,
    yardstick: `${against}: ${Math.round(yardstickPerSecond)}`,
    aim: aim === null ? "" : `≥ ${aim} ×`,
    isMet: aim === null ? null : ratio >= aim,
    raw: rounds,
  };
}
