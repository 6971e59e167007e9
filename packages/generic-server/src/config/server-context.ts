import { type Clock, systemClock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { RestClientMetrics } from '@apiserver/rest-client';
import { LifecycleSignal } from '../lifecycle/lifecycle-signal.js';
import { LoopbackEndpoint } from '../loopback/loopback-endpoint.js';
import { checkNodeGlobals } from './node-globals.js';

/**
 * State that the servers of one process share. It is created before their configs. An admission plugin or a controller
 * that needs the server later takes the client, or waits for a signal.
 */
export interface ServerContext {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  /** Of the clients of other servers. */
  readonly restClientMetrics: RestClientMetrics;
  /** The server, for code in this process. */
  readonly loopback: LoopbackEndpoint;
  readonly signals: ServerSignals;
  /** Disposed in reverse order, after the servers' own disposables. If no server is created, the caller disposes it. */
  readonly disposables: AsyncDisposableStack;
}

/** Where a running server can be reached. */
export interface ListeningAddress {
  readonly address: string;
  readonly port: number;
}

/** Events of a server's life. Upstream: k8s.io/apiserver/pkg/server/lifecycle_signals.go */
export interface ServerSignals {
  /** The outermost server listens. */
  readonly listening: LifecycleSignal<ListeningAddress>;
  /** All paths are installed. From now on, an unknown path is a 404. Upstream: MuxAndDiscoveryComplete */
  readonly muxAndDiscoveryComplete: LifecycleSignal;
  /** All post-start hooks of the outermost server have run. */
  readonly postStartHooksDone: LifecycleSignal;
  /** /readyz returns 200. Set by the program that assembles the chain. Upstream: HasBeenReady */
  readonly ready: LifecycleSignal;
  /** The outermost server refuses new requests and ends all watches. Upstream: NotAcceptingNewRequest */
  readonly notAcceptingNewRequests: LifecycleSignal;
}

/** The logger has no default; tests may replace the clock. */
export type ServerContextEssentials = Pick<ServerContext, 'logger'> & Partial<Pick<ServerContext, 'clock'>>;

/** Creates the context of the servers of one process. Starts nothing. Throws a StartupError outside of Node's globals. */
export function newServerContext({ logger, clock = systemClock }: ServerContextEssentials): ServerContext {
  checkNodeGlobals();
  const metrics = new MetricsRegistry();
  return {
    logger,
    clock,
    metrics,
    restClientMetrics: new RestClientMetrics(metrics),
    loopback: new LoopbackEndpoint(() => clock.now()),
    signals: {
      listening: new LifecycleSignal(),
      muxAndDiscoveryComplete: new LifecycleSignal(),
      postStartHooksDone: new LifecycleSignal(),
      ready: new LifecycleSignal(),
      notAcceptingNewRequests: new LifecycleSignal(),
    },
    disposables: new AsyncDisposableStack(),
  };
}
