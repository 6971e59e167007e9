import type { SignalSource } from '@apiserver/component-base/process';

/** What a command touches of its process. */
export interface CommandEnvironment extends SignalSource {
  on(event: 'SIGTERM' | 'SIGINT' | 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'SIGTERM' | 'SIGINT' | 'uncaughtException', listener: (error: unknown) => void): unknown;
  readonly stdout: { write(text: string): unknown; readonly columns?: number };
  readonly stderr: { write(text: string): unknown };
  /** A file that the build has written: what a first start need not make. */
  readonly firstObjects?: string | undefined;
  /** Ends the process at once. */
  exit(code: number): void;
}
