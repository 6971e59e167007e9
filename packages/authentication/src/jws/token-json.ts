import { Buffer } from 'node:buffer';
import { parseJsonText } from '@apiserver/apimachinery/codec/json';

/** The value of JSON in base64url. Throws an Error for any other text. */
export function tokenJson(part: string): unknown {
  return parseJsonText(Buffer.from(part, 'base64url').toString());
}
