import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import type { DebugFlagSetter } from '../profiling/debug-flags.js';

/**
 * Profiling and debugging of the running process.
 * Upstream: k8s.io/apiserver/pkg/server/options.FeatureOptions
 */
export class ProfilingOptions {
  /** `--profiling` */
  profiling = true;
  /** `--contention-profiling`: without effect, because a single thread never waits for a lock. */
  contentionProfiling = false;
  /** `--debug-socket-path`; "" for none. */
  debugSocketPath = '';

  addFlags(flags: FlagSet): void {
    flags.bool(
      'profiling',
      field(this, 'profiling'),
      'Serve profiles of CPU and memory at /debug/pprof/, and flags that can be changed at /debug/flags/.',
    );
    flags.bool(
      'contention-profiling',
      field(this, 'contentionProfiling'),
      'Profile lock contention, if --profiling is on.',
      { noEffect: 'the server runs on one thread, which never waits for a lock' },
    );
    flags.string(
      'debug-socket-path',
      field(this, 'debugSocketPath'),
      'Unix socket that serves profiles without authentication and authorization. An existing file at the path is removed.',
    );
  }

  /** `flags` can be changed while the server runs. */
  applyTo(config: GenericServerConfig, flags: Readonly<Record<string, DebugFlagSetter>> = {}): void {
    config.debugging = { profiling: this.profiling, socketPath: this.debugSocketPath, flags };
  }
}
