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
    return typeFault(kind);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return error.message.startsWith(TOO_LARGE) ? (outerFault(bytes) ?? error.message) : error.message;
  }
}

/** The beginning of the fault of a number that no float has. Upstream finds it in objects only. */
const TOO_LARGE = 'json: cannot unmarshal number';

/** The fault of a list or a number, whatever it contains; undefined for an object. */
function outerFault(bytes: Uint8Array): string | undefined {
  const first = Buffer.from(bytes).toString('latin1').trimStart().charAt(0);
  if (first === '{') return undefined;
  return typeFault(first === '[' ? 'array' : 'number');
}

function typeFault(kind: string): string {
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}
