/** One DER element: its tag byte, its content, and all of its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Tags that certificates use. Context-specific ones are 0xa0 + n (constructed) or 0x80 + n. */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Maximum number of elements side by side. A certificate has some thousands at most: its names. */
const MAX_ELEMENTS = 20_000;

/** The consecutive elements in `bytes`. Throws on anything that is not DER, and on more than 20,000 elements. */
export function readDerElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    if (elements.length === MAX_ELEMENTS) throw malformed();
    const { element, end } = readDerElement(bytes, offset);
    elements.push(element);
    offset = end;
  }
  return elements;
}

/** The only element in `bytes`. Throws if there are others, or if it has another tag. */
export function readOnlyDerElement(bytes: Uint8Array, tag: number): DerElement {
  const [element, ...more] = readDerElements(bytes);
  if (element === undefined || more.length > 0 || element.tag !== tag) throw malformed();
  return element;
}

/** The first element in `bytes`, behind which there may be others. Throws on anything that is not DER. */
export function readFirstDerElement(bytes: Uint8Array): DerElement {
  return readDerElement(bytes, 0).element;
}

/** Dotted decimal form of an OBJECT IDENTIFIER's content. Throws for a number beyond 2^53. */
export function readObjectIdentifier(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) throw malformed();
    if ((byte & 0x80) !== 0) continue;
    if (arcs.length === 0) arcs.push(Math.min(Math.floor(arc / 40), 2), arc - Math.min(Math.floor(arc / 40), 2) * 40);
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}

/** The dotted form of an element that is an object identifier. Throws an Error for any other element. */
export function readDerIdentifier(element: DerElement | undefined): string {
  if (element?.tag !== derTag.objectIdentifier) throw malformed();
  return readObjectIdentifier(element.content);
}

/**
 * The text of a string element; undefined if its type is not a string. Throws for bytes that the type does not allow.
 */
export function readDerString({ tag, content }: DerElement): string | undefined {
  switch (tag) {
    case derTag.utf8String:
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    case derTag.numericString:
      return textOf(content, /^[0-9 ]*$/);
    case derTag.printableString:
      return textOf(content, /^[A-Za-z0-9 '()+,\-./:=?*&]*$/);
    case derTag.ia5String:
      if (content.some((byte) => byte > 0x7f)) throw malformed();
      return Buffer.from(content).toString('latin1');
    case derTag.t61String:
      return Buffer.from(content).toString('latin1');
    case derTag.bmpString:
      return Buffer.from(content).swap16().toString('utf16le');
    default:
      return undefined;
  }
}

/** Upstream accepts `*` and `&` in a PrintableString, which authorities use contrary to the standard. */
function textOf(content: Uint8Array, alphabet: RegExp): string {
  const text = Buffer.from(content).toString('latin1');
  if (!alphabet.test(text)) throw malformed();
  return text;
}

function readDerElement(bytes: Uint8Array, start: number): { element: DerElement; end: number } {
  const tag = byteAt(bytes, start);
  const first = byteAt(bytes, start + 1);
  let contentStart = start + 2;
  let length = first;
  if (first >= 0x80) {
    const lengthBytes = first & 0x7f;
    if (lengthBytes === 0 || lengthBytes > 4) throw malformed();
    length = 0;
    for (let index = 0; index < lengthBytes; index++) length = length * 256 + byteAt(bytes, contentStart++);
    const least = lengthBytes === 1 ? 0x80 : 256 ** (lengthBytes - 1);
    if (length < least) throw malformed();
  }
  const end = contentStart + length;
  if (end > bytes.length) throw malformed();
  return { element: { tag, content: bytes.subarray(contentStart, end), bytes: bytes.subarray(start, end) }, end };
}

function byteAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw malformed();
  return byte;
}

function malformed(): Error {
  return new Error('x509: malformed certificate');
}
