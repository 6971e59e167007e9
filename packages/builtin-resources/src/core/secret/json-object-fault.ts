import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { isDecodeError } from '@apiserver/apimachinery/errors';

/**
 * The reason why bytes are no JSON object, in the words of upstream's decoder; undefined if they are one. `null`
 * counts as one: it decodes to an empty map.
 */
export function jsonObjectFault(bytes: Uint8Array): string | undefined {
  try {
    const value = parseJsonValue(bytes);
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
    const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
}
