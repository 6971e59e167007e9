import type { SignalSource } from '@apiserver/component-base/process';

/** The process of a command: streams, signals and exit. */
export interface CommandEnvironment extends SignalSource {
  on(event: 'SIGTERM' | 'SIGINT' | 'uncaughtException', listener: (error: unknown) => void): unknown;
  off(event: 'SIGTERM' | 'SIGINT' | 'uncaughtException', listener: (error: unknown) => void): unknown;
  readonly stdout: { write(text: string): unknown; readonly columns?: number };
  readonly stderr: { write(text: string): unknown };
  /** A file of the build that contains the objects of a first start. */
  readonly firstObjects?: string | undefined;
  /** Called when the server is ready, before anybody is told. */
  readonly ready?: (() => void) | undefined;
  /** Ends the process at once. */
  exit(code: number): void;
}
