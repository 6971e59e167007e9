import { Buffer } from 'node:buffer';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { isMembers, setOwn } from '@apiserver/apimachinery/json';

/**
 * The value of JSON in base64url. Throws an Error for any other text. JSON.parse may give an escaped name that of an earlier
 * token, as in `"https:\/\/example.com\/groups"` (V8 14.6).
 */
export function tokenJson(part: string): unknown {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.includes('\\') ? withoutBigints(parseJsonValue(bytes)) : JSON.parse(bytes.toString());
}

/** The value with the numbers that JSON.parse makes. Changes it. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) for (const [i, item] of value.entries()) value[i] = withoutBigints(item);
  else if (isMembers(value)) for (const name of Object.keys(value)) setOwn(value, name, withoutBigints(value[name]));
  return value;
}
