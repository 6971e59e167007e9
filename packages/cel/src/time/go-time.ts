import { quoteTime } from '@apiserver/apimachinery/text';
import { daysIn } from '@apiserver/apimachinery/values';
import { Timestamp } from '../values/value.js';

/** A text that is no time by a layout, with the message of Go's `time.ParseError`. */
export class TimeError extends Error {
  override readonly name = 'TimeError';
}

/** Layouts of Go's package time. */
export const LAYOUTS = {
  fullDate: '2006-01-02',
  rfc3339: '2006-01-02T15:04:05Z07:00',
  rfc3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  rfc3339Millis: '2006-01-02T15:04:05.000Z07:00',
  rfc3339Micro: '2006-01-02T15:04:05.000000Z07:00',
  localTime: '2006-01-02T15:04:05',
};

const ELEMENTS = /2006|01|02|15|04|05|\.0+|\.9+|Z07:00/g;

/** The parts of a time that a text gives. */
interface TimeParts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  /** Seconds east of UTC. */
  offset: number;
}

type Part = 'month' | 'day' | 'hour' | 'minute' | 'second';

const PARTS: Readonly<Record<string, { readonly part: Part; readonly least: number; readonly most: number }>> = {
  '01': { part: 'month', least: 1, most: 12 },
  '02': { part: 'day', least: 0, most: 99 },
  '15': { part: 'hour', least: 0, most: 23 },
  '04': { part: 'minute', least: 0, most: 59 },
  '05': { part: 'second', least: 0, most: 59 },
};

/**
 * Reads a time by a layout. Throws a TimeError.
 *
 * Upstream: Parse in time/format.go
 */
export function parseTime(layout: string, text: string): Timestamp {
  const reader = new TimeReader(layout, text);
  let end = 0;
  for (const { 0: element, index } of layout.matchAll(ELEMENTS)) {
    reader.skip(layout.slice(end, index));
    end = index + element.length;
    reader.read(element, layout.slice(end));
  }
  return reader.finish(layout.slice(end));
}

class TimeReader {
  readonly #layout: string;
  readonly #text: string;
  readonly #parts: TimeParts = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0, offset: 0 };
  #rest: string;

  constructor(layout: string, text: string) {
    this.#layout = layout;
    this.#text = text;
    this.#rest = text;
  }

  #mismatch(element: string, rest = this.#rest): TimeError {
    const [text, layout] = [quoteTime(this.#text), quoteTime(this.#layout)];
    return new TimeError(`parsing time ${text} as ${layout}: cannot parse ${quoteTime(rest)} as ${quoteTime(element)}`);
  }

  #fault(message: string): TimeError {
    return new TimeError(`parsing time ${quoteTime(this.#text)}: ${message}`);
  }

  /** Takes a text that the layout demands. */
  skip(literal: string): void {
    for (const character of literal) {
      if (!this.#rest.startsWith(character)) throw this.#mismatch(literal);
      this.#rest = this.#rest.slice(1);
    }
  }

  #take(pattern: RegExp, element: string): string {
    const [matched] = pattern.exec(this.#rest) ?? [];
    if (matched === undefined) throw this.#mismatch(element);
    this.#rest = this.#rest.slice(matched.length);
    return matched;
  }

  read(element: string, following: string): void {
    if (element === '2006') this.#parts.year = Number(this.#take(/^[0-9]{4}/, element));
    else if (element === 'Z07:00') this.#readZone(element);
    else if (element.startsWith('.0')) {
      this.#readFraction(this.#take(new RegExp(`^[.,][0-9]{${element.length - 1}}`), element));
    } else if (element.startsWith('.9')) this.#readOptionalFraction();
    else this.#readPart(element, following);
  }

  #readPart(element: string, following: string): void {
    const { part, least, most } = PARTS[element] ?? { part: 'day', least: 0, most: 99 };
    const value = Number(this.#take(part === 'hour' ? /^[0-9]{1,2}/ : /^[0-9]{2}/, element));
    if (value < least || value > most) throw this.#fault(`${part} out of range`);
    this.#parts[part] = value;
    // A fraction may follow the seconds although the layout has none.
    if (part === 'second' && !/^\.[09]/.test(following)) this.#readOptionalFraction();
  }

  #readOptionalFraction(): void {
    const [matched] = /^[.,][0-9]+/.exec(this.#rest) ?? [];
    if (matched === undefined) return;
    this.#rest = this.#rest.slice(matched.length);
    this.#readFraction(matched);
  }

  #readFraction(matched: string): void {
    this.#parts.nanosecond = Number(matched.slice(1, 10).padEnd(9, '0'));
  }

  #readZone(element: string): void {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return;
    }
    const zone = this.#take(/^[+-][0-9]{2}:[0-9]{2}/, element);
    const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
    if (hours > 24) throw this.#fault('time zone offset hour out of range');
    if (minutes > 60) throw this.#fault('time zone offset minute out of range');
    this.#parts.offset = (zone.startsWith('-') ? -60 : 60) * (hours * 60 + minutes);
  }

  /** Takes the end of the layout. */
  finish(literal: string): Timestamp {
    this.skip(literal);
    if (this.#rest !== '') throw this.#fault(`extra text: ${quoteTime(this.#rest)}`);
    const { year, month, day, hour, minute, second, nanosecond, offset } = this.#parts;
    if (day < 1 || day > daysIn(year, month)) throw this.#fault('day out of range');
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, second);
    return new Timestamp(date.getTime() / 1000 - offset, nanosecond, offset);
  }
}
