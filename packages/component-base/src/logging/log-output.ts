import { formatJson } from './json-format.js';
import type { LogRecord } from './log-record.js';
import { LogStream } from './log-stream.js';
import { formatText } from './text-format.js';

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
  /** Writes queued lines. Called once the server listens. */
  open(): void;
  /** Writes all queued lines. Safe to call at any time before the process ends. */
  close(): void;
}

/**
 * Log lines on stderr, or on both streams. No time of the start goes to lines, which are written once the server is up.
 * Queued lines keep the time at which they were logged.
 */
export function createLogOutput(options: LogOutputOptions, streams = STREAMS): LogOutput {
  const queue: LogRecord[] = [];
  let emit = (record: LogRecord): void => {
    queue.push(record);
  };
  let writers: Writers | undefined;
  const open = () => {
    if (writers !== undefined) return writers;
    writers = openWriters(options, streams);
    for (const record of queue.splice(0)) writers.write(record);
    emit = writers.write;
    return writers;
  };
  return { write: (record) => emit(record), open: () => void open(), close: () => open().close() };
}

interface Writers {
  write(record: LogRecord): void;
  /** Writes what is buffered, and stops its timer. */
  close(): void;
}

function openWriters(options: LogOutputOptions, { stdout, stderr }: typeof STREAMS): Writers {
  const { format, splitStream = false, bufferSize = 0, flushFrequency = 5_000 } = options;
  const errors = new LogStream(stderr);
  const forErrors = writerTo(errors, format);
  if (!splitStream) return forErrors;
  const stream = new LogStream(stdout, bufferSize);
  const forInfo = writerTo(stream, format);
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

const lineOf: Readonly<Record<LogFormat, (record: LogRecord) => string>> = {
  text: (record) => formatText(record, process.pid),
  json: formatJson,
};

/** Of lines for which there is no room, it writes the number with the next one, or at the end. */
function writerTo(stream: LogStream, format: LogFormat): Writers {
  const write = (record: LogRecord) => stream.write(lineOf[format](record));
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
