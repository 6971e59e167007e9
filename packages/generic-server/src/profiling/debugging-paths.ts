import type { ApiResponse } from '@apiserver/apiserver-contracts';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';
import { type DebugFlagSetter, installDebugFlags } from './debug-flags.js';

/** Profiling and debugging of the running process. */
export interface DebuggingConfig {
  /** True if /debug/pprof/ and /debug/flags/ are served. Upstream flag: --profiling, default true */
  readonly profiling: boolean;
  /** A Unix socket that serves them without authentication; "" for none. Upstream flag: --debug-socket-path */
  readonly socketPath: string;
  /** Flags that can be changed while the process runs. */
  readonly flags: Readonly<Record<string, DebugFlagSetter>>;
}

/** Serves profiles and flags. The profilers are loaded on first use. `owner` represents the process. */
export function installDebuggingPaths(mux: NonGoRestfulMux, { flags }: DebuggingConfig, owner: object): void {
  const toIndex: ApiResponse = { type: 'bytes', status: 301, body: Buffer.from('') };
  mux.handle(
    '/debug/pprof',
    (exchange) => {
      exchange.responseHeaders.set('location', '/debug/pprof/');
      return Promise.resolve(toIndex);
    },
    { unlisted: true },
  );
  mux.handlePrefix(
    '/debug/pprof/',
    async (exchange) => {
      const { handleProfile } = await import('./profile-handler.js');
      return handleProfile(exchange, owner);
    },
    { unlisted: true },
  );
  installDebugFlags(mux, flags);
}
