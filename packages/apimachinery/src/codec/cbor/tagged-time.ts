import { DecodeError } from '../../errors/decode-error.js';
import { messageOf } from '../../errors/message-of.js';
import { parseTime } from '../../values/time.js';
import { hasFourDigitYear, YEAR_OUT_OF_RANGE } from '../time-parts.js';
import { type CborCursor, MAJOR } from './cbor-cursor.js';
import { decodeText, readInteger } from './decode-scalar.js';

/**
 * The time at the cursor as RFC 3339 text with up to nine digits of fraction. Its tag is 0 (text) or 1 (seconds since
 * 1970). Throws DecodeError with upstream's text.
 *
 * Upstream: TimeTagToRFC3339Nano in github.com/fxamacker/cbor/v2
 */
export function taggedTime(cursor: CborCursor): string {
  const isText = cursor.argument() === 0;
  if (isText) return textTime(decodeText(cursor));
  return epochTime(cursor.major() === MAJOR.primitive ? cursor.float(cursor.argument()) : Number(readInteger(cursor)));
}

function textTime(text: string): string {
  try {
    parseTime(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new DecodeError('type', `cbor: cannot set ${text} for time.Time: ${reason}`);
  }
  const [, seconds = '', fraction = '', zone = ''] = /^(.{19})(?:[.,](\d+))?(.+)$/.exec(text) ?? [];
  return seconds + fractionText(fraction.slice(0, 9)) + (/^[+-]00:00$/.test(zone) ? 'Z' : zone);
}

function epochTime(value: number): string {
  const whole = Math.trunc(value);
  const nanoseconds = Math.trunc((value - whole) * 1e9);
  const seconds = nanoseconds < 0 ? whole - 1 : whole;
  if (!hasFourDigitYear(seconds)) {
    throw new DecodeError(
      'type',
      'cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: ' +
        `Time.MarshalText: ${YEAR_OUT_OF_RANGE}`,
    );
  }
  const nanos = nanoseconds < 0 ? nanoseconds + 1e9 : nanoseconds;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fractionText(String(nanos).padStart(9, '0'))}Z`;
}

function fractionText(digits: string): string {
  const significant = digits.replace(/0+$/, '');
  return significant === '' ? '' : `.${significant}`;
}
