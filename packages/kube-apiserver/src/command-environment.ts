import type { SignalSource } from '@apiserver/component-base/process';

/** The parts of its process that a command uses. */
export interface CommandEnvironment extends SignalSource {
  on(event: 'SIGTERM' | 'SIGINT' | 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'SIGTERM' | 'SIGINT' | 'uncaughtException', listener: (error: unknown) => void): unknown;
  readonly stdout: { write(text: string): unknown; readonly columns?: number };
  readonly stderr: { write(text: string): unknown };
  /** A file of the build with the objects of a first start. */
  readonly firstObjects?: string | undefined;
  /** Ends the process at once. */
  exit(code: number): void;
}
