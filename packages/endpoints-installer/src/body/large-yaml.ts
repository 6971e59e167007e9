import { isPlainJsonSteps, type YamlText } from '@apiserver/apimachinery/codec/yaml';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { HandlerEnvironment } from '../scope/handler-environment.js';
import { hasManyValues, MAX_BODY_VALUES, tooManyValues } from './body-values.js';
import { inTurns, isLargeBody, nextTurn } from './event-loop-turns.js';

/**
 * Returns the JSON text of large YAML, or throws its error. The call is deferred, because other errors precede it, as
 * upstream.
 */
export type ReadYaml = () => YamlText;

/** Reads large YAML in another thread. Undefined for small YAML and without threads; then it is read in this thread. */
export function readLargeYaml(
  { parseLargeYaml }: Pick<HandlerEnvironment, 'parseLargeYaml'>,
  { signal }: Pick<Exchange, 'signal'>,
  bytes: Uint8Array,
): Promise<ReadYaml> | undefined {
  if (parseLargeYaml === undefined || !isLargeBody(bytes, 'yaml')) return undefined;
  const parse = () => parseLargeYaml(bytes, MAX_BODY_VALUES, signal).then(reading, throwing);
  if (bytes[0] !== OPEN_BRACE) return parse();
  return inTurns(isShortJsonSteps(bytes), nextTurn).then((isShort) =>
    isShort ? laterTurn().then(() => () => ({ json: bytes, duplicates: undefined })) : parse(),
  );
}

const OPEN_BRACE = 0x7b;

/**
 * The check for JSON has already read the body once. A single immediate would run in the same turn as the socket that
 * received the body.
 */
const laterTurn = () => nextTurn().then(nextTurn);

/** JSON is read in this thread, which costs no more than a message from another thread. */
function* isShortJsonSteps(bytes: Uint8Array): Generator<void, boolean> {
  if (hasManyValues(bytes)) return false;
  yield;
  return yield* isPlainJsonSteps(bytes);
}

function reading(text: YamlText | undefined): ReadYaml {
  return () => {
    // Aliases yield many values from a few bytes.
    if (text === undefined || hasManyValues(text.json)) throw tooManyValues();
    return text;
  };
}

function throwing(error: unknown): ReadYaml {
  return () => {
    throw error;
  };
}
