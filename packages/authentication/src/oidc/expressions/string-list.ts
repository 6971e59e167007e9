import { ListValue, OptionalValue, type Value } from '@apiserver/cel';
import { TokenError } from '../../token-error.js';

const FAULT = 'expression must return a string or a list of strings';

/**
 * The texts of a result. Empty texts, and null, count as absent. Throws an Error with upstream's message for anything
 * else.
 * Upstream: convertCELValueToStringList of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function stringList(value: Value): readonly string[] {
  if (value === null || value === '') return [];
  if (typeof value === 'string') return [value];
  if (!(value instanceof ListValue)) throw new TokenError(FAULT);
  const texts: string[] = [];
  for (let index = 0; index < value.size; index++) {
    const element = textIn(value.at(index));
    if (typeof element !== 'string') throw new TokenError(FAULT);
    if (element !== '') texts.push(element);
  }
  return texts;
}

/** The value of an optional, as Go sees it. */
function textIn(element: Value): Value | undefined {
  return element instanceof OptionalValue ? element.value : element;
}
