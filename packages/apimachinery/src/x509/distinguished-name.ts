import { readDerElements, readDerIdentifier, readDerString } from './der-reader.js';

/** An attribute of a name: its type, and its value, which is undefined if it is no string. */
export type NameAttribute = readonly [type: string, value: string | undefined];

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

/** The attributes of a distinguished name, in order. Throws an Error for malformed DER. */
export function readNameAttributes(name: Uint8Array): NameAttribute[] {
  return readDerElements(name).flatMap((set) =>
    readDerElements(set.content).map((attribute) => {
      const [type, value] = readDerElements(attribute.content);
      return [readDerIdentifier(type), value === undefined ? undefined : readDerString(value)] as const;
    }),
  );
}

/** The last common name; "" without one. */
export function commonNameOf(attributes: readonly NameAttribute[]): string {
  return attributes.findLast(([type]) => type === COMMON_NAME)?.[1] ?? '';
}

/** All organizations, in order. */
export function organizationsOf(attributes: readonly NameAttribute[]): string[] {
  return attributes.flatMap(([type, value]) => (type === ORGANIZATION && value !== undefined ? [value] : []));
}
