import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type EtcdFlag, etcdFlags } from './etcd-flags.js';
import { type GoFlagType, goBool, goValueProblem, parseGoFlags } from './go-flags.js';

/** The options of the launcher, from its command line and environment. */
export interface EtcdOptions {
  readonly printVersion: boolean;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Client, HTTP-only and metrics URLs: the launcher serves the same on each. */
  readonly listenUrls: readonly URL[];
  readonly tls: EtcdTlsOptions;
  readonly fsync: boolean;
  readonly logLevel: EtcdLogLevel;
  readonly logOutputs: readonly string[];
  /** Flags that were given and change nothing here. */
  readonly withoutEffect: readonly string[];
}

/** TLS of the client URLs, by the flags of etcd. Absent values are "". */
export interface EtcdTlsOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly trustedCAFile: string;
  readonly clientCertAuth: boolean;
  readonly minVersion: string;
  readonly maxVersion: string;
}

const logLevels = ['debug', 'info', 'warn', 'error', 'panic', 'fatal'] as const;

/** In order: each says what the ones behind it say. */
export type EtcdLogLevel = (typeof logLevels)[number];

/** Flags that were understood and say something impossible; etcd writes `message` to its log and ends with 1. */
export class EtcdConfigError extends Error {
  override readonly name = 'EtcdConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads etcd's command line, and for what it does not say the `ETCD_…` variables. Throws GoFlagError, HelpRequested or
 * EtcdConfigError. Upstream: go.etcd.io/etcd/server/v3/etcdmain.config.parse
 */
export function readEtcdOptions(args: readonly string[], environment: Environment): EtcdOptions {
  const flags = etcdFlags();
  const types = new Map<string, GoFlagType>([...flags.values()].map(({ name, type }) => [name, type]));
  const { values, rest } = parseGoFlags(args, types);
  if (rest[0] !== undefined) throw new EtcdConfigError(`${JSON.stringify(rest[0])} is not a valid flag`);
  const given = new Map([...fromEnvironment(flags, values, environment), ...values]);
  if (!goBool(given.get('version'))) validate(given, flags);
  return toOptions(given, flags);
}

function fromEnvironment(
  flags: ReadonlyMap<string, EtcdFlag>,
  set: ReadonlyMap<string, string>,
  environment: Environment,
): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, type } of flags.values()) {
    const key = `ETCD_${name.toUpperCase().replaceAll('-', '_')}`;
    const value = environment[key];
    if (value === undefined || value === '' || set.has(name) || name === 'version') continue;
    const problem = goValueProblem(type, value);
    if (problem !== undefined) {
      throw new EtcdConfigError(`invalid value ${JSON.stringify(value)} for ${key}: ${problem}`);
    }
    found.set(name, value);
  }
  return found;
}

function validate(given: ReadonlyMap<string, string>, flags: ReadonlyMap<string, EtcdFlag>): void {
  const refused = [...given.keys()].filter((name) => flags.get(name)?.role === 'refused');
  if (refused.length > 0) {
    throw new EtcdConfigError(
      `this etcd only hands a folder to a kube-apiserver; not built: --${refused.join(', --')}`,
    );
  }
  if ((given.get('initial-cluster') ?? '').includes(',') || given.get('initial-cluster-state') === 'existing') {
    throw new EtcdConfigError(
      'this etcd has one member: --initial-cluster cannot name more, nor be an existing cluster',
    );
  }
  if (given.has('listen-client-urls') && !given.has('advertise-client-urls')) {
    throw new EtcdConfigError('--advertise-client-urls is required when --listen-client-urls is set explicitly');
  }
  urls(given, 'listen-peer-urls').forEach(checkBindable);
  urls(given, 'advertise-client-urls');
}

function toOptions(given: ReadonlyMap<string, string>, flags: ReadonlyMap<string, EtcdFlag>): EtcdOptions {
  const text = (name: string, fallback = '') => given.get(name) ?? fallback;
  return {
    printVersion: goBool(given.get('version')),
    dataDirectory: resolve(text('data-dir') || `${text('name', 'default')}.etcd`),
    listenUrls: listenUrls(given),
    tls: {
      certFile: text('cert-file'),
      keyFile: text('key-file'),
      trustedCAFile: text('trusted-ca-file'),
      clientCertAuth: goBool(given.get('client-cert-auth')),
      minVersion: text('tls-min-version', 'TLS1.2'),
      maxVersion: text('tls-max-version'),
    },
    fsync: !goBool(given.get('unsafe-no-fsync')),
    logLevel: logLevel(text('log-level', 'info')),
    logOutputs: text('log-outputs', 'default').split(','),
    withoutEffect: [...given.keys()].filter((name) => flags.get(name)?.role === 'without effect'),
  };
}

function logLevel(text: string): EtcdLogLevel {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) throw new EtcdConfigError(`unrecognized level: ${JSON.stringify(text)}`);
  return level;
}

/** True when a logger of `level` says what is of `message`'s level. */
export function logsAt(level: EtcdLogLevel, message: EtcdLogLevel): boolean {
  return logLevels.indexOf(message) >= logLevels.indexOf(level);
}

function listenUrls(given: ReadonlyMap<string, string>): readonly URL[] {
  const client = given.has('listen-client-urls')
    ? urls(given, 'listen-client-urls')
    : [new URL('http://localhost:2379')];
  const all = [...client, ...urls(given, 'listen-client-http-urls'), ...urls(given, 'listen-metrics-urls')];
  all.forEach(checkBindable);
  return [...new Map(all.map((url) => [url.origin, url])).values()];
}

/** Upstream: go.etcd.io/etcd/client/pkg/v3/types.NewURLs */
function urls(given: ReadonlyMap<string, string>, name: string): readonly URL[] {
  const texts = (given.get(name) ?? '').split(',').map((text) => text.trim());
  return texts.filter((text) => text !== '').map((text) => parseUrl(name, text));
}

function parseUrl(flag: string, text: string): URL {
  const match = /^(?<scheme>[a-z]+):\/\/(?<host>\[[^\]]*\]|[^:/]*)(?<port>:\d+)?(?<path>.*)$/.exec(text)?.groups;
  const problem = urlProblem(text, match);
  if (problem !== undefined) {
    throw new EtcdConfigError(`invalid value ${JSON.stringify(text)} for flag -${flag}: ${problem}`);
  }
  return new URL(text);
}

function urlProblem(text: string, match: Readonly<Record<string, string | undefined>> | undefined): string | undefined {
  const scheme = match?.['scheme'];
  if (scheme === 'unix' || scheme === 'unixs') return 'unix sockets are not built';
  if (scheme !== 'http' && scheme !== 'https') return `URL scheme must be http, https, unix, or unixs: ${text}`;
  if (match?.['port'] === undefined) return `URL address does not have the form "host:port": ${text}`;
  return match['path'] === '' ? undefined : `URL must not contain a path: ${text}`;
}

/** Upstream: go.etcd.io/etcd/server/v3/embed.checkBindURLs */
function checkBindable(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host !== 'localhost' && isIP(host) === 0) {
    throw new EtcdConfigError(`expected IP in URL for binding (${url.origin})`);
  }
}
