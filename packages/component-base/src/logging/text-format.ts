import { goErrorText, goWordsOf } from '@apiserver/apimachinery/errors';
import { escapeHtml, quote } from '@apiserver/apimachinery/text';
import type { LogRecord } from './log-record.js';

/**
 * klog's text form: `I0102 15:04:05.000000    4242 storage] "Message" key="value"`. The logger's name replaces klog's
 * source file. A message without fields is unquoted, as with klog's Infof. Local time, as klog. Ends with a newline.
 * A value with line breaks takes a line for each of its own.
 * Upstream: k8s.io/klog/v2 (formatHeader, internal/serialize)
 */
export function formatText(record: LogRecord, processId: number): string {
  let line = `${record.severity}${timestamp(record.time)} ${String(processId).padStart(7)} ${record.logger || 'kube-apiserver'}] `;
  const structured = record.fields !== undefined || record.error !== undefined;
  line += structured ? quote(record.message) : record.message;
  if (record.error !== undefined) line += ` err=${textValue(errorText(record.error))}`;
  for (const [key, value] of Object.entries(record.fields ?? {})) line += ` ${key}=${formatValue(value)}`;
  const stack = printableStack(record.error);
  return stack === undefined ? `${line}\n` : `${line}\n${stack}\n`;
}

function timestamp(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${two(time.getMonth() + 1)}${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${day} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}000`;
}

/** Strings are quoted, numbers and booleans are not, anything else is JSON. */
function formatValue(value: unknown): string {
  if (typeof value === 'string') return textValue(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value === undefined || value === null) return '<nil>';
  if (value instanceof Error) return textValue(errorText(value));
  if (value instanceof Date) return quote(Number.isNaN(value.getTime()) ? String(value) : value.toISOString());
  return jsonOrText(value);
}

/** Characters that could change what a terminal shows. */
const CONTROL = /(?![\n\t])\p{Cc}/u;

/** In quotes; between angle brackets if it has several lines. Upstream also writes control characters there. */
function textValue(text: string): string {
  if (!text.includes('\n') || CONTROL.test(text)) return quote(text);
  return `<\n\t${text.replace(/\n$/, '').split('\n').join('\n\t')}\n >`;
}

/** A client may have chosen lines and control characters of the message. */
function printableStack(error: unknown): string | undefined {
  const { stack, message } = bugIn(error) ?? {};
  if (stack === undefined || message === undefined || !/\p{Cc}/u.test(message)) return stack;
  return stack.replace(message, () => quote(message));
}

function jsonOrText(value: unknown): string {
  const json = logJson(value);
  return json === undefined ? quote(describe(value)) : escapeHtml(json);
}

/** A value as JSON; undefined if it has no such form, as a circle has none. Never throws. */
export function logJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, withIntegers);
  } catch {
    return undefined;
  }
}

/** Numbers that a double cannot hold are written as texts. */
function withIntegers(_: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

/** A value without JSON as a text. Never throws: a line of the log must not end a program. */
export function describe(value: unknown): string {
  try {
    return String(value);
  } catch {
    // It has no prototype, or a method that throws.
    return Object.prototype.toString.call(value);
  }
}

/** Causes beyond this are not told. */
const MAX_CAUSES = 100;

/** The message of an error, and those of its causes that it does not tell itself, in Node's words or in Go's. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : jsonOrText(error);
  let text = goErrorText(error);
  let { cause } = error;
  for (let i = 0; i < MAX_CAUSES && cause instanceof Error; i++) {
    if (!text.includes(cause.message) && !text.includes(goWordsOf(cause) ?? cause.message)) {
      text += `: ${goErrorText(cause)}`;
    }
    cause = cause.cause;
  }
  return text;
}

/** Classes of bugs. An error that a user, a client or another server can cause has a class of its own, or a code. */
const BUGS: ReadonlySet<unknown> = new Set(
  [Error, TypeError, RangeError, ReferenceError, SyntaxError].map(({ prototype }) => prototype),
);

/** The stack of a bug, also of one among several errors; undefined for other errors, whose message tells enough. */
export function stackOf(error: unknown): string | undefined {
  return bugIn(error)?.stack;
}

function bugIn(error: unknown): Error | undefined {
  if (error instanceof AggregateError) return error.errors.map(bugIn).find((bug) => bug !== undefined);
  const isBug = error instanceof Error && !('code' in error) && BUGS.has(Object.getPrototypeOf(error));
  return isBug ? error : undefined;
}
