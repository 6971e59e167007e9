import { Buffer } from 'node:buffer';

/** A part of a token in compact form, 0 for its header and 1 for its claims; undefined for what is no such token. */
export function jsonPart(token: string, index: 0 | 1): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split('.', 4);
  const part = parts[index];
  if (parts.length !== 3 || part === undefined || !/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
