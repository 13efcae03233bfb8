import {
  type ParsedTokenInfo,
  Tokenizer,
  TokenizerError,
  TokenParser,
  TokenParserError,
  TokenType,
} from "@streamparser/json";
import { API_JSON } from "../../../platform/http/json-bounds.ts";
import { MAX_ROW_LENGTH, type RawRow, TOO_LONG } from "./raw-row.ts";
import { toRow } from "./read-ndjson.ts";
import { refuseFile } from "./refuse-file.ts";

/** Pieces are cut to this length, so that a row cannot grow much beyond its bound before it is seen. */
const STEP = 32 * 1024;
/** The two that hold the rows, and those within one. */
const MAX_DEPTH = 2 + API_JSON.maxDepth;

const HINT = "must be a JSON array of videos, or an object whose `items` is one";

/**
 * The elements of a JSON array, or of the array `items` of an object, whose other members are skipped.
 *
 * @throws {Problem} validation_failed for what is not such JSON, and for a row beyond MAX_ROW_LENGTH
 */
export async function* readJson(texts: AsyncIterable<string>): AsyncGenerator<RawRow> {
  const rows: RawRow[] = [];
  const parser = openParser((value) => rows.push(toRow(value)));
  let length = 0;
  for await (const text of texts) {
    for (let at = 0; at < text.length; at += STEP) {
      const step = text.slice(at, at + STEP);
      parser.write(step);
      length = rows.length > 0 ? 0 : length + step.length;
      if (length > MAX_ROW_LENGTH) throw refuseFile(`has a video that ${TOO_LONG}`, HINT);
      yield* rows;
      rows.length = 0;
    }
  }
  parser.end();
  yield* rows;
}

interface Parser {
  /** @throws {Problem} validation_failed */
  write(text: string): void;
  /** @throws {Problem} validation_failed */
  end(): void;
}

function openParser(onItem: (value: unknown) => void): Parser {
  const tokenizer = new Tokenizer();
  const shape = new Shape();
  let tokens: TokenParser | null = null;
  tokenizer.onToken = (token) => {
    tokens ??= openTokens(token.token, onItem);
    shape.see(token);
    tokens.write(token);
  };
  tokenizer.onError = rethrow;
  return {
    write: (text) => orRefuse(() => tokenizer.write(text)),
    end() {
      orRefuse(() => tokenizer.end());
      if (shape.depth > 0) throw refuseFile("ends in the middle of its JSON", HINT);
      if (!shape.hasItems) throw refuseFile("has no array of videos", HINT);
    },
  };
}

function openTokens(first: TokenType, onItem: (value: unknown) => void): TokenParser {
  const isArray = first === TokenType.LEFT_BRACKET;
  if (!isArray && first !== TokenType.LEFT_BRACE) throw refuseFile("is neither a JSON array nor an object", HINT);
  const tokens = new TokenParser({ paths: [isArray ? "$.*" : "$.items.*"], keepStack: false });
  tokens.onValue = ({ value }) => onItem(value);
  tokens.onError = rethrow;
  return tokens;
}

/** What the parser does not bound or say: how deep it is, and whether there was an array of videos. */
class Shape {
  depth = 0;
  hasItems = false;
  #lastText: string | null = null;
  /** Within the outer object, after the name of a member. */
  #member: string | null = null;

  /** @throws {Problem} validation_failed */
  see({ token, value }: ParsedTokenInfo): void {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#open(token);
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.depth -= 1;
    if (token === TokenType.COLON) this.#name(this.#lastText);
    this.#lastText = token === TokenType.STRING ? String(value) : null;
  }

  #open(token: TokenType): void {
    const isArray = token === TokenType.LEFT_BRACKET;
    if (isArray && (this.depth === 0 || (this.depth === 1 && this.#member === "items"))) this.hasItems = true;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw refuseFile(`nests deeper than ${MAX_DEPTH} levels`, HINT);
  }

  #name(text: string | null): void {
    // Schemas drop this name, so a pair of metadata would be lost without a word.
    if (text === "__proto__") throw refuseFile("has a key named __proto__", "leave it out");
    if (this.depth === 1) this.#member = text;
  }
}

function rethrow(error: Error): never {
  throw error;
}

/** The parser's own words may have parts of the file. */
function orRefuse(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof TokenizerError || error instanceof TokenParserError) throw refuseFile("is not JSON", HINT);
    throw error;
  }
}
