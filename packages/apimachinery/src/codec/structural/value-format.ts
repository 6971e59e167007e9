import { isDNS1123Label, isDNS1123Subdomain } from '../../validation/dns-name.js';
import { byteLength } from '../../validation/messages.js';
import { isDurationText } from './duration-text.js';
import { isEmailAddress } from './email-address.js';
import { ipVersion, sloppyIpVersion } from './ip-text.js';
import { isRequestUri } from './request-uri.js';

type Check = (text: string) => boolean;

/** The check of a format; undefined for formats without one. Upstream: kube-openapi strfmt */
export function formatCheck(format: string): Check | undefined {
  // Names are compared without dashes, as in upstream's registry.
  return checks.get(format.replaceAll('-', ''));
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
  ['email', isEmailAddress],
  ['hostname', isHostname],
  // Any address with dotted decimals.
  ['ipv4', (text) => text.includes('.') && sloppyIpVersion(text) !== 0],
  ['ipv6', (text) => ipVersion(text) === 6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', uuid('[0-9a-f]')],
  ['uuid3', uuid('3')],
  ['uuid4', variantUuid('4')],
  ['uuid5', variantUuid('5')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRgbColor],
  ['byte', (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDurationText],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => isDNS1123Label(text).length === 0],
  ['k8slongname', (text) => isDNS1123Subdomain(text).length === 0],
]);

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;

function isHostname(text: string): boolean {
  if (byteLength(text) > 255 || !HOSTNAME.test(text)) return false;
  return text.split('.').every((label) => byteLength(label) <= 63);
}

/**
 * 6, 8 or 20 bytes, with a colon or dash between each, a dot between every two, or no separator. Upstream: ParseMAC of
 * Go's net
 */
function isMac(text: string): boolean {
  const separated = /^[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(?:\1[0-9a-fA-F]{2})+$/.test(text);
  const plain = separated || /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text) || /^[0-9a-fA-F]+$/.test(text);
  return plain && [12, 16, 40].includes(text.replace(/[:.-]/g, '').length);
}

/** Upstream: IsDateTime of strfmt */
function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hour = '', minute = '', second = ''] =
    /^(\d{2}):(\d{2}):(\d{2})(?:[^\n]\d+)?(?:z|[+-]\d{2}:\d{2})$/u.exec(time) ?? [];
  return hour !== '' && isDate(date) && hour <= '23' && minute <= '59' && second <= '59';
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const family = sloppyIpVersion(address);
  if (more.length > 0 || family === 0 || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128);
}

function isRgbColor(text: string): boolean {
  const parts =
    /^rgb\([\t\n\f\r ]*(\d{1,3})[\t\n\f\r ]*,[\t\n\f\r ]*(\d{1,3})[\t\n\f\r ]*,[\t\n\f\r ]*(\d{1,3})[\t\n\f\r ]*\)$/
      .exec(text)
      ?.slice(1);
  return parts?.every((part) => Number(part) <= 255 && String(Number(part)) === part) ?? false;
}

function isDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return [...digits].reduce((sum, c, i) => sum + (i + 1) * (c === 'X' ? 10 : Number(c)), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, c, i) => sum + (i % 2 === 0 ? 1 : 3) * Number(c), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
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
