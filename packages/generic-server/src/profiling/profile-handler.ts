import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { plainText, plainTextError } from '../serving/transport/plain-text.js';
import type { CallStacks } from './call-stacks.js';
import { captureAllocations } from './capture-allocations.js';
import { captureCPU } from './capture-cpu.js';
import { encodePprof } from './encode-pprof.js';

const PREFIX = '/debug/pprof/';
/**
 * Seconds. Upstream's CPU profile also takes 30. Its other profiles cover the time since the start, which V8 does not
 * record.
 */
const DEFAULT_SECONDS = { profile: 30, heap: 10, allocs: 10 } as const;

type ProfileName = keyof typeof DEFAULT_SECONDS;

const ABOUT: Readonly<Record<ProfileName, string>> = {
  allocs: 'Where memory is taken during ?seconds= (default 10).',
  heap: 'Where memory is taken during ?seconds= (default 10) that is still in use in the end.',
  profile: 'Where the time of the thread goes during ?seconds= (default 30).',
};

/** V8's profiler for each profile. Two profiles with the same profiler cannot run at the same time. */
const PROFILERS = { profile: 'CPU', heap: 'heap', allocs: 'heap' } as const;

/** The profilers that are in use now. */
const capturing = new WeakMap<object, Set<string>>();

/**
 * Handles requests below /debug/pprof/. `owner` represents the profiled process.
 * Upstream: k8s.io/apiserver/pkg/server/routes.Profiling and net/http/pprof
 */
export async function handleProfile(exchange: Exchange, owner: object): Promise<ApiResponse> {
  const name = exchange.request.path.slice(PREFIX.length);
  exchange.responseHeaders.set('x-content-type-options', 'nosniff');
  if (name === '') return indexOf(exchange);
  // There are no addresses to resolve: profiles include the names of functions.
  if (name === 'symbol') return plainText(exchange, 200, 'num_symbols: 0\n');
  if (name === 'trace') return refused(exchange, 501, 'Execution traces are of Go programs; this server is none');
  if (!isProfileName(name)) return refused(exchange, 404, 'Unknown profile');
  const { query } = exchange.request;
  if ((query.get('debug') ?? '0') !== '0') return refused(exchange, 400, 'Profiles are served for ?debug=0 only');
  const busy = capturing.get(owner) ?? new Set();
  capturing.set(owner, busy);
  const profiler = PROFILERS[name];
  if (busy.has(profiler)) return refused(exchange, 500, alreadyInUse(profiler));
  busy.add(profiler);
  try {
    const stacks = await capture(name, secondsOf(query, DEFAULT_SECONDS[name]), exchange.signal);
    return profileOf(exchange, name, await encodePprof(stacks));
  } finally {
    busy.delete(profiler);
  }
}

/** A header tells pprof that it may show the text. Upstream: serveError of net/http/pprof */
function refused(exchange: Exchange, status: number, text: string): ApiResponse {
  exchange.responseHeaders.set('x-go-pprof', '1');
  return plainTextError(exchange, status, text);
}

/** Upstream: pprof.Profile of net/http/pprof, StartCPUProfile of runtime/pprof */
function alreadyInUse(profiler: string): string {
  return `Could not enable ${profiler} profiling: ${profiler.toLowerCase()} profiling already in use`;
}

function capture(name: ProfileName, seconds: number, signal: AbortSignal): Promise<CallStacks> {
  return name === 'profile' ? captureCPU(seconds, signal) : captureAllocations(seconds, name === 'heap', signal);
}

function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(DEFAULT_SECONDS, name);
}

/** An invalid number of seconds means the default, as upstream. */
function secondsOf(query: URLSearchParams, fallback: number): number {
  const text = query.get('seconds') ?? '';
  const seconds = /^\+?[0-9]+$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds < 2 ** 31 / 1000 ? seconds : fallback;
}

function profileOf(exchange: Exchange, name: ProfileName, body: Uint8Array): ApiResponse {
  exchange.responseHeaders.set('content-type', 'application/octet-stream');
  exchange.responseHeaders.set('content-disposition', `attachment; filename="${name}"`);
  return { type: 'bytes', status: 200, body };
}

function indexOf(exchange: Exchange): ApiResponse {
  const rows = Object.entries(ABOUT).map(
    ([name, about]) => `<tr><td><a href="${name}">${name}</a></td><td>${about}</td></tr>`,
  );
  const page = `<html>\n<head><title>/debug/pprof/</title></head>\n<body>\n<table>\n${rows.join('\n')}\n</table>\n</body>\n</html>\n`;
  const response = plainText(exchange, 200, page);
  exchange.responseHeaders.set('content-type', 'text/html; charset=utf-8');
  return response;
}
