import { tokenJson } from './token-json.js';

/** Decodes a part of a compact JWT: 0 for its header, 1 for its claims. Undefined if the token is no compact JWT. */
export function jsonPart(token: string, index: 0 | 1): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split('.', 4);
  const part = parts[index];
  if (parts.length !== 3 || part === undefined || !/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  try {
    const value: unknown = tokenJson(part);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
