import type { LogRecord } from './log-record.js';
import { errorText, formatText, stackOf } from './text-format.js';

export type LogFormat = 'text' | 'json';

/** Where a program's log lines go. */
export interface LogOutput {
  /** Queues until the output is open, then writes at once. */
  write(record: LogRecord): void;
  /** Loads the writer, and writes queued lines. Called once the server listens, without waiting for it. */
  open(): Promise<void>;
  /** Waits until all queued lines are written. Safe to call at any time before the process ends. */
  close(): Promise<void>;
}

/**
 * Log lines on a file descriptor, stderr as a rule. The library (pino) takes as long to load as the listener, so it
 * is loaded after the server is up. Queued lines keep the time at which they were logged.
 */
export function createLogOutput(format: LogFormat, fileDescriptor: number): LogOutput {
  const queue: LogRecord[] = [];
  let emit = (record: LogRecord): void => {
    queue.push(record);
  };
  let opening: Promise<void> | undefined;
  const open = () => {
    opening ??= loadWriter(format, fileDescriptor).then((writer) => {
      for (const record of queue.splice(0)) writer(record);
      emit = writer;
    });
    return opening;
  };
  return { write: (record) => emit(record), open, close: open };
}

const jsonLevels = { I: 'info', W: 'warn', E: 'error' } as const;

async function loadWriter(format: LogFormat, fileDescriptor: number): Promise<(record: LogRecord) => void> {
  // Bundled, a CommonJS module has its default export alone.
  const { default: pino } = await import('pino');
  const stream = pino.destination({ dest: fileDescriptor, sync: true });
  if (format === 'text') return (record) => void stream.write(formatText(record, process.pid));
  const logger = pino({ base: null, timestamp: false, formatters: { level: (severity) => ({ severity }) } }, stream);
  return (record) => {
    const fields = jsonFields(record);
    logger[jsonLevels[record.severity]](fields, record.message);
  };
}

/**
 * The members beside "msg". Errors have no "v", info lines have no "err": that is how readers tell them apart.
 * Upstream: k8s.io/component-base/logs/json
 */
function jsonFields(record: LogRecord): Record<string, unknown> {
  const { error, fields, level, logger, severity, time } = record;
  const stack = stackOf(error);
  return {
    ts: time.getTime(),
    ...(logger === '' ? {} : { logger }),
    ...(severity === 'E' ? {} : { v: level }),
    ...(error === undefined ? {} : { err: errorText(error) }),
    ...(stack === undefined ? {} : { stacktrace: stack }),
    ...fields,
  };
}
