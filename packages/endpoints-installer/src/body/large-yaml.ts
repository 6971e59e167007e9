import { isPlainJson, type YamlText } from '@apiserver/apimachinery/codec/yaml';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { HandlerEnvironment } from '../scope/handler-environment.js';
import { hasManyValues, MAX_BODY_VALUES, tooManyValues } from './body-values.js';
import { isLargeBody, nextTurn } from './give-way.js';

/**
 * Returns the JSON text of large YAML, or throws its fault. The fault is reported later: upstream decodes a body later,
 * and other faults precede it.
 */
export type ReadYaml = () => YamlText;

/** Reads large YAML in another thread; undefined if it is small, or that is not possible: then it is read in place. */
export function readLargeYaml(
  { parseLargeYaml }: Pick<HandlerEnvironment, 'parseLargeYaml'>,
  { signal }: Pick<Exchange, 'signal'>,
  bytes: Uint8Array,
): Promise<ReadYaml> | undefined {
  if (parseLargeYaml === undefined || !isLargeBody(bytes, 'yaml')) return undefined;
  return isShortJson(bytes)
    ? laterTurn().then(() => () => ({ json: bytes, duplicates: undefined }))
    : parseLargeYaml(bytes, MAX_BODY_VALUES, signal).then(reading, throwing);
}

/** It was read once to see that it is JSON. An immediate alone runs in the turn of the socket that brought the body. */
const laterTurn = () => nextTurn().then(nextTurn);

/** JSON is read in place: that costs no more than receiving it from another thread. */
function isShortJson(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b && !hasManyValues(bytes) && isPlainJson(bytes);
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
