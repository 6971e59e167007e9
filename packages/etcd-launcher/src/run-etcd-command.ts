import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenAborted } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { makePrivateDirectory, type SignalSource, shutdownSignal } from '@apiserver/component-base/process';
import { etcdFlags } from './etcd-flags.js';
import { createEtcdLog, type EtcdLog } from './etcd-log.js';
import { type EtcdOptions, readEtcdOptions } from './etcd-options.js';
import { etcdVersion, listenEtcd } from './etcd-server.js';
import { GoFlagError, HelpRequested } from './go-flags.js';
import { handoverIdFile, type StoreHandover } from './store-handover.js';

/** The parts of its process that the command uses. */
export interface EtcdEnvironment extends SignalSource {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  exit(code: number): void;
}

const usage = `Usage:

  etcd [flags]
    Run an etcd server.

  etcd --version
    Print the version.

  etcd -h | --help
    Print the flags.

This program has etcd's flags, health checks and version, but stores nothing: a
kube-apiserver whose --etcd-servers names it keeps its objects in --data-dir.
`;

/**
 * Stands where test suites start an etcd: understands its arguments, listens until SIGTERM or SIGINT and returns the
 * exit code. Upstream: go.etcd.io/etcd/server/v3/etcdmain.Main
 */
export async function runEtcdCommand(args: readonly string[], environment: EtcdEnvironment): Promise<number> {
  const { stdout, stderr, variables } = environment;
  if (args[0] === 'gateway' || args[0] === 'grpc-proxy') {
    stderr.write(`etcd ${args[0]} is not built\n`);
    return 1;
  }
  let options: EtcdOptions;
  try {
    options = readEtcdOptions(args, variables);
  } catch (error) {
    return reportFlagError(error, environment);
  }
  if (options.printVersion) {
    stdout.write(
      `etcd Version: ${etcdVersion}\nGit SHA: none (kube-apiserver's launcher)\nNode.js: ${process.version}\n`,
    );
    return 0;
  }
  const log = createEtcdLog({ ...logTarget(environment), level: options.logLevel, outputs: options.logOutputs });
  try {
    await serve(options, log, environment);
    return 0;
  } catch (error) {
    log('fatal', 'the launcher failed', { error: messageOf(error) });
    return 1;
  }
}

function logTarget({ stdout, stderr }: EtcdEnvironment) {
  return { level: 'info', outputs: ['default'], stdout, stderr, now: () => new Date() } as const;
}

/** Go's flag package prints the usage for what it refuses; what it understood goes to the log. */
function reportFlagError(error: unknown, environment: EtcdEnvironment): number {
  const { stdout, stderr } = environment;
  if (error instanceof HelpRequested) {
    stderr.write(usage);
    stdout.write(flagHelp());
    return 0;
  }
  if (error instanceof GoFlagError) {
    stderr.write(`${error.message}\n${usage}`);
    return 2;
  }
  createEtcdLog(logTarget(environment))('warn', 'failed to verify flags', { error: messageOf(error) });
  return 1;
}

function flagHelp(): string {
  const flags = [...etcdFlags().values()];
  const section = (title: string, role: string) => {
    const lines = flags.filter((flag) => flag.role === role).map(({ name, type }) => `  --${name} <${type}>`);
    return `\n${title}:\n${lines.sort().join('\n')}\n`;
  };
  return (
    section('Flags', 'used') +
    section('Accepted without effect', 'without effect') +
    section('Refused: not built', 'refused')
  );
}

async function serve(options: EtcdOptions, log: EtcdLog, environment: EtcdEnvironment): Promise<void> {
  using shutdown = shutdownSignal(environment, environment.exit);
  if (options.withoutEffect.length > 0) {
    log('warn', 'these flags have no effect on a launcher that keeps no keys', { flags: options.withoutEffect });
  }
  const handover = prepareFolder(options);
  await using _listeners = await listenEtcd(options.listenUrls, options.tls, handover);
  const urls = options.listenUrls.map(({ origin }) => origin);
  log('info', 'serving clients', { urls, 'data-dir': handover.directory, 'unsafe-no-fsync': !options.fsync });
  await whenAborted(shutdown.signal);
  log('info', 'received signal; shutting down');
}

/** Throws an Error for a folder that an etcd has written in. */
function prepareFolder({ dataDirectory: directory, fsync }: EtcdOptions): StoreHandover {
  if (existsSync(join(directory, 'member'))) {
    throw new Error(`${directory} holds the data of an etcd, which this launcher cannot read`);
  }
  makePrivateDirectory(directory);
  return { kind: 'kube-apiserver-store', id: launcherId(join(directory, handoverIdFile)), directory, fsync };
}

function launcherId(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomUUID(), { mode: 0o600, flag: 'wx' });
  return readFileSync(path, 'utf8');
}
