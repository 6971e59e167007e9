import { isMembers } from '../../json/is-members.js';
import { setOwn } from '../../json/set-own.js';
import { exactJson, parseJson } from './parse-json.js';

/**
 * The value of JSON.parse, with the names that the text has: JSON.parse may give an escaped name that of an earlier
 * text, as in `"https:\\/\\/example.com\\/groups"` (V8 14.6). Throws an Error for text that is not JSON.
 */
export function parseJsonText(text: string): unknown {
  if (!text.includes('\\')) return JSON.parse(text);
  const parsed = parseJson(Buffer.from(text));
  return parsed.scan.odd ? withoutBigints(exactJson(parsed)) : parsed.value;
}

/** The value with the numbers that JSON.parse makes. Changes it. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) for (const [i, item] of value.entries()) value[i] = withoutBigints(item);
  else if (isMembers(value)) for (const name of Object.keys(value)) setOwn(value, name, withoutBigints(value[name]));
  return value;
}
