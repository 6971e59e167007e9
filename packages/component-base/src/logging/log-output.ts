import type { LogRecord } from './log-record.js';
import { LogStream } from './log-stream.js';
import { errorText, formatText, stackOf } from './text-format.js';

/** The values of `--logging-format`. */
export type LogFormat = 'text' | 'json';

/** Input of `createLogOutput`. */
export interface LogOutputOptions {
  readonly format: LogFormat;
  /** Errors go to stderr and other lines to stdout; otherwise all go to stderr. */
  readonly splitStream?: boolean;
  /** Bytes of lines on stdout that are buffered. Default: 0. */
  readonly bufferSize?: number;
  /** Milliseconds after which buffered lines are written. */
  readonly flushFrequency?: number;
}

/** The file descriptors of a process; tests replace them. */
const STREAMS = { stdout: 1, stderr: 2 };

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
 * Log lines on stderr, or on both streams. The library for JSON (pino) takes as long to load as the listener, so it is
 * loaded after the server is up. Queued lines keep the time at which they were logged.
 */
export function createLogOutput(options: LogOutputOptions, streams = STREAMS): LogOutput {
  const queue: LogRecord[] = [];
  let emit = (record: LogRecord): void => {
    queue.push(record);
  };
  let writers: Writers | undefined;
  let opening: Promise<void> | undefined;
  const open = () => {
    opening ??= loadWriters(options, streams).then((loaded) => {
      for (const record of queue.splice(0)) loaded.write(record);
      emit = loaded.write;
      writers = loaded;
    });
    return opening;
  };
  const close = async () => {
    await open();
    writers?.close();
  };
  return { write: (record) => emit(record), open, close };
}

const jsonLevels = { I: 'info', W: 'warn', E: 'error' } as const;

interface Writers {
  write(record: LogRecord): void;
  /** Writes what is buffered, and stops its timer. */
  close(): void;
}

async function loadWriters(options: LogOutputOptions, { stdout, stderr }: typeof STREAMS): Promise<Writers> {
  const { format, splitStream = false, bufferSize = 0, flushFrequency = 5_000 } = options;
  const errors = new LogStream(stderr);
  const forErrors = await writerTo(errors, format);
  if (!splitStream) return forErrors;
  const stream = new LogStream(stdout, bufferSize);
  const forInfo = await writerTo(stream, format);
  const timer = bufferSize > 0 ? setInterval(() => stream.flush(), flushFrequency) : undefined;
  timer?.unref();
  const isError = isErrorOf[format];
  return {
    write: (record) => (isError(record) ? forErrors : forInfo).write(record),
    close: () => {
      clearInterval(timer);
      forInfo.close();
      forErrors.close();
    },
  };
}

/** Upstream: klogMsgRouter of k8s.io/component-base/logs/api/v1 routes warnings as errors; the JSON logger does not. */
const isErrorOf: Readonly<Record<LogFormat, (record: LogRecord) => boolean>> = {
  text: ({ severity }) => severity !== 'I',
  json: ({ severity }) => severity === 'E',
};

/** Of lines for which there is no room, it writes the number with the next one, or at the end. */
async function writerTo(stream: LogStream, format: LogFormat): Promise<Writers> {
  const write = format === 'text' ? textWriter(stream) : await jsonWriter(stream);
  let lost = 0;
  const tellLost = (time: Date) => {
    if (lost > 0) write({ ...LOST, time, fields: { lines: lost } });
    lost = 0;
  };
  return {
    write: (record) => {
      if (stream.isFull) {
        lost++;
        return;
      }
      tellLost(record.time);
      write(record);
    },
    close: () => {
      tellLost(new Date());
      stream.close();
    },
  };
}

const LOST = {
  severity: 'W',
  level: 0,
  logger: 'logging',
  message: 'Log lines were lost, because nobody read the earlier ones',
  error: undefined,
} as const;

function textWriter(stream: LogStream): Writers['write'] {
  return (record) => stream.write(formatText(record, process.pid));
}

async function jsonWriter(stream: LogStream): Promise<Writers['write']> {
  // Bundled, a CommonJS module has its default export alone.
  const { default: pino } = await import('pino');
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
