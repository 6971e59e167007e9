import { isPlainJson, type YamlText } from '@apiserver/apimachinery/codec/yaml';
import type { Exchange } from '@apiserver/apiserver-contracts';
import type { HandlerEnvironment } from '../scope/handler-environment.js';
import { hasManyValues, MAX_BODY_VALUES, tooManyValues } from './body-values.js';
import { isLargeBody } from './give-way.js';

/**
 * Returns the JSON text that large YAML was read as, or throws its fault. The fault is known before it may be reported:
 * upstream looks at a body later, and other faults go before its.
 */
export type ReadYaml = () => YamlText;

/** Reads large YAML beside this thread; undefined where it is small, or where that is not possible: then it is read here. */
export function readLargeYaml(
  { parseLargeYaml }: Pick<HandlerEnvironment, 'parseLargeYaml'>,
  { signal }: Pick<Exchange, 'signal'>,
  bytes: Uint8Array,
): Promise<ReadYaml> | undefined {
  if (parseLargeYaml === undefined || !isLargeBody(bytes, 'yaml')) return undefined;
  return isShortJson(bytes)
    ? Promise.resolve(() => ({ json: bytes, duplicates: undefined }))
    : parseLargeYaml(bytes, MAX_BODY_VALUES, signal).then(reading, throwing);
}

/** JSON is read here: that costs no more than receiving it from another thread. */
function isShortJson(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b && !hasManyValues(bytes) && isPlainJson(bytes);
}

function reading(text: YamlText | undefined): ReadYaml {
  return () => {
    // Aliases make many values of a few bytes.
    if (text === undefined || hasManyValues(text.json)) throw tooManyValues();
    return text;
  };
}

function throwing(error: unknown): ReadYaml {
  return () => {
    throw error;
  };
}
