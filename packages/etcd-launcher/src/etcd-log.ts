import { appendFileSync } from 'node:fs';
import { type EtcdLogLevel, logsAt } from './etcd-options.js';

/** Writes one line of etcd's log. */
export type EtcdLog = (level: EtcdLogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** The level and the outputs of a log, by the flags of etcd. */
export interface EtcdLogTarget {
  readonly level: EtcdLogLevel;
  /** `stdout`, `stderr`, `default` (stderr), or files to append to. */
  readonly outputs: readonly string[];
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly now: () => Date;
}

/** A log in the JSON lines of etcd's default encoder. Upstream: go.etcd.io/etcd/client/pkg/v3/logutil */
export function createEtcdLog({ level, outputs, stdout, stderr, now }: EtcdLogTarget): EtcdLog {
  const sinks = outputs.map((output) => {
    if (output === 'stdout') return (line: string) => stdout.write(line);
    if (output === 'stderr' || output === 'default') return (line: string) => stderr.write(line);
    return (line: string) => appendFileSync(output, line);
  });
  return (lineLevel, message, fields) => {
    if (!logsAt(level, lineLevel)) return;
    const line = `${JSON.stringify({ level: lineLevel, ts: now().toISOString(), msg: message, ...fields })}\n`;
    for (const sink of sinks) sink(line);
  };
}
