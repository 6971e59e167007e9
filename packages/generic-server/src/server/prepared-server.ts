import { whenAborted } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { Handler, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { Completed } from '../config/completed.js';
import type { CompletedGenericServerConfig, SecureServingConfig } from '../config/generic-server-config.js';
import type { ListeningAddress } from '../config/server-context.js';
import type { PostStartHook } from '../lifecycle/post-start-hook.js';
import type { RequestGroup } from '../lifecycle/request-group.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import { createSecureListener, type Http2TransportClass, type SecureListener } from '../serving/secure-listener.js';
import type { PreparedServer, PreShutdownHook } from './generic-server.js';
import type { Lifecycle } from './lifecycle.js';

/** Time for idle connections to close. Upstream: ShutdownTimeout, 60 s in all */
const SHUTDOWN_TIMEOUT_MS = 60_000;
/** Time for a client to react to the announced end. */
const CONNECTION_GRACE_MS = 2_000;

/** Dependencies of a running server. */
export interface PreparedServerDependencies {
  readonly config: Completed<CompletedGenericServerConfig>;
  readonly handler: Handler;
  readonly lifecycle: Lifecycle;
  readonly requests: RequestGroup;
  readonly longRunningRequests: RequestGroup;
  readonly loopbackClient: LoopbackClient;
  readonly metrics: ServerMetrics;
  readonly hooks: ReadonlyMap<string, PostStartHook>;
  readonly preShutdownHooks: ReadonlyMap<string, PreShutdownHook>;
  readonly dispose: () => Promise<void>;
}

/** Creates the runnable form of a server. */
export function prepareServer(dependencies: PreparedServerDependencies): PreparedServer {
  const listening = Promise.withResolvers<ListeningAddress>();
  // `run` reports the failure too.
  listening.promise.catch(() => {});
  return {
    handler: dependencies.handler,
    listening: listening.promise,
    run: (signal) => run(dependencies, signal, listening),
  };
}

async function run(
  dependencies: PreparedServerDependencies,
  signal: AbortSignal,
  listening: PromiseWithResolvers<ListeningAddress>,
): Promise<void> {
  const { secureServing } = dependencies.config;
  let listener: SecureListener | undefined;
  let debugSocket: AsyncDisposable | undefined;
  try {
    debugSocket = await debugSocketOf(dependencies);
    if (secureServing === undefined) {
      listening.reject(new Error('the server has no port of its own'));
    } else {
      listener = await listenerOf(dependencies, secureServing);
      const { address: host, port, sharePort = false } = secureServing;
      const address = await listener.listen(host, port, { sharePort });
      secureServing.followTls?.((tls) => listener?.setTls(tls), dependencies.lifecycle.shutdownInitiated);
      dependencies.config.signals.listening.signal(address);
      listening.resolve(address);
    }
    await untilShutdown(dependencies, signal);
    await shutDown(dependencies, listener);
  } catch (error) {
    listening.reject(error);
    dependencies.lifecycle.initiateShutdown();
    await listener?.close(0);
    throw error;
  } finally {
    await debugSocket?.[Symbol.asyncDispose]();
    await dependencies.dispose();
  }
}

/** A failure does not stop the server, as upstream. */
async function debugSocketOf({ config }: PreparedServerDependencies): Promise<AsyncDisposable | undefined> {
  const { debugging, logger, now, metrics } = config;
  if (debugging.socketPath === '') return undefined;
  const { openDebugSocket } = await import('../profiling/debug-socket.js');
  try {
    return await openDebugSocket(debugging, { logger, now, owner: metrics });
  } catch (error) {
    logger.error(error, 'Unable to open the debug socket', { path: debugging.socketPath });
    return undefined;
  }
}

async function listenerOf(
  { config, handler, metrics }: PreparedServerDependencies,
  serving: SecureServingConfig,
): Promise<SecureListener> {
  const http2Transport = await http2TransportOf(serving);
  return createSecureListener({
    tls: serving.tls,
    handler,
    logger: config.logger,
    now: config.now,
    maxConcurrentStreams: serving.http2MaxStreamsPerConnection || 100,
    disableHttp2: serving.disableHttp2,
    tlsAtFirstConnection: tlsCanWait(serving),
    ...(http2Transport !== undefined && { http2Transport }),
    onHandshakeError: () => {
      metrics.tlsHandshakeErrors.value++;
    },
  });
}

/**
 * Flags may choose cipher suites or groups that OpenSSL lacks. They must prevent the start, as wrong certificates do.
 */
function tlsCanWait({ areCertificatesOwn = false, tls: { cipherSuites, curves = [] } }: SecureServingConfig): boolean {
  return areCertificatesOwn && cipherSuites.length === 0 && curves.length === 0;
}

/** undefined: the default. Node's implementation takes 5 ms to load. */
async function http2TransportOf({
  http2Implementation,
}: SecureServingConfig): Promise<Http2TransportClass | undefined> {
  if (http2Implementation !== 'node') return undefined;
  return (await import('../serving/node-http2/node-http2-transport.js')).NodeHttp2Transport;
}

/** Runs the post-start hooks concurrently. Resolves when `signal` aborts; rejects if a hook fails before that. */
async function untilShutdown(dependencies: PreparedServerDependencies, signal: AbortSignal): Promise<void> {
  const aborted = whenAborted(signal);
  const context = { signal, loopbackClient: dependencies.loopbackClient };
  const ran = [...dependencies.hooks].map(async ([name, hook]) => {
    try {
      await hook(context);
    } catch (error) {
      if (!signal.aborted) throw new Error(`PostStartHook "${name}" failed: ${messageOf(error)}`, { cause: error });
    }
  });
  const done = Promise.all(ran).then(() => {
    if (!signal.aborted) dependencies.config.signals.postStartHooksDone.signal();
  });
  // The server continues when its hooks are done, so `aborted` ends the wait.
  await Promise.race([aborted, Promise.all([done, aborted])]);
}

/**
 * Readiness fails, the delay passes while pre-shutdown hooks run; then requests in flight finish and long-running ones
 * are ended, and last the connections. Upstream: the diagram above preparedGenericAPIServer.RunWithContext
 */
async function shutDown(dependencies: PreparedServerDependencies, listener: SecureListener | undefined): Promise<void> {
  const { config, lifecycle } = dependencies;
  lifecycle.initiateShutdown();
  await Promise.all([sleep(config.shutdownDelayDuration), runPreShutdownHooks(dependencies)]);
  lifecycle.stopAcceptingRequests();
  config.signals.notAcceptingNewRequests.signal();
  // With --shutdown-send-retry-after the port stays open until everything has drained.
  const closing = config.shutdownSendRetryAfter ? undefined : listener?.close(SHUTDOWN_TIMEOUT_MS);
  await atMost(SHUTDOWN_TIMEOUT_MS, drain(dependencies));
  config.logger.v(1)?.info('[graceful-termination] shutdown event', { name: 'InFlightRequestsDrained' });
  await (closing === undefined ? listener?.close(CONNECTION_GRACE_MS) : atMost(CONNECTION_GRACE_MS, closing));
  await listener?.close(0);
}

/** Upstream: NonLongRunningRequestWaitGroup::Wait beside WatchRequestWaitGroup::Wait */
async function drain({ config, requests, longRunningRequests }: PreparedServerDependencies): Promise<void> {
  const ended = longRunningRequests.wait();
  const finished = requests.wait();
  await longRunningRequests.abortAll(
    new Error('apiserver is shutting down'),
    config.shutdownWatchTerminationGracePeriod,
  );
  await Promise.all([ended, finished]);
}

/** The failure of a hook does not prevent the shutdown. */
async function runPreShutdownHooks({ config, preShutdownHooks }: PreparedServerDependencies): Promise<void> {
  await Promise.all(
    [...preShutdownHooks].map(async ([name, hook]) => {
      try {
        await hook();
      } catch (error) {
        config.logger.error(error, 'PreShutdownHook failed', { name });
      }
    }),
  );
}

async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, milliseconds);
  await Promise.race([work, timer.promise]);
  clearTimeout(timeout);
}

function sleep(milliseconds: number): Promise<void> {
  return milliseconds === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds));
}
