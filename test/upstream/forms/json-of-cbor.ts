import { decodeCborValue } from '@apiserver/apimachinery/codec/cbor';

/** CBOR in JSON with sorted members, as upstream's program returns it. */
export function jsonOfCbor(bytes: Uint8Array): string {
  return sortedJson(decodeCborValue(bytes));
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  }
  const members = Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${members.map(([key, member]) => `${sortedJson(key)}:${sortedJson(member)}`).join(',')}}`;
}
