import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { Logger } from '@apiserver/apiserver-contracts';
import { boolValue, field, type NamedFlagSets } from '@apiserver/component-base/flags';
import { createLogger, createLogOutput, type LogOutput, LogVerbosity } from '@apiserver/component-base/logging';
import { StartupError, shutdownSignal } from '@apiserver/component-base/process';
import { versionInfo } from '@apiserver/component-base/version';
import { buildInfo } from '../build-info.js';
import type { CommandEnvironment } from '../command-environment.js';
import { KubeApiserverOptions } from '../options/kube-apiserver-options.js';
import { VersionFlag } from '../options/version-flag.js';
import { withSmallYoungGeneration } from '../start/young-generation.js';
import { STORE_COMMANDS } from '../store-commands/store-command.js';
import { formatRawVersion, formatVersion } from './format-version.js';
import { formatHelp } from './help.js';
import { startBlock } from './start-block.js';
import type { CommandTestEndpoint } from './test-endpoint.js';

const PROGRAM = 'kube-apiserver';

/**
 * The whole command: parses the arguments (without program name), runs the server to its end and returns the exit code.
 * Errors of arguments go to stderr, later ones to the log.
 * Upstream: cmd/kube-apiserver/app/server.go (NewAPIServerCommand), k8s.io/component-base/cli.Run
 */
export async function runCommand(args: readonly string[], environment: CommandEnvironment): Promise<number> {
  const [first, ...rest] = args;
  const command = STORE_COMMANDS.find((name) => name === first);
  if (command !== undefined) {
    const { runStoreCommand } = await import('../store-commands/run-store-command.js');
    return runStoreCommand(command, rest, environment);
  }
  const options = new KubeApiserverOptions();
  const version = versionInfo(buildInfo());
  const requested = { help: false, version: new VersionFlag(version.gitVersion) };
  const sets = options.flagSets();
  sets.section('global').add('help', boolValue(field(requested, 'help')), `Help for ${PROGRAM}.`, { shorthand: 'h' });
  sets
    .section('global')
    .add(
      'version',
      requested.version,
      'Print the version and quit; --version=raw prints all of it. --version=vX.Y.Z sets the reported version.',
    );
  try {
    const { positionals, deprecations } = sets.parse(args);
    for (const line of deprecations) environment.stderr.write(`${line}\n`);
    if (requested.help) {
      return print(environment, formatHelp(sets, options.features.knownFeatures(), environment.stdout.columns ?? 0));
    }
    if (positionals.some((positional) => positional !== '')) throw new StartupError(unwanted(positionals));
  } catch (error) {
    environment.stderr.write(`Error: ${messageOf(error)}\n`);
    return 1;
  }
  if (requested.version.request === 'short') return print(environment, formatVersion(version));
  if (requested.version.request === 'raw') return print(environment, formatRawVersion(version));
  options.version = { ...version, gitVersion: requested.version.gitVersion };
  return runServer(options, sets, environment);
}

function print({ stdout }: CommandEnvironment, text: string): number {
  stdout.write(text);
  return 0;
}

/** Go's %q of a list of strings is in brackets, separated by spaces. */
function unwanted(positionals: readonly string[]): string {
  const quoted = positionals.map((positional) => JSON.stringify(positional)).join(' ');
  return `"${PROGRAM}" does not take any arguments, got [${quoted}]`;
}

async function runServer(
  options: KubeApiserverOptions,
  sets: NamedFlagSets,
  environment: CommandEnvironment,
): Promise<number> {
  const { vmodule, output: outputOptions, verbosity: level } = options.logging;
  const verbosity = new LogVerbosity(level);
  const output = createLogOutput(outputOptions);
  const logger = createLogger({ verbosity, vmodule, now: () => new Date(), write: output.write });
  using shutdown = shutdownSignal(environment, environment.exit);
  using _ = endOnBug(environment, logger, output);
  try {
    const errors = options.validate();
    if (errors.length > 0) throw new StartupError(aggregateMessages(errors));
    logStart(logger, options, sets);
    await serve(options, { logger, verbosity, output, signal: shutdown.signal, environment });
    return 0;
  } catch (error) {
    logger.error(error, 'command failed');
    return 1;
  } finally {
    output.close();
  }
}

/** An uncaught error may leave an inconsistent state: it is logged completely, and the process ends. */
function endOnBug(environment: CommandEnvironment, logger: Logger, output: LogOutput): Disposable {
  const listener = (error: unknown) => {
    logger.error(error, 'the server has a bug and ends');
    try {
      output.close();
    } finally {
      environment.exit(2);
    }
  };
  environment.on('uncaughtException', listener);
  return { [Symbol.dispose]: () => environment.off('uncaughtException', listener) };
}

/** Logs the version and the given flags, and those without an effect; from -v=1 on, all flags. */
function logStart(logger: Logger, { version }: KubeApiserverOptions, sets: NamedFlagSets): void {
  logger.info(`Version: ${version?.gitVersion}`);
  for (const flag of sets.all()) {
    const line = `FLAG: --${flag.name}=${JSON.stringify(flag.value.toString())}`;
    if (flag.changed) logger.info(line);
    if (flag.changed && flag.noEffect !== '') logger.warning(`--${flag.name} has no effect: ${flag.noEffect}`);
    if (!flag.changed) logger.v(1)?.info(line);
  }
}

interface ServeContext {
  readonly logger: Logger;
  readonly verbosity: LogVerbosity;
  readonly output: LogOutput;
  readonly signal: AbortSignal;
  readonly environment: CommandEnvironment;
}

async function serve(options: KubeApiserverOptions, context: ServeContext): Promise<void> {
  const { logger, verbosity, output, signal, environment } = context;
  // Loaded on demand, so that --help and --version respond at once.
  const { launch } = await import('../start/launch.js');
  await using testEndpoint = await openTestEndpoint(options, context);
  // Log lines are queued until the server is up. If that takes long, they are written early, to show the reason.
  const patience = setTimeout(() => output.open(), options.logging.flushFrequency);
  const launching = {
    logger,
    signal,
    firstObjects: environment.firstObjects,
    debugFlags: { v: (text: string) => verbosity.change(text) },
    showLog: () => output.open(),
    whileHooksRun: withSmallYoungGeneration<void>,
    ...testEndpoint?.launching,
  };
  const launched = await launch(options, launching).finally(() => clearTimeout(patience));
  environment.ready?.();
  const endpointFile = await testEndpoint?.serve(launched);
  if (!signal.aborted) environment.stdout.write(startBlock({ ...launched, endpointFile }, process.platform));
  output.open();
  await launched.ended;
}

/** Undefined without `--test-endpoint`. Throws a StartupError. */
async function openTestEndpoint(
  { testEndpoint, data }: KubeApiserverOptions,
  { logger, signal }: ServeContext,
): Promise<CommandTestEndpoint | undefined> {
  if (!testEndpoint.isOn) return undefined;
  const { CommandTestEndpoint } = await import('./test-endpoint.js');
  return await CommandTestEndpoint.open({ testEndpoint, data, logger, signal });
}
