import type { Handler } from '@apiserver/apiserver-contracts';
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
  mux.handle('/debug/pprof', toIndex, { unlisted: true });
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

/** Upstream: Redirect of net/http with StatusFound */
const toIndex: Handler = ({ request: { method }, responseHeaders }) => {
  responseHeaders.set('location', '/debug/pprof/');
  if (method === 'GET' || method === 'HEAD') responseHeaders.set('content-type', 'text/html; charset=utf-8');
  const body = Buffer.from(method === 'GET' ? '<a href="/debug/pprof/">Found</a>.\n\n' : '');
  return { type: 'bytes', status: 302, body };
};
