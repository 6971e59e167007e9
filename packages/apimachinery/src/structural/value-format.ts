import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isDNS1123Label, isDNS1123Subdomain } from '../validation/dns-name.js';
import { parseTime } from '../values/time.js';

type Check = (text: string) => boolean;

/** Whether a text has the format; undefined for formats that nothing is checked for. Upstream: kube-openapi strfmt */
export function formatCheck(format: string): Check | undefined {
  // Names are compared without dashes, as upstream's registry does; formats of Kubernetes keep theirs.
  return checks.get(format) ?? checks.get(format.replaceAll('-', ''));
}

const matches =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

const uuid = (version: string): Check =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'));
const variantUuid = (version: string): Check =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', matches(/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/)],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', matches(/^([0-9a-fA-F]{2}([:-]))([0-9a-fA-F]{2}\2){4}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/)],
  ['uuid', uuid('[0-9a-f]')],
  ['uuid3', uuid('3')],
  ['uuid4', variantUuid('4')],
  ['uuid5', variantUuid('5')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRgbColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', matches(/^(\d+(\.\d+)?\s?(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|week|wk)s?\s*)+$/)],
  ['datetime', isDateTime],
  ['k8s-short-name', (text) => isDNS1123Label(text).length === 0],
  ['k8s-long-name', (text) => isDNS1123Subdomain(text).length === 0],
]);

function isRequestUri(text: string): boolean {
  if (text.startsWith('/')) return !/[\s\p{Cc}]/u.test(text);
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text);
}

function isHostname(text: string): boolean {
  if (text.length === 0 || text.length > 255) return false;
  return text.split('.').every((label) => /^[\p{L}\p{N}]([\p{L}\p{N}_-]{0,61}[\p{L}\p{N}])?$/u.test(label));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const family = isIP(address);
  if (more.length > 0 || family === 0 || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128);
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)?.slice(1);
  return parts?.every((part) => Number(part) <= 255) ?? false;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  try {
    parseTime(text);
    return true;
  } catch {
    return false;
  }
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return [...digits].reduce((sum, c, i) => sum + (i + 1) * (c === 'X' ? 10 : Number(c)), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, c, i) => sum + (i % 2 === 0 ? 1 : 3) * Number(c), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (
    !/^(4\d{12}(\d{3})?|5[1-5]\d{14}|6(011|5\d\d)\d{12}|3[47]\d{13}|3(0[0-5]|[68]\d)\d{11}|(2131|1800|35\d{3})\d{11})$/.test(
      digits,
    )
  )
    return false;
  const sum = [...digits].reverse().reduce((total, c, i) => {
    const doubled = Number(c) * (i % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
