import type { LogRecord } from './log-record.js';
import { describe, errorText, logJson, stackOf } from './text-format.js';

/**
 * A line of `--logging-format=json`, with its members in upstream's order: the time in milliseconds, the part of the
 * program, the message, the level, fields, the error. Errors have no "v", and info lines no "err": that is how readers
 * tell them apart. A field that has the name of another member is written beside it. Ends with a newline.
 *
 * Upstream: k8s.io/component-base/logs/json, over go.uber.org/zap/zapcore and github.com/go-logr/zapr
 */
export function formatJson({ error, fields, level, logger, message, severity, time }: LogRecord): string {
  let line = `{"ts":${time.getTime()}`;
  if (logger !== '') line += `,"logger":${JSON.stringify(logger)}`;
  line += `,"msg":${JSON.stringify(message)}`;
  if (severity !== 'E') line += `,"v":${level}`;
  for (const [name, value] of Object.entries(fields ?? {})) line += `,${JSON.stringify(name)}:${jsonValue(value)}`;
  if (error !== undefined) line += `,"err":${JSON.stringify(errorText(error))}`;
  const stack = stackOf(error);
  return stack === undefined ? `${line}}\n` : `${line},"stacktrace":${JSON.stringify(stack)}}\n`;
}

function jsonValue(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(errorText(value));
  if (value === undefined) return 'null';
  return logJson(value) ?? JSON.stringify(describe(value));
}
